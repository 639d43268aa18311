data "cidrplan_site" "edge" {
  name         = "edge"
  datapath     = "cilium-kubernetes"
  distribution = "k3s"
}

resource "cidrplan_cilium_values" "edge" {
  plan = data.cidrplan_site.edge.plan
  path = "cilium.yaml"

  # Only needed where the file holds several releases of that name.
  document = {
    kind      = "HelmRelease"
    name      = "cilium"
    namespace = "kube-system"
  }
}
