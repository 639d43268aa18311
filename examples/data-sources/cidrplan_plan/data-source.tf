# A second repository reads the plan that the first one keeps.
data "cidrplan_plan" "dc1" {
  path        = "dc1.cidrplan.json"
  expect_site = "dc1"
}

output "trusted_proxies" {
  value = data.cidrplan_plan.dc1.networks.pod.cidrs
}
