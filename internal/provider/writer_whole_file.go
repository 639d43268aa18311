// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/safefile"
)

var (
	_ resource.Resource                = (*wholeFileResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*wholeFileResource)(nil)
	_ resource.ResourceWithImportState = (*wholeFileResource)(nil)
)

// wholeFileResource writes a file that it owns whole.
type wholeFileResource struct{ writer }

// wholeFile is what the resource keeps besides the options of its consumer.
type wholeFile struct {
	plan    types.String
	path    filePathValue
	content types.String
}

// Metadata names the resource.
func (r *wholeFileResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.consumer.Name
}

// Schema describes the file.
func (r *wholeFileResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.wholeSchema()
}

func getWholeFile(ctx context.Context, from attributes, diags *diag.Diagnostics) wholeFile {
	var f wholeFile
	diags.Append(from.GetAttribute(ctx, path.Root("plan"), &f.plan)...)
	diags.Append(from.GetAttribute(ctx, path.Root("path"), &f.path)...)
	diags.Append(from.GetAttribute(ctx, path.Root("content"), &f.content)...)
	return f
}

// headerMark starts the first line of every file that is owned whole.
const headerMark = "# Written by cidrplan for the site "

// fileText puts the line in front of the documents that names the site and the
// digest of the facts that the file uses.
func fileText(siteName string, documents string) string {
	sum := sha256.Sum256([]byte(documents))
	return fmt.Sprintf("%s%s (facts %s). Changes made here are overwritten.\n%s", headerMark, siteName, hex.EncodeToString(sum[:6]), documents)
}

// ModifyPlan computes the content and finds, before anything is written, what
// would keep it from being written.
func (r *wholeFileResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return // a destroy: on_destroy says what happens
	}
	planned := getWholeFile(ctx, req.Plan, &resp.Diagnostics)
	o, known := r.options(ctx, req.Plan, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || planned.plan.IsUnknown() || !known {
		return
	}
	parsed, result, ok := r.render(planned.plan.ValueString(), o, &resp.Diagnostics)
	if !ok {
		return
	}
	content := fileText(parsed.Site, string(artifact.Join(result.Documents)))
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("content"), content)...)
	creating := req.State.Raw.IsNull()
	if !creating {
		state := getWholeFile(ctx, req.State, &resp.Diagnostics)
		if r.sameFacts(state.plan.ValueString(), o, result) {
			resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("plan"), state.plan)...)
		}
		creating = !samePath(state.path.ValueString(), planned.path.ValueString())
	}
	if planned.path.IsUnknown() {
		return
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("owned_fields"), ownedWhole(planned.path.ValueString()))...)
	r.judge(planned.path.ValueString(), content, creating, &resp.Diagnostics)
}

// ownedFieldsModelV0 is the attribute owned_fields.
type ownedFieldsModelV0 struct {
	Path     types.String `tfsdk:"path"`
	KeyPaths []string     `tfsdk:"key_paths"`
}

func ownedWhole(file string) ownedFieldsModelV0 {
	return ownedFieldsModelV0{Path: types.StringValue(file)}
}

// judge refuses a path that cannot be written, and a file that is not ours.
func (r *wholeFileResource) judge(file, content string, creating bool, diags *diag.Diagnostics) {
	current, exists, err := safefile.Read(file)
	if err == nil {
		err = safefile.Check(file)
	}
	if err != nil {
		diags.AddAttributeError(path.Root("path"), "File Not Writable", sentence(err.Error()))
		return
	}
	if exists && creating && !ours(current, content) {
		diags.AddAttributeError(path.Root("path"), "File Exists",
			fmt.Sprintf("The file %q exists and was not written by this provider, which would replace it as a whole. Choose another path, delete the file, or adopt it with terraform import and review what changes.", file))
	}
}

func ours(current []byte, content string) bool {
	return string(current) == content || strings.HasPrefix(string(current), headerMark)
}

// Create writes the file.
func (r *wholeFileResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	planned := getWholeFile(ctx, req.Plan, &resp.Diagnostics)
	o, _ := r.options(ctx, req.Plan, &resp.Diagnostics)
	content, ok := r.write(ctx, planned, o, nil, &resp.Diagnostics)
	if !ok {
		return
	}
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("content"), content)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("owned_fields"), ownedWhole(planned.path.ValueString()))...)
}

// write replaces the file. seen is what the plan saw in it, or nil for a file
// that was not there or not ours.
func (r *wholeFileResource) write(ctx context.Context, planned wholeFile, o artifact.Options, seen *string, diags *diag.Diagnostics) (string, bool) {
	if diags.HasError() {
		return "", false
	}
	parsed, result, ok := r.render(planned.plan.ValueString(), o, diags)
	if !ok {
		return "", false
	}
	content := fileText(parsed.Site, string(artifact.Join(result.Documents)))
	file := planned.path.ValueString()
	_, err := safefile.Update(ctx, file, safefile.Options{}, func(current []byte, exists bool) ([]byte, error) {
		if exists && !ours(current, content) && (seen == nil || string(current) != *seen) {
			diags.AddAttributeError(path.Root("path"), "File Changed Since the Plan",
				fmt.Sprintf("The file %q has another content now than when the plan was made, so it is not replaced. Run terraform plan again and review.", file))
			return nil, errRefused
		}
		return []byte(content), nil
	})
	if err != nil && !diags.HasError() {
		diags.AddAttributeError(path.Root("path"), "File Not Written", sentence(err.Error()))
	}
	return content, !diags.HasError()
}

// Read takes what stands in the file; one that is gone has no content, which is
// what the next plan mends.
func (r *wholeFileResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := getWholeFile(ctx, req.State, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	content, exists, err := safefile.Read(state.path.ValueString())
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("path"), "Unreadable File", sentence(err.Error()))
		return
	}
	observed := types.StringNull()
	if exists {
		observed = types.StringValue(string(content))
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("content"), observed)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("owned_fields"), ownedWhole(state.path.ValueString()))...)
}

// Update writes the new content.
func (r *wholeFileResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	planned := getWholeFile(ctx, req.Plan, &resp.Diagnostics)
	state := getWholeFile(ctx, req.State, &resp.Diagnostics)
	o, _ := r.options(ctx, req.Plan, &resp.Diagnostics)
	content, ok := r.write(ctx, planned, o, state.content.ValueStringPointer(), &resp.Diagnostics)
	if !ok {
		return
	}
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("content"), content)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("owned_fields"), ownedWhole(planned.path.ValueString()))...)
}

// Delete does what on_destroy says. Only a file that still holds the content of
// the state is deleted.
func (r *wholeFileResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := getWholeFile(ctx, req.State, &resp.Diagnostics)
	var onDestroy types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("on_destroy"), &onDestroy)...)
	if resp.Diagnostics.HasError() || onDestroy.ValueString() != onDestroyDelete || state.content.IsNull() {
		return
	}
	err := safefile.Remove(ctx, state.path.ValueString(), func(current []byte) error {
		if string(current) != state.content.ValueString() {
			return fmt.Errorf("the file %q was changed since it was last read, so it is not deleted; run terraform plan again", state.path.ValueString())
		}
		return nil
	})
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("path"), "File Not Deleted", sentence(err.Error()))
	}
}

// ImportState adopts a file by path, or path@lock file.
func (r *wholeFileResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, ok := parseImportID(req.ID)
	if !ok || id.kind != "" {
		resp.Diagnostics.AddError("Invalid Import Id", fmt.Sprintf("%q is no import id of this resource. Write path, or path@lock file, for example %q.", req.ID, "controlplane.yaml@dc1.cidrplan.json"))
		return
	}
	r.importCommon(ctx, id, onDestroyDelete, resp)
}
