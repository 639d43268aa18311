data "cidrplan_site" "edge" {
  name         = "edge"
  datapath     = "cilium-kubernetes"
  distribution = "k3s"
}

resource "cidrplan_k3s_config" "edge" {
  plan = data.cidrplan_site.edge.plan
  path = "config.yaml"
}
