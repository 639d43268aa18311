data "cidrplan_site" "dc1" {
  name         = "dc1"
  datapath     = "kubeovn-cilium"
  distribution = "talos"
}

# Values of the chart, under the key of a parent chart.
resource "cidrplan_kubeovn_values" "dc1" {
  plan     = data.cidrplan_site.dc1.plan
  path     = "values.yaml"
  root_key = "kube-ovn"
}

# The Subnet of a cluster that is installed already: Kube-OVN reads exclusions from
# its values only once.
resource "cidrplan_kubeovn_values" "subnet" {
  plan = data.cidrplan_site.dc1.plan
  path = "ovn-default.yaml"
  form = "subnet"
}
