# path@lock file?option=value
terraform import cidrplan_ansible_vars.cozystack 'group_vars/all.yml@dc3.cidrplan.json?role=cozystack'
