# A K3s site with Flux: Cilium takes its ranges from the Nodes, as K3s cuts them,
# and no longer from a pool of its own.

terraform {
  required_providers {
    cidrplan = {
      source = "cidrplan/cidrplan"
    }
  }
}

data "cidrplan_site" "edge" {
  name         = "edge"
  datapath     = "cilium-kubernetes"
  distribution = "k3s"
  max_nodes    = 32
  lock_file    = "edge.cidrplan.json"

  reserved = {
    office = ["10.2.0.0/16"]
    vpn    = ["10.8.0.0/24"]
  }

  network {
    name  = "node"
    role  = "node"
    cidrs = ["192.168.1.0/24"]
  }

  hosts = {
    k3s-1 = 21
    k3s-2 = 22
    k3s-3 = 23
  }
}

# The plan, kept in Git: the next run keeps to it, other repositories read it.
resource "cidrplan_plan_file" "edge" {
  plan = data.cidrplan_site.edge.plan
  path = "edge.cidrplan.json"
}

# K3s: both ranges stated, the same on every server.
resource "cidrplan_k3s_config" "edge" {
  plan = cidrplan_plan_file.edge.plan
  path = "repositories/k3s/config.yaml"
}

# Flux: the HelmRelease of Cilium is one of several documents in its file.
resource "cidrplan_cilium_values" "edge" {
  plan = cidrplan_plan_file.edge.plan
  path = "repositories/flux/cilium.yaml"
}

check "no_findings" {
  assert {
    condition     = length(data.cidrplan_site.edge.findings) == 0
    error_message = join("\n", [for f in data.cidrplan_site.edge.findings : "${f.severity}: ${f.message}"])
  }
}

output "summary" {
  value = data.cidrplan_site.edge.summary
}
