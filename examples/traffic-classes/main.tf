# A Talos site whose traffic classes have links of their own, dual stack: the
# nodes' management and default route, node to node, world to pod, and pod to pod.
# Pods and LoadBalancer addresses are routed by a table of BIRD's.
#
# Each range stands here once, and nowhere by hand: what Talos, Flux, Cilium and
# BIRD repeat is written from the plan.

terraform {
  required_providers {
    cidrplan = {
      source = "cidrplan/cidrplan"
    }
  }
}

locals {
  # Kernel routing table of pods and LoadBalancer addresses, which BIRD fills.
  table = 47
}

data "cidrplan_site" "dc2" {
  name         = "dc2"
  datapath     = "cilium-kubernetes"
  distribution = "talos"
  ip_families  = ["ipv4", "ipv6"]
  max_nodes    = 64
  lock_file    = "dc2.cidrplan.json"
  versions     = { talos = "1.13", cilium = "1.19" }

  # Host numbers: each node has this one in every network below.
  hosts = {
    k8s-1 = 11
    k8s-2 = 12
    k8s-3 = 13
    k8s-4 = 14
  }

  network {
    name  = "pod"
    cidrs = ["10.3.0.0/16", "fd12:3456:789a:3000::/56"]
  }
  network {
    name  = "service"
    cidrs = ["10.2.128.0/20", "fd12:3456:789a:80::/112"]
  }
  network {
    name          = "mgmt0"
    role          = "node"
    link          = "mgmt0"
    vlan_id       = 40
    cidrs         = ["10.2.40.0/24", "fd12:3456:789a:40::/64"]
    gateway       = "10.2.40.1"
    default_route = true
  }
  network {
    name    = "node0"
    role    = "node"
    link    = "node0"
    vlan_id = 46
    cidrs   = ["10.2.46.0/24", "fd12:3456:789a:46::/64"]
  }
  network {
    name    = "ingress0"
    role    = "node"
    link    = "ingress0"
    vlan_id = 47
    cidrs   = ["10.2.47.0/24", "fd12:3456:789a:47::/64"]
    gateway = "10.2.47.1"
  }
  network {
    name    = "pod0"
    role    = "node"
    link    = "pod0"
    vlan_id = 48
    cidrs   = ["10.2.48.0/24", "fd12:3456:789a:48::/64"]
  }
  network {
    name     = "load_balancer"
    cidrs    = ["10.2.99.64/26", "fd12:3456:789a:99::/112"]
    announce = "bgp"
  }
}

# The plan, kept in Git: the next run keeps to it, other repositories read it.
resource "cidrplan_plan_file" "dc2" {
  plan = data.cidrplan_site.dc2.plan
  path = "dc2.cidrplan.json"
}

# Talos, for all machines of a type: ranges of pods and Services, the network of
# kubelet and etcd, and the rules that send pods and LoadBalancer addresses to the
# table.
resource "cidrplan_talos_patch" "cluster" {
  for_each      = toset(["controlplane", "worker"])
  plan          = cidrplan_plan_file.dc2.plan
  path          = "repositories/talos/${each.key}.yaml"
  machine_type  = each.key
  node_network  = "node0"
  routing_table = local.table
}

# Talos, for each node: its VLANs with its addresses, and annotations from which
# BIRD's Pod takes what it needs. One instance writes them all.
resource "cidrplan_talos_patch" "node" {
  plan        = cidrplan_plan_file.dc2.plan
  host_paths  = { for host in keys(data.cidrplan_site.dc2.host_addresses) : host => "repositories/talos/nodes/${host}.yaml" }
  parent_link = "bond0"
  node_annotations = {
    "example.com/pod0-ipv4"   = "pod0.ipv4"
    "example.com/pod0-ipv6"   = "pod0.ipv6"
    "example.com/egress-ipv4" = "ingress0.ipv4_gateway"
  }
}

# Flux: the facts of the site for every Kustomization, Cilium's values, and the
# pool that LoadBalancer addresses come from.
resource "cidrplan_flux_substitutions" "dc2" {
  plan            = cidrplan_plan_file.dc2.plan
  path            = "repositories/flux/site-facts.yaml"
  name            = "site-facts"
  create_document = true
}

resource "cidrplan_cilium_values" "dc2" {
  plan = cidrplan_plan_file.dc2.plan
  path = "repositories/flux/cilium.yaml"
}

resource "cidrplan_load_balancer_pool" "dc2" {
  plan = cidrplan_plan_file.dc2.plan
  path = "repositories/flux/pool.yaml"
  name = "bgp-pool"
}

# BIRD: the site's constants, and each node's own.
resource "cidrplan_bird_config" "dc2" {
  plan          = cidrplan_plan_file.dc2.plan
  path          = "repositories/bird/cidrplan.conf"
  routing_table = local.table
}

resource "cidrplan_bird_config" "node" {
  plan       = cidrplan_plan_file.dc2.plan
  host_paths = { for host in keys(data.cidrplan_site.dc2.host_addresses) : host => "repositories/bird/nodes/${host}.conf" }
}

check "no_findings" {
  assert {
    condition     = length([for f in data.cidrplan_site.dc2.findings : f if f.severity != "info"]) == 0
    error_message = join("\n", [for f in data.cidrplan_site.dc2.findings : "${f.severity}: ${f.message}"])
  }
}

output "summary" {
  value = data.cidrplan_site.dc2.summary
}
