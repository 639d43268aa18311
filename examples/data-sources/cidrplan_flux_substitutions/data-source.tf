data "cidrplan_site" "dc2" {
  name     = "dc2"
  datapath = "cilium-kubernetes"

  network {
    name  = "load_balancer"
    cidrs = ["10.2.99.64/26"]
  }
}

data "cidrplan_flux_substitutions" "dc2" {
  plan = data.cidrplan_site.dc2.plan
}

output "flux_substitutions" {
  value = data.cidrplan_flux_substitutions.dc2.content
}
