module github.com/cidrplan/terraform-provider-cidrplan/tools/judges/bird

go 1.26.0

require github.com/cidrplan/terraform-provider-cidrplan v0.0.0

require (
	go.yaml.in/yaml/v3 v3.0.6 // indirect
	go4.org/netipx v0.0.0-20260823151212-3075585bcbeb // indirect
)

replace github.com/cidrplan/terraform-provider-cidrplan => ../../..
