// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

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
	for _, option := range w.consumer.Options {
		if option.Type == artifact.String && option.Default != "" {
			set(option.Name, option.Default)
		}
	}
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
