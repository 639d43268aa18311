data "cidrplan_site" "dc3" {
  name         = "dc3"
  datapath     = "kubeovn-cilium"
  distribution = "k3s"
}

# Cozystack's role and the playbook that installs K3s, each in its file: with the
# role's ranges alone K3s keeps its own.
resource "cidrplan_ansible_vars" "cozystack" {
  plan = data.cidrplan_site.dc3.plan
  path = "group_vars/all.yml"
  role = "cozystack"

  create_document = true
}

resource "cidrplan_ansible_vars" "k3s" {
  plan            = data.cidrplan_site.dc3.plan
  path            = "prepare.yml"
  role            = "k3s"
  config_variable = "cozystack_k3s_server_config_yaml"
}
