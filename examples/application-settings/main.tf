# Half of all copies of a pod range stand in the settings of applications: trusted
# proxies, gateways, joined strings. Here one declaration feeds Cilium's HelmRelease
# and the copy that bootstraps it, an Argo CD Application, a gateway, an application
# that wants one string, and a Caddyfile.

terraform {
  required_providers {
    cidrplan = {
      source = "cidrplan/cidrplan"
    }
  }
}

data "cidrplan_site" "home" {
  name         = "home"
  datapath     = "cilium-cluster-pool"
  distribution = "talos"
  max_nodes    = 16
  lock_file    = "home.cidrplan.json"

  network {
    name    = "node"
    role    = "node"
    cidrs   = ["192.168.10.0/24"]
    gateway = "192.168.10.1"
  }
}

resource "cidrplan_plan_file" "home" {
  plan = data.cidrplan_site.home.plan
  path = "home.cidrplan.json"
}

locals {
  pods    = data.cidrplan_site.home.networks["pod"].cidrs
  nodes   = data.cidrplan_site.home.networks["node"].cidrs
  trusted = concat(local.pods, local.nodes)
}

# Cilium as Flux runs it, and as helmfile installs it before there is a Flux.
resource "cidrplan_cilium_values" "flux" {
  plan                = cidrplan_plan_file.home.plan
  path                = "repositories/flux/cilium.yaml"
  native_routing_cidr = true
}

resource "cidrplan_cilium_values" "bootstrap" {
  plan                = cidrplan_plan_file.home.plan
  path                = "repositories/bootstrap/cilium-values.yaml"
  form                = "values"
  native_routing_cidr = true
}

# An Argo CD Application that takes the pods' range as a value.
resource "cidrplan_yaml_fields" "argocd" {
  plan     = cidrplan_plan_file.home.plan
  path     = "repositories/argocd/monitoring.yaml"
  document = { kind = "Application", name = "monitoring" }
  values = {
    "spec.source.helm.valuesObject.networkPolicy.allowedCidrs" = local.pods
  }
}

# A gateway that trusts forwarded headers from nodes and pods.
resource "cidrplan_yaml_fields" "gateway" {
  plan     = cidrplan_plan_file.home.plan
  path     = "repositories/flux/gateway.yaml"
  document = { kind = "HelmRelease", name = "gateway" }
  values = {
    "spec.values.ports.websecure.forwardedHeaders.trustedIPs" = local.trusted
    "spec.values.ports.websecure.proxyProtocol.trustedIPs"    = local.trusted
  }
}

# An application that wants one string, in a ConfigMap.
resource "cidrplan_yaml_fields" "app" {
  plan = cidrplan_plan_file.home.plan
  path = "repositories/apps/config.yaml"
  values = {
    "data.TRUSTED_PROXIES" = join(",", local.trusted)
  }
}

# A Caddyfile, which is no YAML: the block between two comments is ours.
resource "cidrplan_text_block" "caddy" {
  plan         = cidrplan_plan_file.home.plan
  path         = "repositories/apps/Caddyfile"
  name         = "trusted"
  insert_after = "servers {"
  content      = "trusted_proxies static ${join(" ", local.trusted)}"
}
