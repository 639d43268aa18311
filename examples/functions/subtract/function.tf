output "pods_without_the_pool" {
  value = provider::cidrplan::subtract("10.244.0.0/16", "10.244.248.0/21")
}
