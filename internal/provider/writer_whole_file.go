// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	"github.com/hashicorp/terraform-plugin-framework-validators/resourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/safefile"
)

var (
	_ resource.Resource                     = (*wholeFileResource)(nil)
	_ resource.ResourceWithModifyPlan       = (*wholeFileResource)(nil)
	_ resource.ResourceWithImportState      = (*wholeFileResource)(nil)
	_ resource.ResourceWithConfigValidators = (*wholeFileResource)(nil)
)

// wholeFileResource writes a file that it owns whole, or one for each host.
type wholeFileResource struct{ writer }

// Metadata names the resource.
func (r *wholeFileResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.consumer.Name
}

// Schema describes the files.
func (r *wholeFileResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.wholeSchema()
}

// ConfigValidators wants either one file or a map of them.
func (r *wholeFileResource) ConfigValidators(context.Context) []resource.ConfigValidator {
	if !r.consumer.PerHost {
		return nil
	}
	return []resource.ConfigValidator{
		resourcevalidator.ExactlyOneOf(path.MatchRoot("path"), path.MatchRoot("host_paths")),
		resourcevalidator.Conflicting(path.MatchRoot("host"), path.MatchRoot("host_paths")),
	}
}

// ModifyPlan computes the contents and finds, before anything is written, what
// would keep them from being written.
func (r *wholeFileResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return // a destroy: on_destroy says what happens
	}
	planned := r.files(ctx, req.Plan, &resp.Diagnostics)
	o, known := r.options(ctx, req.Plan, &resp.Diagnostics)
	targets, pathsKnown := planned.targets()
	if resp.Diagnostics.HasError() || planned.plan.IsUnknown() || !known || !pathsKnown {
		return
	}
	contents, ok := r.contents(planned.plan.ValueString(), o, targets, &resp.Diagnostics)
	if !ok {
		return
	}
	set := func(name string, value any) diag.Diagnostics {
		return resp.Plan.SetAttribute(ctx, path.Root(name), value)
	}
	planned.setContents(ctx, r, contents, set, &resp.Diagnostics)
	resp.Diagnostics.Append(set("owned_fields", planned.owned())...)
	var state wholeFiles
	if !req.State.Raw.IsNull() {
		state = r.files(ctx, req.State, &resp.Diagnostics)
		if r.sameContents(state.plan, planned.plan, o, targets, contents) {
			resp.Diagnostics.Append(set("plan", state.plan)...)
		}
	}
	r.judge(targets, contents, state, &resp.Diagnostics)
}

// sameContents reports whether a former plan gives the same files.
func (r *wholeFileResource) sameContents(former, now types.String, o artifact.Options, targets []wholeTarget, contents map[string]string) bool {
	if former.Equal(now) {
		return true
	}
	var ignored diag.Diagnostics // a former plan that cannot be read is simply not the same
	before, ok := r.contents(former.ValueString(), o, targets, &ignored)
	return ok && maps.Equal(before, contents)
}

// judge refuses paths that cannot be written, files that are not ours, and one
// file for two hosts.
func (r *wholeFileResource) judge(targets []wholeTarget, contents map[string]string, state wholeFiles, diags *diag.Diagnostics) {
	seen := map[string]string{}
	for _, t := range targets {
		if other, taken := seen[filepath.Clean(t.file)]; taken {
			diags.AddAttributeError(t.at(), "One File for Two Hosts", fmt.Sprintf("The hosts %q and %q have the same file %q. Give each its own.", other, t.host, t.file))
			continue
		}
		seen[filepath.Clean(t.file)] = t.host
		current, exists, err := safefile.Read(t.file)
		if err == nil {
			err = safefile.Check(t.file)
		}
		if err != nil {
			diags.AddAttributeError(t.at(), "File Not Writable", sentence(err.Error()))
			continue
		}
		former, known := state.file(t.host)
		creating := !known || !samePath(former, t.file)
		if exists && creating && !ours(current, contents[t.host]) {
			diags.AddAttributeError(t.at(), "File Exists",
				fmt.Sprintf("The file %q exists and was not written by this provider, which would replace it as a whole. Choose another path, delete the file, or adopt it with terraform import and review what changes.", t.file))
		}
	}
}

// Create writes the files.
func (r *wholeFileResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	planned := r.files(ctx, req.Plan, &resp.Diagnostics)
	o, _ := r.options(ctx, req.Plan, &resp.Diagnostics)
	contents, ok := r.write(ctx, planned, o, wholeFiles{}, &resp.Diagnostics)
	if !ok {
		return
	}
	resp.State.Raw = req.Plan.Raw
	planned.answer(ctx, r, contents, &resp.State, &resp.Diagnostics)
}

// Update writes the new contents, and does what on_destroy says with the files of
// hosts that went.
func (r *wholeFileResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	planned := r.files(ctx, req.Plan, &resp.Diagnostics)
	state := r.files(ctx, req.State, &resp.Diagnostics)
	o, _ := r.options(ctx, req.Plan, &resp.Diagnostics)
	contents, ok := r.write(ctx, planned, o, state, &resp.Diagnostics)
	if !ok {
		return
	}
	var onDestroy types.String
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("on_destroy"), &onDestroy)...)
	r.remove(ctx, departed(state, planned), state.recorded(), onDestroy.ValueString(), &resp.Diagnostics)
	resp.State.Raw = req.Plan.Raw
	planned.answer(ctx, r, contents, &resp.State, &resp.Diagnostics)
}

// departed lists the files of the state that no target writes any more.
func departed(state, planned wholeFiles) []wholeTarget {
	targets, _ := planned.targets()
	stays := map[string]bool{}
	for _, t := range targets {
		stays[filepath.Clean(t.file)] = true
	}
	var out []wholeTarget
	former, _ := state.targets()
	for _, t := range former {
		if !stays[filepath.Clean(t.file)] {
			out = append(out, t)
		}
	}
	return out
}

// write replaces the files. state holds what the plan saw in them.
func (r *wholeFileResource) write(ctx context.Context, planned wholeFiles, o artifact.Options, state wholeFiles, diags *diag.Diagnostics) (map[string]string, bool) {
	if diags.HasError() {
		return nil, false
	}
	targets, known := planned.targets()
	if !known {
		diags.AddError("Path Not Known", "A path of a file is not known while applying. This is a bug of the provider, please report it.")
		return nil, false
	}
	contents, ok := r.contents(planned.plan.ValueString(), o, targets, diags)
	if !ok {
		return nil, false
	}
	seen := state.recorded()
	jobs := make([]safefile.Job, len(targets))
	for i, t := range targets {
		saw, known := seen[t.host]
		jobs[i] = safefile.Job{Path: t.file, Edit: func(current []byte, exists bool) ([]byte, error) {
			if exists && !ours(current, contents[t.host]) && !(known && string(current) == saw) {
				return nil, wholeFileChangedError{t}
			}
			return []byte(contents[t.host]), nil
		}}
	}
	_, err := safefile.UpdateAll(ctx, jobs)
	reportWriteErrors(diags, err)
	return contents, err == nil
}

// wholeFileChangedError means that a file is no longer what the plan saw.
type wholeFileChangedError struct{ target wholeTarget }

func (e wholeFileChangedError) Error() string {
	return fmt.Sprintf("the file %q has another content now than when the plan was made, so it is not replaced", e.target.file)
}

// reportWriteErrors reports each file that was not written, on its attribute.
func reportWriteErrors(diags *diag.Diagnostics, err error) {
	var changed wholeFileChangedError
	var many interface{ Unwrap() []error }
	switch {
	case err == nil:
	case errors.As(err, &many):
		for _, one := range many.Unwrap() {
			reportWriteErrors(diags, one)
		}
	case errors.As(err, &changed):
		diags.AddAttributeError(changed.target.at(), "File Changed Since the Plan", sentence(changed.Error())+" Run terraform plan again and review.")
	default:
		diags.AddError("File Not Written", sentence(err.Error()))
	}
}

// Read takes what stands in the files; one that is gone has no content, which is
// what the next plan mends.
func (r *wholeFileResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := r.files(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	observed := map[string]string{}
	targets, _ := state.targets()
	for _, t := range targets {
		content, exists, err := safefile.Read(t.file)
		if err != nil {
			resp.Diagnostics.AddAttributeError(t.at(), "Unreadable File", sentence(err.Error()))
			continue
		}
		if exists {
			observed[t.host] = string(content)
		}
	}
	if !resp.Diagnostics.HasError() {
		state.answer(ctx, r, observed, &resp.State, &resp.Diagnostics)
	}
}

// Delete does what on_destroy says.
func (r *wholeFileResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := r.files(ctx, req.State, &resp.Diagnostics)
	var onDestroy types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("on_destroy"), &onDestroy)...)
	if resp.Diagnostics.HasError() {
		return
	}
	targets, _ := state.targets()
	r.remove(ctx, targets, state.recorded(), onDestroy.ValueString(), &resp.Diagnostics)
}

// remove deletes files if on_destroy says so, each only while it holds what the
// state holds.
func (r *wholeFileResource) remove(ctx context.Context, targets []wholeTarget, recorded map[string]string, onDestroy string, diags *diag.Diagnostics) {
	if onDestroy != onDestroyDelete {
		return
	}
	for _, t := range targets {
		content, known := recorded[t.host]
		if !known {
			continue // it was gone when it was last read
		}
		err := safefile.Remove(ctx, t.file, func(current []byte) error {
			if string(current) != content {
				return fmt.Errorf("the file %q was changed since it was last read, so it is not deleted; run terraform plan again", t.file)
			}
			return nil
		})
		if err != nil {
			diags.AddAttributeError(t.at(), "File Not Deleted", sentence(err.Error()))
		}
	}
}

// ImportState adopts a file by path, or files by host=path,host=path, either with
// @lock file.
func (r *wholeFileResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, ok := parseImportID(req.ID)
	if !ok || id.kind != "" {
		resp.Diagnostics.AddError("Invalid Import Id", fmt.Sprintf("%q is no import id of this resource. Write path, or path@lock file, for example %q.", req.ID, "controlplane.yaml@dc1.cidrplan.json"))
		return
	}
	if hosts := hostPaths(id.path); r.consumer.PerHost && hosts != nil {
		r.importHosts(ctx, id, hosts, onDestroyDelete, resp)
		return
	}
	r.importCommon(ctx, id, onDestroyDelete, resp)
}
