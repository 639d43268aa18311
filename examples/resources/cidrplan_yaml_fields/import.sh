# path#kind/name@lock file; the first apply then sets values
terraform import cidrplan_yaml_fields.app 'app.yaml#ConfigMap/app@edge.cidrplan.json'
