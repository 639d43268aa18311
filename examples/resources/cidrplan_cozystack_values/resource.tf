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

resource "cidrplan_cozystack_values" "platform" {
  plan = data.cidrplan_site.dc1.plan
  path = "cozystack-platform.yaml"
}

# Created if it is not there; on a new cluster it goes in before or together with
# the platform's Package.
resource "cidrplan_cozystack_values" "networking" {
  plan            = data.cidrplan_site.dc1.plan
  path            = "cozystack-networking.yaml"
  package         = "networking"
  create_document = true
}
