output "no_host_bits" {
  value = provider::cidrplan::is_canonical("10.2.40.1/24") # false: 10.2.40.0/24 is
}
