// SPDX-License-Identifier: MPL-2.0

// Package nothing is a Terraform provider that does nothing: one data source that
// answers at once.
package nothing

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

type nothing struct{}

func (nothing) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "idle"
}

func (nothing) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (nothing) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (nothing) Resources(context.Context) []func() resource.Resource { return nil }

func (nothing) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{func() datasource.DataSource { return dataSource{} }}
}

type dataSource struct{}

func (dataSource) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "idle_nothing"
}

func (dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{"answer": schema.StringAttribute{Computed: true}}}
}

func (dataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.Diagnostics.Append(resp.State.Set(ctx, &struct {
		Answer string `tfsdk:"answer"`
	}{"nothing"})...)
}

// Serve serves the provider until Terraform lets go of it.
func Serve() {
	err := providerserver.Serve(context.Background(), func() provider.Provider { return nothing{} },
		providerserver.ServeOpts{Address: "registry.terraform.io/cidrplan/idle"})
	if err != nil {
		log.Fatal(err)
	}
}
