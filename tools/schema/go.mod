module github.com/cidrplan/terraform-provider-cidrplan/tools/schema

go 1.26.0

require (
	github.com/cidrplan/terraform-provider-cidrplan v0.0.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
)

require (
	go4.org/netipx v0.0.0-20260823151212-3075585bcbeb // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace github.com/cidrplan/terraform-provider-cidrplan => ../..
