output "collide" {
  value = provider::cidrplan::overlaps("10.244.0.0/16", "10.96.0.0/12") # false: 10.96.0.0/12 ends at 10.111.255.255
}

output "lists_are_spread" {
  value = provider::cidrplan::overlaps(["10.0.0.0/8", "10.2.0.0/16"]...) # true
}
