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

data "cidrplan_node_move_policy" "dc2" {
  plan         = data.cidrplan_site.dc2.plan
  former_cidrs = ["10.2.40.0/24"]
}

output "node_move_policy" {
  value = data.cidrplan_node_move_policy.dc2.content
}
