terraform {
  required_providers {
    cidrplan = {
      source = "cidrplan/cidrplan"
    }
  }
}

data "cidrplan_site" "dc1" {
  name         = "dc1"
  datapath     = "kubeovn-cilium"
  distribution = "talos"
  lock_file    = "dc1.cidrplan.json"

  network {
    name  = "node"
    role  = "node"
    cidrs = ["192.168.100.0/24"]
  }
}

resource "cidrplan_plan_file" "dc1" {
  plan = data.cidrplan_site.dc1.plan
  path = "dc1.cidrplan.json"
}

resource "cidrplan_talm_values" "dc1" {
  plan = cidrplan_plan_file.dc1.plan
  path = "talos/values.yaml"
}
