data "cidrplan_site" "dc2" {
  name     = "dc2"
  datapath = "cilium-kubernetes"

  network {
    name  = "load_balancer"
    cidrs = ["10.2.99.64/26"]
  }
}

resource "cidrplan_flux_substitutions" "dc2" {
  plan            = data.cidrplan_site.dc2.plan
  path            = "flux/site-facts.yaml"
  name            = "site-facts"
  prefix          = "SITE_"
  networks        = ["pod", "service", "load_balancer"]
  create_document = true

  # Composed here, checked to survive substitution.
  variables = {
    TRUSTED_PROXIES = join(",", data.cidrplan_site.dc2.networks["pod"].cidrs)
  }
}
