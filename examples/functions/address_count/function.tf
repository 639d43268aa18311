output "addresses" {
  value = provider::cidrplan::address_count("fd12:3456:789a::/48") # 1208925819614629174706176, exact
}
