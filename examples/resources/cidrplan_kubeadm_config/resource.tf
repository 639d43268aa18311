data "cidrplan_site" "lab" {
  name         = "lab"
  datapath     = "node-ipam"
  distribution = "kubeadm"
}

resource "cidrplan_kubeadm_config" "lab" {
  plan = data.cidrplan_site.lab.plan
  path = "kubeadm.yaml"
}
