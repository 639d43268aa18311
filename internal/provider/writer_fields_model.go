// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/safefile"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

// ownedFields is what a resource of owned fields keeps besides the options of
// its consumer.
type ownedFields struct {
	plan            types.String
	path            filePathValue
	onDestroy       types.String
	createDocument  types.Bool
	allowIPAMChange types.Bool
	document        documentModelV0
	documentUnknown bool
	fields          map[string]string // what stands in the fields
	replaced        map[string]string // what stood there before; nil if not known
	replacedUnknown bool
	owned           map[string]bool // key paths of what is owned
}

// documentModelV0 is the attribute document.
type documentModelV0 struct {
	APIVersion types.String `tfsdk:"api_version"`
	Kind       types.String `tfsdk:"kind"`
	Name       types.String `tfsdk:"name"`
	Namespace  types.String `tfsdk:"namespace"`
	Index      types.Int64  `tfsdk:"index"`
}

func (w writer) ownedFields(ctx context.Context, from attributes, diags *diag.Diagnostics) ownedFields {
	var f ownedFields
	get := func(name string, target any) { diags.Append(from.GetAttribute(ctx, path.Root(name), target)...) }
	get("plan", &f.plan)
	get("path", &f.path)
	get("on_destroy", &f.onDestroy)
	get("create_document", &f.createDocument)
	if w.consumer.Guards {
		get("allow_ipam_change", &f.allowIPAMChange)
	}
	var document types.Object
	get("document", &document)
	f.documentUnknown = document.IsUnknown() || slices.ContainsFunc(mapValues(document.Attributes()), attr.Value.IsUnknown)
	if !document.IsNull() && !f.documentUnknown {
		diags.Append(document.As(ctx, &f.document, basetypes.ObjectAsOptions{})...)
	}
	f.fields, _ = getTexts(ctx, from, "fields", diags)
	f.replaced, f.replacedUnknown = getTexts(ctx, from, "replaced_fields", diags)
	var owned types.Object
	get("owned_fields", &owned)
	f.owned = ownedKeys(ctx, owned, diags)
	return f
}

func mapValues(m map[string]attr.Value) []attr.Value {
	out := make([]attr.Value, 0, len(m))
	for _, v := range m {
		out = append(out, v)
	}
	return out
}

// getTexts reads a map of strings; null is nil.
func getTexts(ctx context.Context, from attributes, name string, diags *diag.Diagnostics) (out map[string]string, unknown bool) {
	var value types.Map
	diags.Append(from.GetAttribute(ctx, path.Root(name), &value)...)
	if value.IsNull() || value.IsUnknown() {
		return nil, value.IsUnknown()
	}
	diags.Append(value.ElementsAs(ctx, &out, false)...)
	return out, false
}

func ownedKeys(ctx context.Context, owned types.Object, diags *diag.Diagnostics) map[string]bool {
	out := map[string]bool{}
	if owned.IsNull() || owned.IsUnknown() {
		return out
	}
	var model ownedFieldsModelV0
	diags.Append(owned.As(ctx, &model, basetypes.ObjectAsOptions{})...)
	for _, key := range model.KeyPaths {
		out[key] = true
	}
	return out
}

// ownedFieldsModelV0 is the attribute owned_fields.
type ownedFieldsModelV0 struct {
	Paths    []string `tfsdk:"paths"`
	KeyPaths []string `tfsdk:"key_paths"`
}

func ownedFieldsOf(file string, r artifact.Result) ownedFieldsModelV0 {
	return ownedFieldsModelV0{Paths: []string{file}, KeyPaths: fieldPaths(r)}
}

// known reports whether everything is known that decides about the file.
func (f ownedFields) known() bool {
	return !f.plan.IsUnknown() && !f.path.IsUnknown() && !f.createDocument.IsUnknown() && !f.documentUnknown
}

// target is the selected document, or the one that the consumer reads.
func (f ownedFields) target(r artifact.Result) artifact.Target {
	t := artifact.Target{Document: r.Document, Create: f.createDocument.ValueBool()}
	if f.document == (documentModelV0{}) {
		return t
	}
	t.Document = yamledit.Selector{
		APIVersion: f.document.APIVersion.ValueString(), Kind: f.document.Kind.ValueString(),
		Name: f.document.Name.ValueString(), Namespace: f.document.Namespace.ValueString(),
	}
	if !f.document.Index.IsNull() {
		index := int(f.document.Index.ValueInt64())
		t.Document.Index = &index
	}
	return t
}

// guard refuses to change Cilium's address management in a file of a site whose
// cluster is installed: the edit alone does nothing there, or cuts pods off.
func (p fieldsPlan) guard(observed map[string]string, diags *diag.Diagnostics) {
	if !p.existing || p.planned.allowIPAMChange.ValueBool() {
		return
	}
	for _, guarded := range p.result.Guarded {
		key := guarded.String()
		if was, stands := observed[key]; stands && was != p.desired[key] {
			diags.AddAttributeError(path.Root("plan"), "Change of a Live Cluster's IPAM",
				fmt.Sprintf("%s is %s in %q and would become %s, but the site exists. %s Follow the migration, and set allow_ipam_change = true when its step is to edit this file.",
					key, was, p.planned.path.ValueString(), p.desired[key], p.result.GuardReason))
		}
	}
}

// fieldsWrite is one write of owned fields.
type fieldsWrite struct {
	writer
	planned ownedFields
	options artifact.Options
	seen    map[string]string // what the plan saw in the fields; nil if it saw no file
	update  bool
	result  artifact.Result
	desired map[string]string
	former  map[string]string // what stood in the fields when they were written
}

// run edits the file, unless its owned fields changed since the plan was made. A
// change of anything else is merged.
func (w *fieldsWrite) run(ctx context.Context, diags *diag.Diagnostics) bool {
	_, result, ok := w.render(w.planned.plan.ValueString(), w.options, diags)
	if !ok {
		return false
	}
	desired, err := result.Desired()
	if err != nil {
		diags.AddError("Value Cannot Be Written", "This is a bug of the provider, please report it: "+sentence(err.Error()))
		return false
	}
	w.result, w.desired = result, desired
	file, target := w.planned.path.ValueString(), w.planned.target(result)
	_, err = safefile.Update(ctx, file, safefile.Options{}, func(current []byte, exists bool) ([]byte, error) {
		if !exists && !target.Create {
			return nil, errMissingFile
		}
		observed, err := result.Observe(current, target)
		if err != nil {
			return nil, err
		}
		w.former = observed
		if changed := w.changedSincePlan(observed); len(changed) > 0 {
			return nil, changedError{file: file, fields: changed}
		}
		return result.Apply(current, target)
	})
	if err != nil {
		addEditError(diags, file, err)
	}
	return err == nil
}

// changedSincePlan lists the owned fields that somebody changed since the plan
// was made, and that are not as they must be anyway.
func (w *fieldsWrite) changedSincePlan(observed map[string]string) []string {
	if w.seen == nil {
		return nil
	}
	var out []string
	for _, f := range w.result.Fields {
		key := f.Path.String()
		if w.update && !w.planned.owned[key] {
			continue
		}
		if now := observed[key]; now != w.seen[key] && now != w.desired[key] {
			out = append(out, key)
		}
	}
	return out
}

func (w *fieldsWrite) answer(ctx context.Context, state *tfsdk.State, diags *diag.Diagnostics) {
	set := func(name string, value any) {
		diags.Append(state.SetAttribute(ctx, path.Root(name), value)...)
	}
	set("fields", w.desired)
	set("owned_fields", ownedFieldsOf(w.planned.path.ValueString(), w.result))
	if w.planned.replacedUnknown {
		set("replaced_fields", w.former)
	}
}

// formerValue returns what a field held before, or nil if it was absent or is to
// be deleted.
func formerValue(state ownedFields, p yamledit.Path) (any, error) {
	text, stood := state.replaced[p.String()]
	if !stood || state.onDestroy.ValueString() != onDestroyRestore {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// restore puts the fields back. A file that holds nothing but what the resource
// created is removed.
func restore(ctx context.Context, state ownedFields, owned, restored artifact.Result) error {
	file := state.path.ValueString()
	target := state.target(owned)
	src, exists, err := safefile.Read(file)
	if err != nil || !exists {
		return err
	}
	created := owned.NewDocumentFor(target.Document)
	if state.createDocument.ValueBool() && len(state.replaced) == 0 && bytes.Equal(src, created) {
		return safefile.Remove(ctx, file, func(current []byte) error {
			if !bytes.Equal(current, created) {
				return changedError{file: file}
			}
			return nil
		})
	}
	target.Create = false
	restored.Hollow = ancestors(owned)
	_, err = safefile.Update(ctx, file, safefile.Options{}, func(current []byte, exists bool) ([]byte, error) {
		next, err := restored.Apply(current, target)
		if !exists || errors.Is(err, yamledit.ErrNoDocument) {
			return current, nil // nothing is there that could be put back
		}
		return next, err
	})
	return err
}

// ancestors lists the mappings around the owned fields, innermost first: what an
// edit back leaves empty goes with its last field.
func ancestors(r artifact.Result) []yamledit.Path {
	var out []yamledit.Path
	seen := map[string]bool{}
	for _, f := range r.Fields {
		for length := len(f.Path) - 1; length > 0; length-- {
			if f.Path[length-1].Kind == yamledit.InsideStep {
				continue // a text is emptied by its key
			}
			if parent := f.Path[:length]; !seen[parent.String()] {
				seen[parent.String()] = true
				out = append(out, parent)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b yamledit.Path) int { return len(b) - len(a) })
	return out
}

// errMissingFile means that there is no file to own fields of.
var errMissingFile = errors.New("the file does not exist")

// changedError means that somebody changed owned fields since the plan was made.
type changedError struct {
	file   string
	fields []string
}

func (e changedError) Error() string {
	if len(e.fields) == 0 {
		return fmt.Sprintf("the file %q was changed since the plan was made", e.file)
	}
	return fmt.Sprintf("in %q %s changed since the plan was made", e.file, strings.Join(e.fields, ", "))
}

// addEditError says why a file cannot be edited, on the attribute that can mend it.
func addEditError(diags *diag.Diagnostics, file string, err error) {
	var syntax *yamledit.SyntaxError
	var changed changedError
	switch {
	case errors.Is(err, errMissingFile):
		diags.AddAttributeError(path.Root("path"), "File Does Not Exist",
			fmt.Sprintf("There is no file %q to set the fields in. Check the path, or set create_document = true to create it.", file))
	case errors.As(err, &changed):
		diags.AddAttributeError(path.Root("path"), "File Changed Since the Plan",
			fmt.Sprintf("%s, so nothing is written. Run terraform plan again and review.", capitalized(err.Error())))
	case errors.Is(err, yamledit.ErrNoDocument):
		diags.AddAttributeError(path.Root("document"), "Document Not Found",
			fmt.Sprintf("In %q %s. Select one of them in document, or set create_document = true to append it.", file, strings.TrimSuffix(err.Error(), ".")))
	case errors.Is(err, yamledit.ErrAmbiguous):
		diags.AddAttributeError(path.Root("document"), "Ambiguous Document",
			fmt.Sprintf("In %q %s.", file, strings.TrimSuffix(err.Error(), ".")))
	case errors.As(err, &syntax):
		diags.AddAttributeError(path.Root("path"), "File Is Not YAML",
			fmt.Sprintf("The file %q does not parse, so nothing in it can be edited safely: %s\n\nA template that becomes YAML only when it is rendered cannot be edited; give its tool the planned values instead.", file, sentence(err.Error())))
	default:
		diags.AddAttributeError(path.Root("path"), "Unsafe Edit", fmt.Sprintf("The file %q is not changed: %s", file, sentence(err.Error())))
	}
}

func capitalized(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
