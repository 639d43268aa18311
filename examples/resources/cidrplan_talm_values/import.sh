# path@lock file?option=value
terraform import cidrplan_talm_values.dc1 'values.yaml@dc1.cidrplan.json?api_vip=api'
