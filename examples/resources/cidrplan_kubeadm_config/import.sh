# path@lock file
terraform import cidrplan_kubeadm_config.lab kubeadm.yaml@lab.cidrplan.json
