// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/safefile"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

var (
	_ resource.Resource                = (*ownedFieldsResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*ownedFieldsResource)(nil)
	_ resource.ResourceWithImportState = (*ownedFieldsResource)(nil)
)

// ownedFieldsResource keeps fields of somebody's file.
type ownedFieldsResource struct{ writer }

// Metadata names the resource.
func (r *ownedFieldsResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.consumer.Name
}

// Schema describes the file and the fields.
func (r *ownedFieldsResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.fieldsSchema()
}

// ModifyPlan computes the fields that will stand in the file, and finds, before
// anything is written, what would keep them from being written.
func (r *ownedFieldsResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return // a destroy: on_destroy says what happens
	}
	planned := r.ownedFields(ctx, req.Plan, &resp.Diagnostics)
	o, known := r.options(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || !known || !planned.known() {
		return
	}
	parsed, result, ok := r.render(planned.plan.ValueString(), o, &resp.Diagnostics)
	if !ok {
		return
	}
	desired, err := result.Desired()
	if err != nil {
		resp.Diagnostics.AddError("Value Cannot Be Written", "This is a bug of the provider, please report it: "+sentence(err.Error()))
		return
	}
	p := fieldsPlan{writer: r.writer, planned: planned, result: result, desired: desired, existing: parsed.Existing}
	if !req.State.Raw.IsNull() {
		state := r.ownedFields(ctx, req.State, &resp.Diagnostics)
		if samePath(state.path.ValueString(), planned.path.ValueString()) && state.document == planned.document {
			p.state = &state
		}
		if r.sameFacts(state.plan.ValueString(), o, result) {
			resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("plan"), state.plan)...)
		}
	}
	p.decide(ctx, resp)
}

// fieldsPlan is what a plan of owned fields is decided from.
type fieldsPlan struct {
	writer
	planned  ownedFields
	state    *ownedFields // nil while creating
	result   artifact.Result
	desired  map[string]string
	existing bool
}

func (p fieldsPlan) decide(ctx context.Context, resp *resource.ModifyPlanResponse) {
	file := p.planned.path.ValueString()
	set := func(name string, value any) {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root(name), value)...)
	}
	set("fields", p.desired)
	set("owned_fields", ownedFieldsOf(file, p.result))
	src, exists, err := safefile.Read(file)
	if err == nil {
		err = safefile.Check(file)
	}
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("path"), "File Not Writable", sentence(err.Error()))
		return
	}
	target := p.planned.target(p.result)
	if !exists && !target.Create {
		// Another resource of this apply may still create the file. What it will
		// hold is not known then.
		if p.state != nil {
			set("replaced_fields", p.replaced(nil))
			return
		}
		set("replaced_fields", types.MapUnknown(types.StringType))
		return
	}
	if _, err := p.result.Apply(src, target); err != nil {
		addEditError(&resp.Diagnostics, file, err)
		return
	}
	observed, err := p.result.Observe(src, target)
	if err != nil {
		addEditError(&resp.Diagnostics, file, err)
		return
	}
	set("replaced_fields", p.replaced(observed))
	p.guard(observed, &resp.Diagnostics)
	p.inspect(src, target, &resp.Diagnostics)
}

// inspect reports what else in the document keeps its consumer from reading it.
func (p fieldsPlan) inspect(src []byte, target artifact.Target, diags *diag.Diagnostics) {
	if p.consumer.Inspect == nil {
		return
	}
	documents, err := artifact.ReadDocuments(src)
	if err != nil {
		return // an edit has just succeeded, so that only the reader is too strict
	}
	for _, d := range documents {
		if target.Document.Matches(yamledit.DocumentInfo{Index: d.Index, APIVersion: d.APIVersion, Kind: d.Kind, Name: d.Name, Namespace: d.Namespace}) {
			reportProblems(diags, p.consumer.Inspect(d))
		}
	}
}

// replaced returns what stood in the fields before they were owned: what is
// known from before, and what stands now in those that are newly owned.
func (p fieldsPlan) replaced(observed map[string]string) map[string]string {
	if p.state == nil {
		return observed
	}
	out := maps.Clone(p.state.replaced)
	if out == nil {
		out = map[string]string{}
	}
	for key, value := range observed {
		if !p.state.owned[key] {
			out[key] = value
		}
	}
	return out
}

// Create sets the fields.
func (r *ownedFieldsResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	planned := r.ownedFields(ctx, req.Plan, &resp.Diagnostics)
	o, _ := r.options(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	var seen map[string]string
	if !planned.replacedUnknown {
		seen = planned.replaced
	}
	w := fieldsWrite{writer: r.writer, planned: planned, options: o, seen: seen}
	if !w.run(ctx, &resp.Diagnostics) {
		return
	}
	resp.State.Raw = req.Plan.Raw
	w.answer(ctx, &resp.State, &resp.Diagnostics)
}

// Update sets the fields anew.
func (r *ownedFieldsResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	planned := r.ownedFields(ctx, req.Plan, &resp.Diagnostics)
	state := r.ownedFields(ctx, req.State, &resp.Diagnostics)
	o, _ := r.options(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	w := fieldsWrite{writer: r.writer, planned: planned, options: o, seen: state.fields, update: true}
	if state.document != planned.document {
		w.seen, w.update = planned.replaced, false // as if created in the other document
	}
	if !w.run(ctx, &resp.Diagnostics) {
		return
	}
	resp.State.Raw = req.Plan.Raw
	w.answer(ctx, &resp.State, &resp.Diagnostics)
}

// Read observes the fields. A file or document that is gone holds none of them,
// which is what the next plan mends.
func (r *ownedFieldsResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := r.ownedFields(ctx, req.State, &resp.Diagnostics)
	o, _ := r.options(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	parsed, err := plan.Parse([]byte(state.plan.ValueString()))
	if err != nil {
		return // imported without a lock: which fields are owned is not known yet
	}
	result, problems := r.consumer.Render(parsed, o)
	if len(problems) > 0 {
		return // the next plan reports them on the configuration
	}
	file := state.path.ValueString()
	src, _, err := safefile.Read(file)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("path"), "Unreadable File", sentence(err.Error()))
		return
	}
	observed, err := result.Observe(src, state.target(result))
	if err != nil {
		addEditError(&resp.Diagnostics, file, err)
		return
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("fields"), observed)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("owned_fields"), ownedFieldsOf(file, result))...)
	if state.replaced == nil {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("replaced_fields"), observed)...)
	}
}

// Delete does what on_destroy says.
func (r *ownedFieldsResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := r.ownedFields(ctx, req.State, &resp.Diagnostics)
	o, _ := r.options(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || state.onDestroy.ValueString() == onDestroyKeep {
		return
	}
	_, result, ok := r.render(state.plan.ValueString(), o, &resp.Diagnostics)
	if !ok {
		return
	}
	restored := result
	restored.Fields = nil
	for _, f := range result.Fields {
		value, err := formerValue(state, f.Path)
		if err != nil {
			resp.Diagnostics.AddError("Former Value Unreadable", "This is a bug of the provider, please report it: "+sentence(err.Error()))
			return
		}
		restored.Fields = append(restored.Fields, yamledit.Field{Path: f.Path, Value: value})
	}
	if err := restore(ctx, state, result, restored); err != nil {
		addEditError(&resp.Diagnostics, state.path.ValueString(), err)
	}
}

// ImportState adopts the fields of a file by path, path#kind/namespace/name or
// path#kind/name, each with @lock file.
func (r *ownedFieldsResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, ok := parseImportID(req.ID)
	if !ok {
		resp.Diagnostics.AddError("Invalid Import Id", fmt.Sprintf("%q is no import id of this resource. Write path, path#kind/name or path#kind/namespace/name, each with @lock file, for example %q.", req.ID, "values.yaml@dc1.cidrplan.json"))
		return
	}
	r.importCommon(ctx, id, onDestroyKeep, resp)
	set := func(name string, value any) {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
	set("create_document", false)
	if r.consumer.Guards {
		set("allow_ipam_change", false)
	}
	if id.kind != "" && !r.isDefaultDocument(id) {
		set("document", &documentModelV0{Kind: types.StringValue(id.kind), Name: types.StringValue(id.name), Namespace: optionalString(id.namespace)})
	}
}

// isDefaultDocument reports whether an import id names the document that the
// consumer reads anyway, so that the configuration need not.
func (r *ownedFieldsResource) isDefaultDocument(id importID) bool {
	return slices.ContainsFunc(r.consumer.Documents, func(s yamledit.Selector) bool { return s.Kind == id.kind && s.Name == id.name })
}
