data "cidrplan_site" "edge" {
  name         = "edge"
  datapath     = "cilium-kubernetes"
  distribution = "k3s"
}

resource "cidrplan_text_block" "caddy" {
  plan         = data.cidrplan_site.edge.plan
  path         = "Caddyfile"
  name         = "trusted"
  insert_after = "servers {"
  content      = "trusted_proxies static ${join(" ", data.cidrplan_site.edge.networks["pod"].cidrs)}"
}

resource "cidrplan_text_block" "env" {
  plan        = data.cidrplan_site.edge.plan
  path        = "app.env"
  create_file = true
  content     = <<-EOT
    POD_CIDR=${data.cidrplan_site.edge.networks["pod"].ipv4}
    SERVICE_CIDR=${data.cidrplan_site.edge.networks["service"].ipv4}
  EOT
}
