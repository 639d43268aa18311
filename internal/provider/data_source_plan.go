// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
)

var (
	_ datasource.DataSource                   = (*planDataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*planDataSource)(nil)
)

// planDataSource reads a plan that was published elsewhere.
type planDataSource struct{}

// planModelV0 is the data source cidrplan_plan.
type planModelV0 struct {
	Path         types.String `tfsdk:"path"`
	Text         types.String `tfsdk:"text"`
	ExpectDigest types.String `tfsdk:"expect_digest"`
	ExpectSite   types.String `tfsdk:"expect_site"`

	Plan          types.String `tfsdk:"plan"`
	Digest        types.String `tfsdk:"digest"`
	Site          types.String `tfsdk:"site"`
	Datapath      types.String `tfsdk:"datapath"`
	Distribution  types.String `tfsdk:"distribution"`
	Summary       types.String `tfsdk:"summary"`
	Networks      types.Map    `tfsdk:"networks"`
	HostAddresses types.Map    `tfsdk:"host_addresses"`
}

// NewPlanDataSource returns the data source cidrplan_plan.
func NewPlanDataSource() datasource.DataSource { return &planDataSource{} }

// Metadata names the data source.
func (d *planDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_plan"
}

// Schema describes where a plan comes from and what it says.
func (d *planDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads a plan that was published elsewhere, so that a second repository uses the same one: from a file, or from text that came from remote state, HTTP or a secret store. Version and digest are verified.",
		Attributes: map[string]schema.Attribute{
			"path": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Path of the plan document, such as the lock file of another checkout. Exactly one of `path` and `text`."},
			"text": schema.StringAttribute{Optional: true,
				MarkdownDescription: "The plan document as text. Exactly one of `path` and `text`."},
			"expect_digest": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Digest that the plan must have, to pin one. Default: any."},
			"expect_site": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Name of the site that the plan must be of. Default: any."},
			"plan":           schema.StringAttribute{Computed: true, MarkdownDescription: "The plan document, in its one byte form. Feed it to the writers."},
			"digest":         schema.StringAttribute{Computed: true, MarkdownDescription: "Digest of the plan document."},
			"site":           schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the site."},
			"datapath":       schema.StringAttribute{Computed: true, MarkdownDescription: "Datapath of the site."},
			"distribution":   schema.StringAttribute{Computed: true, MarkdownDescription: "Distribution of the site; null if none is named."},
			"summary":        schema.StringAttribute{Computed: true, MarkdownDescription: "The plan as a table to read."},
			"networks":       networksAttribute(),
			"host_addresses": hostAddressesAttribute(),
		},
	}
}

// ValidateConfig wants exactly one source.
func (d *planDataSource) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var model planModelV0
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if model.Path.IsNull() && model.Text.IsNull() {
		resp.Diagnostics.AddError("Missing Plan Source", "Neither path nor text is set, so that there is no plan to read. Set one of them, for example path = \"dc1.cidrplan.json\".")
	}
	if !model.Path.IsNull() && !model.Text.IsNull() {
		resp.Diagnostics.AddAttributeError(rootPath("text"), "Two Plan Sources", "path and text are both set, so that it is not clear which plan counts. Leave one of them out.")
	}
}

// Read parses and verifies the document.
func (d *planDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model planModelV0
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	attribute, text := "text", []byte(model.Text.ValueString())
	if file := model.Path.ValueString(); !model.Path.IsNull() {
		attribute = "path"
		content, err := os.ReadFile(file)
		if err != nil {
			resp.Diagnostics.Append(unreadablePlan(file, err))
			return
		}
		text = content
	}
	p, err := plan.Parse(text)
	if err != nil {
		addPlanError(&resp.Diagnostics, attribute, model.Path.ValueString(), err)
		return
	}
	model.expect(p, &resp.Diagnostics)
	model.answer(ctx, p, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

func unreadablePlan(file string, err error) diag.Diagnostic {
	detail := fmt.Sprintf("The plan document %q cannot be read. Relative paths start in the folder that Terraform runs in.\n\nError: %s", file, err)
	if errors.Is(err, os.ErrNotExist) {
		detail = fmt.Sprintf("There is no file %q. Relative paths start in the folder that Terraform runs in. The document is written by cidrplan_plan_file in the repository that declares the site: apply there first, and check the path.", file)
	}
	return diag.NewAttributeErrorDiagnostic(rootPath("path"), "Unreadable Plan Document", detail)
}

// expect holds the plan against what the user pinned.
func (m *planModelV0) expect(p *plan.Plan, diags *diag.Diagnostics) {
	if want := m.ExpectDigest.ValueString(); want != "" && want != p.Digest {
		diags.AddAttributeError(rootPath("expect_digest"), "Unexpected Plan",
			fmt.Sprintf("The plan has the digest %s, but %s is expected: the site was planned anew since. Review the change and pin the new digest.", p.Digest, want))
	}
	if want := m.ExpectSite.ValueString(); want != "" && want != p.Site {
		diags.AddAttributeError(rootPath("expect_site"), "Plan of Another Site",
			fmt.Sprintf("The plan is of the site %q, but one of %q is expected. Check where the document comes from.", p.Site, want))
	}
}

func (m *planModelV0) answer(ctx context.Context, p *plan.Plan, diags *diag.Diagnostics) {
	m.Plan = types.StringValue(p.Text())
	m.Digest = types.StringValue(p.Digest)
	m.Site = types.StringValue(p.Site)
	m.Datapath = types.StringValue(string(p.Datapath))
	m.Distribution = optionalString(string(p.Distribution))
	m.Summary = types.StringValue(p.Summary())
	m.Networks = networkValues(ctx, p, diags)
	m.HostAddresses = hostAddressValues(ctx, p, diags)
}
