// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
)

// wholeFiles is what a resource that owns its files keeps besides the options of
// its consumer: one file by path, or one for each host.
type wholeFiles struct {
	plan         types.String
	path         filePathValue
	content      types.String
	hostPaths    types.Map // null where the consumer writes no file for a host
	hostContents types.Map
}

func (r *wholeFileResource) files(ctx context.Context, from attributes, diags *diag.Diagnostics) wholeFiles {
	var f wholeFiles
	diags.Append(from.GetAttribute(ctx, path.Root("plan"), &f.plan)...)
	diags.Append(from.GetAttribute(ctx, path.Root("path"), &f.path)...)
	diags.Append(from.GetAttribute(ctx, path.Root("content"), &f.content)...)
	if r.consumer.PerHost {
		diags.Append(from.GetAttribute(ctx, path.Root("host_paths"), &f.hostPaths)...)
		diags.Append(from.GetAttribute(ctx, path.Root("host_contents"), &f.hostContents)...)
	}
	return f
}

// wholeTarget is one file with the host that it is for.
type wholeTarget struct {
	host string // empty for the file by path
	file string
}

// at is the attribute that names the file.
func (t wholeTarget) at() path.Path {
	if t.host == "" {
		return path.Root("path")
	}
	return path.Root("host_paths").AtMapKey(t.host)
}

// targets lists the files, by host. known is false while a path is not known.
func (f wholeFiles) targets() (targets []wholeTarget, known bool) {
	if f.path.IsUnknown() || f.hostPaths.IsUnknown() {
		return nil, false
	}
	if !f.path.IsNull() {
		targets = append(targets, wholeTarget{file: f.path.ValueString()})
	}
	paths := f.hostPaths.Elements()
	for _, host := range slices.Sorted(maps.Keys(paths)) {
		text, ok := paths[host].(types.String)
		if !ok || text.IsUnknown() {
			return nil, false
		}
		targets = append(targets, wholeTarget{host: host, file: text.ValueString()})
	}
	return targets, true
}

// recorded returns the content of each file as the state holds it, by host. A
// file that was not there has none.
func (f wholeFiles) recorded() map[string]string {
	out := map[string]string{}
	if !f.content.IsNull() && !f.content.IsUnknown() {
		out[""] = f.content.ValueString()
	}
	for host, value := range f.hostContents.Elements() {
		if text, ok := value.(types.String); ok && !text.IsNull() && !text.IsUnknown() {
			out[host] = text.ValueString()
		}
	}
	return out
}

// file returns the path that the state holds for a host.
func (f wholeFiles) file(host string) (string, bool) {
	targets, _ := f.targets()
	for _, t := range targets {
		if t.host == host {
			return t.file, true
		}
	}
	return "", false
}

// setContents sets the content of each file, by host.
func (f wholeFiles) setContents(ctx context.Context, r *wholeFileResource, contents map[string]string, set func(string, any) diag.Diagnostics, diags *diag.Diagnostics) {
	content := types.StringNull()
	if text, ok := contents[""]; ok {
		content = types.StringValue(text)
	}
	diags.Append(set("content", content)...)
	if !r.consumer.PerHost {
		return
	}
	hosts := types.MapNull(types.StringType)
	if !f.hostPaths.IsNull() {
		texts := maps.Clone(contents)
		delete(texts, "")
		value, d := types.MapValueFrom(ctx, types.StringType, texts)
		diags.Append(d...)
		hosts = value
	}
	diags.Append(set("host_contents", hosts)...)
}

// answer writes the state after a write.
func (f wholeFiles) answer(ctx context.Context, r *wholeFileResource, contents map[string]string, state *tfsdk.State, diags *diag.Diagnostics) {
	set := func(name string, value any) diag.Diagnostics { return state.SetAttribute(ctx, path.Root(name), value) }
	f.setContents(ctx, r, contents, set, diags)
	diags.Append(set("owned_fields", f.owned())...)
}

// owned is the attribute owned_fields.
func (f wholeFiles) owned() ownedFieldsModelV0 {
	targets, _ := f.targets()
	out := ownedFieldsModelV0{Paths: []string{}}
	for _, t := range targets {
		out.Paths = append(out.Paths, t.file)
	}
	return out
}

// headerMark starts the first line of every file that is owned whole.
const headerMark = "# Written by cidrplan for the site "

// fileText puts the line in front of the content that names the site and the
// digest of the facts that the file uses.
func fileText(siteName string, content string) string {
	sum := sha256.Sum256([]byte(content))
	return fmt.Sprintf("%s%s (facts %s). Changes made here are overwritten.\n%s", headerMark, siteName, hex.EncodeToString(sum[:6]), content)
}

func ours(current []byte, content string) bool {
	return string(current) == content || strings.HasPrefix(string(current), headerMark)
}

// contents renders the content of each file, by host. Problems that are the same
// for all hosts are reported once.
func (r *wholeFileResource) contents(text string, o artifact.Options, targets []wholeTarget, diags *diag.Diagnostics) (map[string]string, bool) {
	parsed, err := plan.Parse([]byte(text))
	if err != nil {
		addPlanError(diags, "plan", "", err)
		return nil, false
	}
	out := map[string]string{}
	sound := true
	for _, t := range targets {
		options := o
		if t.host != "" {
			options = o.With(artifact.HostOption, t.host)
		}
		result, problems := r.consumer.Render(parsed, options)
		for _, p := range problems.Sorted() {
			at := attributePath(p.Path)
			if t.host != "" && at.Equal(path.Root(artifact.HostOption)) {
				at = t.at()
			}
			diags.AddAttributeError(at, p.Summary, p.Detail) // the framework keeps one of equal diagnostics
		}
		sound = sound && len(problems) == 0
		out[t.host] = fileText(parsed.Site, string(result.Content()))
	}
	return out, sound
}
