data "cidrplan_site" "edge" {
  name         = "edge"
  datapath     = "cilium-kubernetes"
  distribution = "k3s"
}

data "cidrplan_k3s_config" "edge" {
  plan = data.cidrplan_site.edge.plan
}

output "k3s_config" {
  value = data.cidrplan_k3s_config.edge.content
}
