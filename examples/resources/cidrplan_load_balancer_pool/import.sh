# path@lock file?option=value
terraform import cidrplan_load_balancer_pool.dc2 'pool.yaml@dc2.cidrplan.json?name=bgp-pool'
