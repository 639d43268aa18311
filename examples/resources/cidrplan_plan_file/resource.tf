data "cidrplan_site" "dc1" {
  name      = "dc1"
  datapath  = "cilium-kubernetes"
  lock_file = "dc1.cidrplan.json"
}

resource "cidrplan_plan_file" "dc1" {
  plan = data.cidrplan_site.dc1.plan
  path = "dc1.cidrplan.json"
}
