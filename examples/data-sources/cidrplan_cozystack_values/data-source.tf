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

data "cidrplan_cozystack_values" "dc1" {
  plan = data.cidrplan_site.dc1.plan
}

output "cozystack_values" {
  value = data.cidrplan_cozystack_values.dc1.content
}
