output "smallest_list" {
  value = provider::cidrplan::union("10.0.0.0/25", "10.0.0.128/25", "10.0.1.0/24") # ["10.0.0.0/23"]
}
