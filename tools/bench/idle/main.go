// SPDX-License-Identifier: MPL-2.0

// Command idle is a Terraform provider that does nothing: one data source that
// answers at once. What a plan costs with it is what Terraform itself and the
// start of any provider cost, the floor that the benchmarks compare with.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

type idleProvider struct{}

func (idleProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "idle"
}

func (idleProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (idleProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (idleProvider) Resources(context.Context) []func() resource.Resource { return nil }

func (idleProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return idleDataSource{} }}
}

type idleDataSource struct{}

func (idleDataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "idle_nothing"
}

func (idleDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{"answer": schema.StringAttribute{Computed: true}}}
}

func (idleDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.Diagnostics.Append(resp.State.Set(ctx, &struct {
		Answer string `tfsdk:"answer"`
	}{"nothing"})...)
}

func main() {
	err := providerserver.Serve(context.Background(), func() provider.Provider { return idleProvider{} },
		providerserver.ServeOpts{Address: "registry.terraform.io/cidrplan/idle"})
	if err != nil {
		log.Fatal(err)
	}
}
