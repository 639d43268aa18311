# The smallest site: everything by convention.
data "cidrplan_site" "lab" {
  name     = "lab"
  datapath = "cilium-kubernetes"
}

output "pods" {
  value = data.cidrplan_site.lab.networks.pod.ipv4 # 10.244.0.0/16
}
