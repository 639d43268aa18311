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

resource "cidrplan_talos_patch" "controlplane" {
  plan         = data.cidrplan_site.dc1.plan
  path         = "patches/controlplane.yaml"
  machine_type = "controlplane"
}

resource "cidrplan_talos_patch" "worker" {
  plan         = data.cidrplan_site.dc1.plan
  path         = "patches/worker.yaml"
  machine_type = "worker"
}
