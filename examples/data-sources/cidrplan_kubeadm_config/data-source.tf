data "cidrplan_site" "lab" {
  name         = "lab"
  datapath     = "node-ipam"
  distribution = "kubeadm"
}

data "cidrplan_kubeadm_config" "lab" {
  plan = data.cidrplan_site.lab.plan
}

output "kubeadm_config" {
  value = data.cidrplan_kubeadm_config.lab.content
}
