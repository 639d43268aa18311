# A declaration that looks right, since no two ranges overlap, and is refused.

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
  gateway_api  = true

  network {
    name  = "cilium_pool"
    cidrs = ["100.65.0.0/16"]
  }
}
