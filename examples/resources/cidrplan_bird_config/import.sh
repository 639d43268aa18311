# path@lock file?option=value, or host=path,host=path@lock file
terraform import cidrplan_bird_config.dc2 'bird/cidrplan.conf@dc2.cidrplan.json?routing_table=47'
terraform import cidrplan_bird_config.node 'k8s-1=bird/k8s-1.conf,k8s-2=bird/k8s-2.conf@dc2.cidrplan.json'
