# path@lock file?option=value
terraform import cidrplan_talos_patch.worker 'patches/worker.yaml@dc1.cidrplan.json?machine_type=worker'
