# path@lock file?option=value
terraform import cidrplan_node_move_policy.dc2 'flux/node-move.yaml@dc2.cidrplan.json?former_cidrs=10.2.40.0/24'
