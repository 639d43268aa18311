data "cidrplan_site" "edge" {
  name         = "edge"
  datapath     = "cilium-kubernetes"
  distribution = "k3s"
}

locals {
  pods = data.cidrplan_site.edge.networks["pod"].cidrs
}

# A list, a joined string and a field inside the YAML text of a ConfigMap.
resource "cidrplan_yaml_fields" "app" {
  plan     = data.cidrplan_site.edge.plan
  path     = "app.yaml"
  document = { kind = "ConfigMap", name = "app" }

  values = {
    "data.TRUSTED_PROXIES"                   = join(",", local.pods)
    "data[\"config.yaml\"]|http.trusted"     = local.pods
    "data[\"config.yaml\"]|http.legacyProxy" = null # must be absent
  }
}
