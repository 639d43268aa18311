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

# Applied before the first node moves, destroyed when every agent has restarted.
resource "cidrplan_node_move_policy" "dc2" {
  plan         = data.cidrplan_site.dc2.plan
  path         = "flux/node-move.yaml"
  former_cidrs = ["10.2.40.0/24"]
}
