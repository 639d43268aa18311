// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// testProviders serves the provider of this tree to the binary that the tests
// start. Test configurations leave out required_providers, so that they hold
// for Terraform and OpenTofu alike.
var testProviders = map[string]func() (tfprotov6.ProviderServer, error){
	"cidrplan": providerserver.NewProtocol6WithError(New("test")()),
}

// TestProvider_schemas asks for every schema at once, as the binary does when it
// starts: a name that is there twice, a reserved attribute name or a default on
// a required attribute shows here.
func TestProvider_schemas(t *testing.T) {
	server, err := testProviders["cidrplan"]()
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range schemas.Diagnostics {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	if schemas.Provider == nil {
		t.Error("no schema for the provider block")
	}
}
