data "cidrplan_site" "dc2" {
  name     = "dc2"
  datapath = "cilium-kubernetes"

  network {
    name  = "load_balancer"
    cidrs = ["10.2.99.64/26"]
  }
}

resource "cidrplan_load_balancer_pool" "dc2" {
  plan = data.cidrplan_site.dc2.plan
  path = "pool.yaml"
  name = "bgp-pool"
}
