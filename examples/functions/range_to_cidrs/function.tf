output "blocks" {
  value = provider::cidrplan::range_to_cidrs("10.2.99.10-10.2.99.17") # ["10.2.99.10/31", "10.2.99.12/30", "10.2.99.16/31"]
}
