// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
)

var _ datasource.DataSource = (*writerDataSource)(nil)

// writerDataSource returns what a consumer merges, and writes nothing.
type writerDataSource struct{ writer }

// Metadata names the data source.
func (d *writerDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + d.consumer.Name
}

// Schema describes plan, options and content.
func (d *writerDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.dataSourceSchema()
}

// Read renders the plan.
func (d *writerDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var text types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("plan"), &text)...)
	o, _ := d.options(ctx, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	_, result, ok := d.render(text.ValueString(), o, &resp.Diagnostics)
	if !ok {
		return
	}
	resp.State.Raw = req.Config.Raw
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("content"), string(result.FragmentText()))...)
	if d.consumer.PerHost {
		d.readHosts(ctx, text.ValueString(), o, req, resp)
	}
}

// readHosts renders what is each host's own.
func (d *writerDataSource) readHosts(ctx context.Context, text string, o artifact.Options, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var hosts []string
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("hosts"), &hosts)...)
	contents := map[string]string{}
	for i, host := range hosts {
		var diags diag.Diagnostics
		_, result, ok := d.render(text, o.With(artifact.HostOption, host), &diags)
		for _, problem := range diags {
			resp.Diagnostics.AddAttributeError(path.Root("hosts").AtListIndex(i), problem.Summary(), problem.Detail())
		}
		if ok {
			contents[host] = string(result.FragmentText())
		}
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("host_contents"), contents)...)
}
