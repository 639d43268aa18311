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

data "cidrplan_site" "dc2" {
  name         = "dc2"
  datapath     = "cilium-kubernetes"
  distribution = "talos"
  hosts        = { k8s-1 = 11, k8s-2 = 12 }

  network {
    name    = "pod0"
    role    = "node"
    link    = "pod0"
    vlan_id = 48
    cidrs   = ["10.2.48.0/24"]
  }
}

# What is each node's own, from one instance: its VLANs and annotations.
resource "cidrplan_talos_patch" "node" {
  plan             = data.cidrplan_site.dc2.plan
  host_paths       = { for host in ["k8s-1", "k8s-2"] : host => "patches/${host}.yaml" }
  parent_link      = "bond0"
  node_annotations = { "example.com/pod0-ipv4" = "pod0.ipv4" }
}
