data "cidrplan_site" "dc1" {
  name         = "dc1"
  datapath     = "kubeovn-cilium"
  distribution = "talos"
}

data "cidrplan_kubeovn_values" "dc1" {
  plan = data.cidrplan_site.dc1.plan
}

output "kubeovn_values" {
  value = data.cidrplan_kubeovn_values.dc1.content
}
