// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
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
}
