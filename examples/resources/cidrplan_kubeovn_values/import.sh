# path@lock file?option=value
terraform import cidrplan_kubeovn_values.dc1 'values.yaml@dc1.cidrplan.json?root_key=kube-ovn'
terraform import cidrplan_kubeovn_values.subnet 'ovn-default.yaml@dc1.cidrplan.json?form=subnet'
