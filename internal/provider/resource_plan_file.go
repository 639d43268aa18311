// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/safefile"
)

var (
	_ resource.Resource                = (*planFileResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*planFileResource)(nil)
	_ resource.ResourceWithImportState = (*planFileResource)(nil)
)

// planFileResource keeps a plan in a file: the lock of its site, and what other
// repositories read.
type planFileResource struct{}

// planFileModelV0 is the resource cidrplan_plan_file.
type planFileModelV0 struct {
	Plan      types.String  `tfsdk:"plan"`
	Path      filePathValue `tfsdk:"path"`
	OnDestroy types.String  `tfsdk:"on_destroy"`
	Digest    types.String  `tfsdk:"digest"`
}

// What happens to a file, or to owned fields, when their resource is destroyed.
const (
	onDestroyKeep    = "keep"
	onDestroyRestore = "restore"
	onDestroyDelete  = "delete"
)

// NewPlanFileResource returns the resource cidrplan_plan_file.
func NewPlanFileResource() resource.Resource { return &planFileResource{} }

// Metadata names the resource.
func (r *planFileResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_plan_file"
}

// Schema describes the file and the plan in it.
func (r *planFileResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Keeps the plan of a site in a file: the lock file, which the next run of `data.cidrplan_site` keeps to, and the document that other repositories read. Commit it. " +
			"A plan that was not computed from the file is refused, so that a stale saved plan overwrites nothing. When the file is lost, the last plan stays in the state, and a plan that would move a network is refused.",
		Attributes: map[string]schema.Attribute{
			"plan": schema.StringAttribute{Required: true,
				MarkdownDescription: "The plan document, `plan` of `data.cidrplan_site`. Let the other writers take `plan` from this resource: a refused lock then stops them too."},
			"path": schema.StringAttribute{Required: true, CustomType: filePathType{}, PlanModifiers: []planmodifier.String{keepSpelling{}},
				MarkdownDescription: "Path of the file, for example `dc1.cidrplan.json`, the same as `lock_file` of the site. It is kept as written; relative paths start in the folder that Terraform runs in. Missing folders are created. A new path replaces the resource."},
			"on_destroy": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString(onDestroyKeep),
				Validators:          []validator.String{stringvalidator.OneOf(onDestroyKeep, onDestroyDelete)},
				MarkdownDescription: "What happens to the file when the resource is destroyed: `keep` (default), since the cluster keeps its addresses, or `delete`."},
			"digest": schema.StringAttribute{Computed: true,
				MarkdownDescription: "Digest of the plan document, known at plan time."},
		},
	}
}

// ModifyPlan refuses, before anything is written, a plan that does not follow
// from the file, and computes what the plan promises.
func (r *planFileResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return // a destroy: on_destroy says what happens
	}
	var planned planFileModelV0
	resp.Diagnostics.Append(req.Plan.Get(ctx, &planned)...)
	if resp.Diagnostics.HasError() || planned.Plan.IsUnknown() {
		return
	}
	next, ok := parsePlanAttribute(&resp.Diagnostics, planned.Plan.ValueString())
	if !ok {
		return
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("digest"), next.Digest)...)
	if planned.Path.IsUnknown() {
		return
	}
	former := r.former(ctx, req, &resp.Diagnostics)
	current, exists, err := safefile.Read(planned.Path.ValueString())
	if err == nil {
		err = safefile.Check(planned.Path.ValueString())
	}
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("path"), "Lock File Not Writable", sentence(err.Error()))
		return
	}
	resp.Diagnostics.Append(judgePlanFile(planned.Path.ValueString(), current, exists, former, next)...)
}

// former returns the plan in the state, which outlives a lost file.
func (r *planFileResource) former(ctx context.Context, req resource.ModifyPlanRequest, diags *diag.Diagnostics) *plan.Plan {
	if req.State.Raw.IsNull() {
		return nil
	}
	var state planFileModelV0
	diags.Append(req.State.Get(ctx, &state)...)
	former, err := plan.Parse([]byte(state.Plan.ValueString()))
	if err != nil {
		return nil // the file was edited by hand; judgePlanFile says so
	}
	return former
}

func parsePlanAttribute(diags *diag.Diagnostics, text string) (*plan.Plan, bool) {
	parsed, err := plan.Parse([]byte(text))
	if err != nil {
		addPlanError(diags, "plan", "", err)
		return nil, false
	}
	if parsed.Text() != text {
		diags.AddAttributeError(path.Root("plan"), "Reformatted Plan Document",
			"The plan is valid, but it is not in its one byte form: something has re-encoded it on the way, such as jsonencode(jsondecode(…)). Pass the attribute plan on unchanged.")
		return nil, false
	}
	return parsed, true
}

// judgePlanFile says whether a plan may replace what stands in a file. former is
// the last plan in the state, or nil.
func judgePlanFile(file string, current []byte, exists bool, former, next *plan.Plan) diag.Diagnostics {
	var diags diag.Diagnostics
	if !exists {
		refuseMoves(&diags, file, former, next)
		return diags
	}
	recorded, err := plan.Parse(current)
	switch {
	case err != nil:
		addPlanError(&diags, "path", file, err)
	case recorded.Site != next.Site:
		diags.AddAttributeError(path.Root("path"), "Lock File of Another Site",
			fmt.Sprintf("The file %q records the site %q, but the plan is of %q. Each site has a lock file of its own: use another path.", file, recorded.Site, next.Site))
	case recorded.Digest != next.Digest && recorded.Digest != next.Parent:
		diags.AddAttributeError(path.Root("plan"), "Stale Plan",
			fmt.Sprintf("The plan was not computed from what stands in %q, so writing it could undo what somebody else decided since. Run terraform plan again; if that does not help, set lock_file = %q on the data source cidrplan_site.\n\nDigest of the file: %s\nParent of the plan: %s\nDigest of the plan: %s",
				file, file, recorded.Digest, orNothing(next.Parent), next.Digest))
	}
	return diags
}

func orNothing(digest string) string {
	if digest == "" {
		return "none (a first plan)"
	}
	return digest
}

// refuseMoves stops a plan that was made without the lock, because the file is
// gone, and would move a network. With nothing moved the file is written again.
func refuseMoves(diags *diag.Diagnostics, file string, former, next *plan.Plan) {
	if former == nil {
		return
	}
	for _, move := range plan.Moved(former, next) {
		diags.AddAttributeError(path.Root("plan"), "Lost Lock File",
			fmt.Sprintf("The file %q is gone, and without it the network %q would move from %s to %s. Put the file back, for example with git checkout -- %s. The state holds its last content as well: terraform state show prints it as plan of this resource.",
				file, move.Network, rangeList(move.From), rangeList(move.To), file))
	}
}

func rangeList(ranges []plan.Range) string {
	return strings.Join(rangeStrings(ranges), ", ")
}

// Create writes the file.
func (r *planFileResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var planned planFileModelV0
	resp.Diagnostics.Append(req.Plan.Get(ctx, &planned)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(planned.write(ctx, nil)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &planned)...)
}

// write replaces the file, after judging once more what stands in it now: it may
// have changed since the plan was made.
func (m *planFileModelV0) write(ctx context.Context, former *plan.Plan) diag.Diagnostics {
	var diags diag.Diagnostics
	next, ok := parsePlanAttribute(&diags, m.Plan.ValueString())
	if !ok {
		return diags
	}
	m.Digest = types.StringValue(next.Digest)
	file := m.Path.ValueString()
	_, err := safefile.Update(ctx, file, safefile.Options{}, func(current []byte, exists bool) ([]byte, error) {
		if judged := judgePlanFile(file, current, exists, former, next); judged.HasError() {
			diags.Append(judged...)
			return nil, errRefused
		}
		return []byte(next.Text()), nil
	})
	if err != nil && !diags.HasError() {
		diags.AddAttributeError(path.Root("path"), "Lock File Not Written", sentence(err.Error()))
	}
	return diags
}

// Read takes what stands in the file. A file that is gone does not drop out of
// the state: the last plan is what shows that a network would move.
func (r *planFileResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state planFileModelV0
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	content, exists, err := safefile.Read(state.Path.ValueString())
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("path"), "Unreadable Lock File", sentence(err.Error()))
		return
	}
	state.Digest = types.StringNull() // a file that is gone or damaged has none, which is what the next plan mends
	if exists {
		state.Plan = types.StringValue(string(content))
		if p, err := plan.Parse(content); err == nil {
			state.Digest = types.StringValue(p.Digest)
		}
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Update writes the new plan.
func (r *planFileResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var planned, state planFileModelV0
	resp.Diagnostics.Append(req.Plan.Get(ctx, &planned)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	former, err := plan.Parse([]byte(state.Plan.ValueString()))
	if err != nil {
		former = nil
	}
	resp.Diagnostics.Append(planned.write(ctx, former)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &planned)...)
}

// Delete does what on_destroy says. Only a file that still holds the plan of the
// state is deleted.
func (r *planFileResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state planFileModelV0
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || state.OnDestroy.ValueString() != onDestroyDelete {
		return
	}
	err := safefile.Remove(ctx, state.Path.ValueString(), func(current []byte) error {
		if string(current) != state.Plan.ValueString() {
			return fmt.Errorf("the file %q was changed since it was last read, so it is not deleted; run terraform plan again", state.Path.ValueString())
		}
		return nil
	})
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("path"), "Lock File Not Deleted", sentence(err.Error()))
	}
}

// ImportState adopts an existing file by its path.
func (r *planFileResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	content, exists, err := safefile.Read(req.ID)
	switch {
	case err != nil:
		resp.Diagnostics.AddError("Unreadable Lock File", sentence(err.Error()))
		return
	case !exists:
		resp.Diagnostics.AddError("No Lock File to Import", fmt.Sprintf("There is no file %q. The import id is the path of the lock file, as it stands in path.", req.ID))
		return
	}
	parsed, err := plan.Parse(content)
	if err != nil {
		addPlanError(&resp.Diagnostics, "path", req.ID, err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &planFileModelV0{
		Plan: types.StringValue(string(content)), Path: newFilePath(req.ID),
		OnDestroy: types.StringValue(onDestroyKeep), Digest: types.StringValue(parsed.Digest),
	})...)
}
