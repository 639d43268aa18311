# path#kind/namespace/name@lock file
terraform import cidrplan_cilium_values.edge 'cilium.yaml#HelmRelease/kube-system/cilium@edge.cidrplan.json'
