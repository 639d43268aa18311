# path#kind/name@lock file?option=value
terraform import cidrplan_cozystack_values.networking 'cozystack-networking.yaml#Package/cozystack.networking@dc1.cidrplan.json?package=networking'
