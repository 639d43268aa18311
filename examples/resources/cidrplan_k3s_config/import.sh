# path@lock file
terraform import cidrplan_k3s_config.edge config.yaml@edge.cidrplan.json
