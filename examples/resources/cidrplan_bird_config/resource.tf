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

# The constants of the site.
resource "cidrplan_bird_config" "dc2" {
  plan          = data.cidrplan_site.dc2.plan
  path          = "bird/cidrplan.conf"
  routing_table = 47
}

# Each node's own, from one instance.
resource "cidrplan_bird_config" "node" {
  plan       = data.cidrplan_site.dc2.plan
  host_paths = { for host in ["k8s-1", "k8s-2"] : host => "bird/${host}.conf" }
}
