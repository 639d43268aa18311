output "range" {
  value = provider::cidrplan::cidr_to_range("10.244.248.0/21") # "10.244.248.0-10.244.255.255"
}
