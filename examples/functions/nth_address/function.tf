output "gateway" {
  value = provider::cidrplan::nth_address("10.2.40.0/24", 1) # "10.2.40.1"
}

output "last" {
  value = provider::cidrplan::nth_address("10.2.40.0/24", -1) # "10.2.40.255"
}
