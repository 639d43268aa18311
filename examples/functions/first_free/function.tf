output "next_vlan" {
  value = provider::cidrplan::first_free("10.2.0.0/16", 24, "10.2.0.0/24", "10.2.1.0/24") # "10.2.2.0/24"
}
