// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
)

// writer is what the resource and the data source of a consumer have in common.
type writer struct{ consumer artifact.Consumer }

// attributes is a configuration, a plan or a state, read attribute by attribute,
// since the options of each consumer are its own.
type attributes interface {
	GetAttribute(context.Context, path.Path, any) diag.Diagnostics
}

// options reads the options of the consumer. known is false if one of them is
// not known yet.
func (w writer) options(ctx context.Context, from attributes, diags *diag.Diagnostics) (o artifact.Options, known bool) {
	o, known = artifact.Options{}, true
	for _, option := range w.consumer.Options {
		at := path.Root(option.Name)
		switch option.Type {
		case artifact.String:
			var value types.String
			diags.Append(from.GetAttribute(ctx, at, &value)...)
			known = known && !value.IsUnknown()
			if text := value.ValueString(); text != "" {
				o[option.Name] = text
			} else if option.Default != "" {
				o[option.Name] = option.Default
			}
		case artifact.Bool:
			var value types.Bool
			diags.Append(from.GetAttribute(ctx, at, &value)...)
			known = known && !value.IsUnknown()
			if !value.IsNull() && !value.IsUnknown() {
				o[option.Name] = value.ValueBool()
			}
		case artifact.Int:
			var value types.Int64
			diags.Append(from.GetAttribute(ctx, at, &value)...)
			known = known && !value.IsUnknown()
			if !value.IsNull() && !value.IsUnknown() {
				o[option.Name] = value.ValueInt64()
			}
		case artifact.StringMap:
			var value types.Map
			diags.Append(from.GetAttribute(ctx, at, &value)...)
			known = known && mapKnown(value)
			if known && !value.IsNull() {
				var texts map[string]string
				diags.Append(value.ElementsAs(ctx, &texts, false)...)
				o[option.Name] = texts
			}
		case artifact.AnyMap:
			var value types.Dynamic
			diags.Append(from.GetAttribute(ctx, at, &value)...)
			values, valueKnown := anyMap(ctx, at, value, diags)
			known = known && valueKnown
			o[option.Name] = values
		case artifact.StringList:
			var value types.List
			diags.Append(from.GetAttribute(ctx, at, &value)...)
			known = known && listKnown(value)
			if known && !value.IsNull() {
				var list []string
				diags.Append(value.ElementsAs(ctx, &list, false)...)
				o[option.Name] = list
			}
		}
	}
	return o, known
}

func listKnown(list types.List) bool {
	return !list.IsUnknown() && !slices.ContainsFunc(list.Elements(), attr.Value.IsUnknown)
}

func mapKnown(m types.Map) bool {
	return !m.IsUnknown() && !slices.ContainsFunc(mapValues(m.Elements()), attr.Value.IsUnknown)
}

// render parses a plan and turns it into what the consumer reads.
func (w writer) render(text string, o artifact.Options, diags *diag.Diagnostics) (*plan.Plan, artifact.Result, bool) {
	parsed, err := plan.Parse([]byte(text))
	if err != nil {
		addPlanError(diags, "plan", "", err)
		return nil, artifact.Result{}, false
	}
	result, problems := w.consumer.Render(parsed, o)
	reportProblems(diags, problems)
	return parsed, result, len(problems) == 0
}

// sameFacts reports whether a former plan gives the consumer the same facts, so
// that a change elsewhere in the plan does not touch its file.
func (w writer) sameFacts(former string, o artifact.Options, now artifact.Result) bool {
	parsed, err := plan.Parse([]byte(former))
	if err != nil {
		return false
	}
	before, problems := w.consumer.Render(parsed, o)
	return len(problems) == 0 && string(before.NewDocument()) == string(now.NewDocument()) &&
		string(artifact.Join(before.Documents)) == string(artifact.Join(now.Documents)) && slices.Equal(fieldPaths(before), fieldPaths(now))
}

func fieldPaths(r artifact.Result) []string {
	out := make([]string, len(r.Fields))
	for i, f := range r.Fields {
		out[i] = f.Path.String()
	}
	return out
}

// importID is what a writer is imported by.
type importID struct {
	path, kind, namespace, name, lock string
	options                           string // as a query: name=value&name=value
}

// parseImportID splits path, path#kind/namespace/name or path#kind/name, each
// with @lock file, and that with ?option=value&option=value: the options decide
// which fields are owned, and an import block does not see the configuration. The
// path ends at the last #, so it may hold one itself; the lock file starts at the
// first @ after the document, or at the last @ where no document is named.
func parseImportID(id string) (importID, bool) {
	var out importID
	id, out.options, _ = strings.Cut(id, "?")
	file, document, named := cutLast(id, "#")
	if named {
		out.path = file
		document, out.lock, _ = strings.Cut(document, "@")
		switch parts := strings.Split(document, "/"); len(parts) {
		case 2:
			out.kind, out.name = parts[0], parts[1]
		case 3:
			out.kind, out.namespace, out.name = parts[0], parts[1], parts[2]
		default:
			return out, false
		}
		return out, out.path != "" && out.kind != ""
	}
	if file, lock, ok := cutLast(id, "@"); ok {
		out.path, out.lock = file, lock
		return out, out.path != "" && out.lock != ""
	}
	out.path = id
	return out, id != ""
}

func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}
