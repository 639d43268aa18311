// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
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
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("path"), newFilePath(id.path))...)
	w.importRest(ctx, id, onDestroy, resp)
}

// importHosts adopts the files of hosts.
func (w writer) importHosts(ctx context.Context, id importID, hosts map[string]string, onDestroy string, resp *resource.ImportStateResponse) {
	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		if _, exists, err := safefile.Read(hosts[host]); err != nil || !exists {
			resp.Diagnostics.AddError("No File to Import", fmt.Sprintf("There is no file %q, which the import id names for the host %q.", hosts[host], host))
		}
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("host_paths"), hosts)...)
	w.importRest(ctx, id, onDestroy, resp)
}

func (w writer) importRest(ctx context.Context, id importID, onDestroy string, resp *resource.ImportStateResponse) {
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("on_destroy"), onDestroy)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("plan"), w.importedPlan(id, resp))...)
	w.importOptions(ctx, id, resp)
}

// hostPaths reads host=path,host=path; nil if the text is no such list.
func hostPaths(text string) map[string]string {
	out := map[string]string{}
	for entry := range strings.SplitSeq(text, ",") {
		host, file, found := strings.Cut(entry, "=")
		if !found || host == "" || file == "" || strings.Contains(host, "/") {
			return nil
		}
		out[host] = file
	}
	return out
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
		case artifact.Int:
			number, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				resp.Diagnostics.AddError("Invalid Import Id", fmt.Sprintf("The option %s is %q, which is no number.", option.Name, text))
				continue
			}
			value = number
		case artifact.AnyMap:
			resp.Diagnostics.AddError("Invalid Import Id", fmt.Sprintf("The option %s holds values of any type and cannot stand in an import id. Leave it out: the first plan sets it.", option.Name))
			continue
		case artifact.StringMap:
			value = importedMap(option.Name, text, resp)
		}
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(option.Name), value)...)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		resp.Diagnostics.AddError("Invalid Import Id", fmt.Sprintf("There is no option %q. Options are %s.", name, optionNames(w.consumer)))
	}
}

// importedMap reads key=value,key=value.
func importedMap(option, text string, resp *resource.ImportStateResponse) map[string]string {
	out := map[string]string{}
	for entry := range strings.SplitSeq(text, ",") {
		key, value, found := strings.Cut(entry, "=")
		if !found {
			resp.Diagnostics.AddError("Invalid Import Id", fmt.Sprintf("The option %s is %q. Write key=value,key=value, with %%3D for an equals sign inside.", option, text))
			return nil
		}
		out[key] = value
	}
	return out
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
