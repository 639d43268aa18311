// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/safefile"
)

// importCommon sets what every writer has after an import: the path, the plan of
// the lock file if one is named, and the defaults.
func (w writer) importCommon(ctx context.Context, id importID, onDestroy string, resp *resource.ImportStateResponse) {
	if _, exists, err := safefile.Read(id.path); err != nil || !exists {
		detail := fmt.Sprintf("There is no file %q.", id.path)
		if err != nil {
			detail = sentence(err.Error())
		}
		resp.Diagnostics.AddError("No File to Import", detail+" The import id is the path of the file, as it stands in path.")
		return
	}
	set := func(name string, value any) {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
	set("path", newFilePath(id.path))
	set("on_destroy", onDestroy)
	set("plan", w.importedPlan(id, resp))
	w.importOptions(ctx, id, resp)
}

// importOptions sets the options that the import id names, and the defaults.
func (w writer) importOptions(ctx context.Context, id importID, resp *resource.ImportStateResponse) {
	query, err := url.ParseQuery(id.options)
	if err != nil {
		resp.Diagnostics.AddError("Invalid Import Id", fmt.Sprintf("The options %q of the import id are not understood. Write ?name=value&name=value.", id.options))
		return
	}
	for _, option := range w.consumer.Options {
		text, given := option.Default, option.Default != ""
		if query.Has(option.Name) {
			text, given = query.Get(option.Name), true
			query.Del(option.Name)
		}
		if !given {
			continue
		}
		var value any = text
		switch option.Type {
		case artifact.Bool:
			value = text == "true"
		case artifact.StringList:
			value = strings.Split(text, ",")
		}
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(option.Name), value)...)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		resp.Diagnostics.AddError("Invalid Import Id", fmt.Sprintf("There is no option %q. Options are %s.", name, optionNames(w.consumer)))
	}
}

func optionNames(c artifact.Consumer) string {
	names := make([]string, len(c.Options))
	for i, option := range c.Options {
		names[i] = option.Name
	}
	return strings.Join(names, ", ")
}

// importedPlan is the plan of the lock file, or null without one: then the first
// plan after the import shows the plan as new.
func (w writer) importedPlan(id importID, resp *resource.ImportStateResponse) types.String {
	if id.lock == "" {
		return types.StringNull()
	}
	text, exists, err := safefile.Read(id.lock)
	switch {
	case err != nil:
		resp.Diagnostics.AddError("Unreadable Lock File", sentence(err.Error()))
		return types.StringNull()
	case !exists:
		resp.Diagnostics.AddError("Unreadable Lock File", fmt.Sprintf("There is no lock file %q, which stands after the @ of the import id.", id.lock))
		return types.StringNull()
	}
	if _, err := plan.Parse(text); err != nil {
		resp.Diagnostics.AddError("Unreadable Lock File", fmt.Sprintf("The lock file %q cannot be used: %s", id.lock, sentence(err.Error())))
		return types.StringNull()
	}
	return types.StringValue(string(text))
}
