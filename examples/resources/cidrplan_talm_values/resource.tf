data "cidrplan_site" "dc1" {
  name         = "dc1"
  datapath     = "kubeovn-cilium"
  distribution = "talos"

  network {
    name  = "node"
    role  = "node"
    cidrs = ["192.168.100.0/24"]
    vips  = { api = "192.168.100.10" }
  }
}

resource "cidrplan_talm_values" "dc1" {
  plan    = data.cidrplan_site.dc1.plan
  path    = "values.yaml"
  api_vip = "api"
}
