data "cidrplan_site" "dc3" {
  name         = "dc3"
  datapath     = "kubeovn-cilium"
  distribution = "k3s"
}

data "cidrplan_ansible_vars" "dc3" {
  plan = data.cidrplan_site.dc3.plan
  role = "cozystack"
}

output "ansible_vars" {
  value = data.cidrplan_ansible_vars.dc3.content
}
