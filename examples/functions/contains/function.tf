output "inside" {
  value = provider::cidrplan::contains("10.244.0.0/16", "10.244.248.0/21", "10.244.0.1") # true
}
