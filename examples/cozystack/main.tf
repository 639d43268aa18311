# A Cozystack site on Talos: Kube-OVN owns the pods, Cilium is chained behind it
# and takes its own addresses from a pool that Kube-OVN leaves out.

terraform {
  required_providers {
    cidrplan = {
      source = "cidrplan/cidrplan"
    }
  }
}

data "cidrplan_site" "dc1" {
  name         = "dc1"
  datapath     = "kubeovn-cilium"
  distribution = "talos"
  max_nodes    = 256
  lock_file    = "dc1.cidrplan.json"

  network {
    name  = "node"
    role  = "node"
    cidrs = ["192.168.100.0/24"]
    vips  = { api = "192.168.100.10" }
  }

  # The MetalLB pool lies in the nodes' network and is carved out of it.
  network {
    name        = "load_balancer"
    carved_from = "node"
    cidrs       = ["192.168.100.200-192.168.100.250"]
  }

  hosts = {
    srv1 = 11
    srv2 = 12
    srv3 = 13
  }
}

# The plan, kept in Git: the next run keeps to it, other repositories read it.
resource "cidrplan_plan_file" "dc1" {
  plan = data.cidrplan_site.dc1.plan
  path = "dc1.cidrplan.json"
}

# The talm project: ranges of pods, Services and nodes, and the address of the API.
resource "cidrplan_talm_values" "dc1" {
  plan    = cidrplan_plan_file.dc1.plan
  path    = "repositories/talos/values.yaml"
  api_vip = "api"
}

# The platform's Package: what Kube-OVN is told.
resource "cidrplan_cozystack_values" "platform" {
  plan = cidrplan_plan_file.dc1.plan
  path = "repositories/platform/cozystack-platform.yaml"
}

# What only the networking Package can carry: Cilium's own pool, and that
# Kube-OVN leaves it out. It has to be in the cluster before or together with the
# platform's Package, since Kube-OVN reads its exclusions only once.
resource "cidrplan_cozystack_values" "networking" {
  plan            = cidrplan_plan_file.dc1.plan
  path            = "repositories/platform/cozystack-networking.yaml"
  package         = "networking"
  create_document = true
}

check "no_findings" {
  assert {
    condition     = length(data.cidrplan_site.dc1.findings) == 0
    error_message = join("\n", [for f in data.cidrplan_site.dc1.findings : "${f.severity}: ${f.message}"])
  }
}

output "summary" {
  value = data.cidrplan_site.dc1.summary
}
