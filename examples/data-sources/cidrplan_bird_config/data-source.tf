data "cidrplan_site" "dc2" {
  name         = "dc2"
  datapath     = "cilium-kubernetes"
  distribution = "talos"
  hosts        = { k8s-1 = 11, k8s-2 = 12 }

  network {
    name    = "node0"
    role    = "node"
    link    = "node0"
    vlan_id = 46
    cidrs   = ["10.2.46.0/24"]
  }
}

data "cidrplan_bird_config" "dc2" {
  plan = data.cidrplan_site.dc2.plan
}

output "bird_config" {
  value = data.cidrplan_bird_config.dc2.content
}
