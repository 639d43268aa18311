# Sites that are routed to each other share one address space: a block for each,
# sized from what it declares.
data "cidrplan_fleet" "all" {
  name          = "all"
  address_space = ["10.0.0.0/8"]
  shared_space  = ["10.96.0.0/16"] # Services may repeat
  lock_file     = "fleet.cidrplan.json"

  sites = {
    dc1  = jsonencode({ datapath = "cilium-kubernetes", max_nodes = 64 })
    dc2  = jsonencode({ datapath = "cilium-kubernetes", max_nodes = 16 })
    edge = jsonencode({ datapath = "cilium-kubernetes", max_nodes = 3 })
  }
}

resource "cidrplan_plan_file" "all" {
  plan = data.cidrplan_fleet.all.plan
  path = "fleet.cidrplan.json"
}

# A site plans inside its block.
data "cidrplan_site" "dc1" {
  name          = "dc1"
  datapath      = "cilium-kubernetes"
  max_nodes     = 64
  address_space = [data.cidrplan_fleet.all.ipv4_blocks["dc1"], "10.96.0.0/16"]
}
