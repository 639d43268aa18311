# path#kind/namespace/name@lock file?option=value
terraform import cidrplan_flux_substitutions.dc2 'flux/site-facts.yaml#ConfigMap/flux-system/site-facts@dc2.cidrplan.json?name=site-facts&prefix=SITE_&networks=pod,service,load_balancer'
