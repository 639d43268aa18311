data "cidrplan_site" "edge" {
  name         = "edge"
  datapath     = "cilium-kubernetes"
  distribution = "k3s"
}

data "cidrplan_cilium_values" "edge" {
  plan = data.cidrplan_site.edge.plan
}

output "cilium_values" {
  value = data.cidrplan_cilium_values.edge.content
}
