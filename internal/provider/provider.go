// SPDX-License-Identifier: MPL-2.0

// Package provider is the Terraform face of cidrplan: it translates
// configuration into the engine's types and the engine's findings into
// diagnostics. It decides nothing about addresses itself.
//
// Each data source, resource and function has a file named after it; the
// three lists of what the provider serves are in data_sources.go,
// resources.go and functions.go.
package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

var (
	_ provider.Provider              = (*cidrplanProvider)(nil)
	_ provider.ProviderWithFunctions = (*cidrplanProvider)(nil)
)

// cidrplanProvider serves the data sources, resources and functions of
// cidrplan. It holds no connection and no cache: Terraform starts a new
// process for every phase, so nothing kept in memory would reach the next one.
type cidrplanProvider struct {
	version string
}

// New returns the constructor that the plugin server calls for each
// connection. The version is what the release build was tagged with, or "dev".
func New(version string) func() provider.Provider {
	return func() provider.Provider {
		return &cidrplanProvider{version: version}
	}
}

// Metadata names the provider type, the prefix of every data source and
// resource.
func (p *cidrplanProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "cidrplan"
	resp.Version = p.version
}

// Schema describes the provider block: how to reach a cluster, for what is live.
func (p *cidrplanProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = connectionSchema()
}

// Configure keeps how to reach a cluster. It contacts nobody: a plan of files works
// in an empty CI container, whatever the environment says of clusters.
func (p *cidrplanProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	live := connectionOf(ctx, req.Config, p.version, &resp.Diagnostics)
	resp.DataSourceData, resp.ResourceData = live, live
}

// DataSources lists the data sources of the provider.
func (p *cidrplanProvider) DataSources(context.Context) []func() datasource.DataSource {
	return dataSources()
}

// Resources lists the resources of the provider.
func (p *cidrplanProvider) Resources(context.Context) []func() resource.Resource {
	return resources()
}

// Functions lists the functions of the provider.
func (p *cidrplanProvider) Functions(context.Context) []func() function.Function {
	return functions()
}
