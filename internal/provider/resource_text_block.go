// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/resourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/safefile"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/textblock"
)

var (
	_ resource.Resource                     = (*textBlockResource)(nil)
	_ resource.ResourceWithModifyPlan       = (*textBlockResource)(nil)
	_ resource.ResourceWithImportState      = (*textBlockResource)(nil)
	_ resource.ResourceWithConfigValidators = (*textBlockResource)(nil)
)

// textBlockResource keeps a marked block in any text file.
type textBlockResource struct{}

// textBlockModelV0 is the block and where it stands.
type textBlockModelV0 struct {
	Plan         types.String  `tfsdk:"plan"`
	Path         filePathValue `tfsdk:"path"`
	Name         types.String  `tfsdk:"name"`
	Content      types.String  `tfsdk:"content"`
	Comment      types.String  `tfsdk:"comment"`
	CommentEnd   types.String  `tfsdk:"comment_end"`
	InsertAfter  types.String  `tfsdk:"insert_after"`
	InsertBefore types.String  `tfsdk:"insert_before"`
	CreateFile   types.Bool    `tfsdk:"create_file"`
	OnDestroy    types.String  `tfsdk:"on_destroy"`
	OwnedFields  types.Object  `tfsdk:"owned_fields"`
}

func (m textBlockModelV0) block() textblock.Block {
	return textblock.Block{
		Name: m.Name.ValueString(), Comment: m.Comment.ValueString(), CommentEnd: m.CommentEnd.ValueString(),
		After: m.InsertAfter.ValueString(), Before: m.InsertBefore.ValueString(),
	}
}

// owned is the attribute owned_fields.
func (m textBlockModelV0) owned() types.Object {
	texts := types.ListType{ElemType: types.StringType}
	return types.ObjectValueMust(map[string]attr.Type{"paths": texts, "key_paths": texts}, map[string]attr.Value{
		"paths": stringList([]string{m.Path.ValueString()}), "key_paths": stringList([]string{m.Name.ValueString()}),
	})
}

// sameContent compares contents as the file holds them: with "\n" between lines, and
// a line end at the end whether or not it is written.
func sameContent(a, b string) bool {
	normal := func(text string) string {
		return strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	}
	return normal(a) == normal(b)
}

// Metadata names the resource.
func (r *textBlockResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_text_block"
}

// Schema describes the block.
func (r *textBlockResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Keeps a marked block in any text file: TOML, an environment file, a Caddyfile, a shell script, or a YAML template that does not parse. The block is the lines between two comments, which the resource writes around it; nothing else of the file is touched. " +
			"The content is composed in the configuration from the outputs of `cidrplan_site` or `cidrplan_plan`. Line ends of the file are kept, and the block is indented as its first marker is.",
		Attributes: map[string]schema.Attribute{
			"plan": schema.StringAttribute{Required: true, MarkdownDescription: planDescription},
			"path": schema.StringAttribute{Required: true, CustomType: filePathType{}, PlanModifiers: []planmodifier.String{keepSpelling{}},
				MarkdownDescription: "Path of the file. It is kept as written; relative paths start in the folder that Terraform runs in. A new path replaces the resource."},
			"name": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("plan"),
				Validators: []validator.String{oneLine(), stringvalidator.LengthAtLeast(1)}, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				MarkdownDescription: "Name of the block, which tells several in one file apart: its markers are `# BEGIN cidrplan NAME` and `# END cidrplan NAME`. A new name replaces the resource. Default: `plan`."},
			"content": schema.StringAttribute{Required: true, MarkdownDescription: "The lines between the markers. A change that somebody made there shows as a change of this attribute."},
			"comment": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("#"),
				Validators: []validator.String{oneLine(), stringvalidator.LengthAtLeast(1)}, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
				MarkdownDescription: "What starts a comment in the file, such as `//`, `;`, `--` or `<!--`. Default: `#`."},
			"comment_end": schema.StringAttribute{Optional: true, Validators: []validator.String{oneLine(), stringvalidator.LengthAtLeast(1)},
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
				MarkdownDescription: "What ends a comment, such as `-->`. Default: the end of the line does."},
			"insert_after":  schema.StringAttribute{Optional: true, Validators: []validator.String{oneLine()}, MarkdownDescription: "Line that a new block goes behind, without the blanks around it; it must stand in the file once. The block is indented as that line is, or as the next one where that is deeper. Default: the end of the file."},
			"insert_before": schema.StringAttribute{Optional: true, Validators: []validator.String{oneLine()}, MarkdownDescription: "Line that a new block goes in front of. At most one of both is given."},
			"create_file": schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether a file that is missing is created, with the block alone. Default: `false`, which makes it an error."},
			"on_destroy": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString(onDestroyKeep),
				Validators:          []validator.String{stringvalidator.OneOf(onDestroyKeep, onDestroyDelete)},
				MarkdownDescription: "What happens when the resource is destroyed: `keep` leaves the block as it is, `delete` takes it out with its markers. Default: `keep`."},
			"owned_fields": schema.SingleNestedAttribute{Computed: true,
				MarkdownDescription: "What this resource owns, so that a scan can tell it from a copy by hand.",
				Attributes: map[string]schema.Attribute{
					"paths":     schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Path of the file."},
					"key_paths": schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Name of the block."},
				}},
		},
	}
}

// ConfigValidators wants one place for a new block.
func (r *textBlockResource) ConfigValidators(context.Context) []resource.ConfigValidator {
	return []resource.ConfigValidator{resourcevalidator.Conflicting(path.MatchRoot("insert_after"), path.MatchRoot("insert_before"))}
}

// ModifyPlan finds, before anything is written, what would keep the block from being
// written.
func (r *textBlockResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return // a destroy: on_destroy says what happens
	}
	var planned textBlockModelV0
	resp.Diagnostics.Append(req.Plan.Get(ctx, &planned)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !planned.Plan.IsUnknown() {
		if _, err := plan.Parse([]byte(planned.Plan.ValueString())); err != nil {
			addPlanError(&resp.Diagnostics, "plan", "", err)
			return
		}
		r.keepPlan(ctx, req, resp)
	}
	if planned.Path.IsUnknown() || planned.Name.IsUnknown() {
		return
	}
	resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("owned_fields"), planned.owned())...)
	file := planned.Path.ValueString()
	current, exists, err := safefile.Read(file)
	if err == nil {
		err = safefile.Check(file)
	}
	switch {
	case err != nil:
		resp.Diagnostics.AddAttributeError(path.Root("path"), "File Not Writable", sentence(err.Error()))
	case !exists && !planned.CreateFile.ValueBool():
		if req.State.Raw.IsNull() {
			return // another resource of this apply may still create it; the apply refuses if none does
		}
		resp.Diagnostics.AddAttributeError(path.Root("path"), "File Does Not Exist", missingTextFile(file))
	case !planned.Content.IsUnknown() && !planned.Comment.IsUnknown() && !planned.InsertAfter.IsUnknown() && !planned.InsertBefore.IsUnknown():
		if _, err := planned.block().Set(current, planned.Content.ValueString()); err != nil {
			addBlockError(&resp.Diagnostics, file, err)
		}
	}
}

// keepPlan plans the prior text of the plan: the block does not depend on it, so
// that a change elsewhere in the plan is none of the block.
func (r *textBlockResource) keepPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.State.Raw.IsNull() {
		return
	}
	var state textBlockModelV0
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if !state.Plan.IsNull() {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("plan"), state.Plan)...)
	}
}

// Create writes the block.
func (r *textBlockResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var planned textBlockModelV0
	resp.Diagnostics.Append(req.Plan.Get(ctx, &planned)...)
	if resp.Diagnostics.HasError() || !r.write(ctx, planned, nil, &resp.Diagnostics) {
		return
	}
	planned.OwnedFields = planned.owned()
	resp.Diagnostics.Append(resp.State.Set(ctx, &planned)...)
}

// Update writes the block anew.
func (r *textBlockResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var planned, state textBlockModelV0
	resp.Diagnostics.Append(req.Plan.Get(ctx, &planned)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || !r.write(ctx, planned, state.Content.ValueStringPointer(), &resp.Diagnostics) {
		return
	}
	planned.OwnedFields = planned.owned()
	resp.Diagnostics.Append(resp.State.Set(ctx, &planned)...)
}

// write sets the block. seen is what the plan saw in it, nil if there was none.
func (r *textBlockResource) write(ctx context.Context, planned textBlockModelV0, seen *string, diags *diag.Diagnostics) bool {
	file, block, content := planned.Path.ValueString(), planned.block(), planned.Content.ValueString()
	_, err := safefile.Update(ctx, file, safefile.Options{}, func(current []byte, exists bool) ([]byte, error) {
		if !exists && !planned.CreateFile.ValueBool() {
			return nil, errMissingFile
		}
		now, err := block.Get(current)
		if err == nil && seen != nil && !sameContent(now, *seen) && !sameContent(now, content) {
			return nil, changedError{file: file, fields: []string{fmt.Sprintf("the block %q", block.Name)}}
		}
		return block.Set(current, content)
	})
	if err != nil {
		addBlockError(diags, file, err)
	}
	return err == nil
}

// Read takes what stands in the block; one that is gone is empty, which is what the
// next plan mends.
func (r *textBlockResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state textBlockModelV0
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() {
		return
	}
	file := state.Path.ValueString()
	current, _, err := safefile.Read(file)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("path"), "Unreadable File", sentence(err.Error()))
		return
	}
	content, err := state.block().Get(current)
	switch {
	case errors.Is(err, textblock.ErrNoBlock):
		state.Content = types.StringNull()
	case err != nil:
		addBlockError(&resp.Diagnostics, file, err)
		return
	case state.Content.IsNull() || !sameContent(content, state.Content.ValueString()):
		state.Content = types.StringValue(content)
	}
	state.OwnedFields = state.owned()
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

// Delete does what on_destroy says.
func (r *textBlockResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state textBlockModelV0
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if resp.Diagnostics.HasError() || state.OnDestroy.ValueString() != onDestroyDelete {
		return
	}
	file := state.Path.ValueString()
	if _, exists, err := safefile.Read(file); err == nil && !exists {
		return
	}
	_, err := safefile.Update(ctx, file, safefile.Options{}, func(current []byte, _ bool) ([]byte, error) {
		next, err := state.block().Remove(current)
		if errors.Is(err, textblock.ErrNoBlock) {
			return current, nil
		}
		return next, err
	})
	if err != nil {
		addBlockError(&resp.Diagnostics, file, err)
	}
}

// ImportState adopts a block by path#name, with @lock file if wanted.
func (r *textBlockResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	file, name, found := cutLast(req.ID, "#")
	name, lock, _ := strings.Cut(name, "@")
	if !found || file == "" || name == "" {
		resp.Diagnostics.AddError("Invalid Import Id", fmt.Sprintf("%q is no import id of this resource. Write path#name, or path#name@lock file, for example %q.", req.ID, "Caddyfile#trusted@dc1.cidrplan.json"))
		return
	}
	set := func(attribute string, value any) {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(attribute), value)...)
	}
	set("path", newFilePath(file))
	set("name", name)
	set("comment", "#")
	set("create_file", false)
	set("on_destroy", onDestroyKeep)
	set("plan", writer{}.importedPlan(importID{lock: lock}, resp))
}

func missingTextFile(file string) string {
	return fmt.Sprintf("There is no file %q to keep the block in. Check the path, or set create_file = true to create it.", file)
}

// addBlockError says why a block cannot be kept.
func addBlockError(diags *diag.Diagnostics, file string, err error) {
	var changed changedError
	var reason *textblock.Error
	switch {
	case errors.Is(err, errMissingFile):
		diags.AddAttributeError(path.Root("path"), "File Does Not Exist", missingTextFile(file))
	case errors.As(err, &changed):
		diags.AddAttributeError(path.Root("content"), "File Changed Since the Plan", fmt.Sprintf("%s, so nothing is written. Run terraform plan again and review.", capitalized(err.Error())))
	case errors.As(err, &reason):
		diags.AddAttributeError(path.Root("path"), "Block Cannot Be Kept", fmt.Sprintf("The file %q is not changed: %s", file, sentence(err.Error())))
	default:
		diags.AddAttributeError(path.Root("path"), "File Not Written", sentence(err.Error()))
	}
}

// oneLine refuses texts of several lines.
func oneLine() validator.String {
	return stringvalidator.RegexMatches(regexp.MustCompile(`^[^\r\n]*$`), "must be one line")
}
