// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/audit"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/cluster"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/repository"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/rules"
)

var (
	_ datasource.DataSource              = (*auditDataSource)(nil)
	_ datasource.DataSourceWithConfigure = (*auditDataSource)(nil)
)

// auditDataSource finds every address that two things hold.
type auditDataSource struct{ live *live }

// NewAuditDataSource makes the data source.
func NewAuditDataSource() datasource.DataSource { return &auditDataSource{} }

type auditModelV0 struct {
	Plan            types.String `tfsdk:"plan"`
	ConfigContext   types.String `tfsdk:"config_context"`
	SnapshotPaths   types.List   `tfsdk:"snapshot_paths"`
	Files           types.List   `tfsdk:"files"`
	FailOn          types.String `tfsdk:"fail_on"`
	Healthy         types.Bool   `tfsdk:"healthy"`
	Summary         types.String `tfsdk:"summary"`
	Findings        types.List   `tfsdk:"findings"`
	Infrastructure  types.List   `tfsdk:"infrastructure_addresses"`
	CollidingPods   types.List   `tfsdk:"colliding_pods"`
	MismatchedNodes types.List   `tfsdk:"mismatched_nodes"`
	LegacyPods      types.List   `tfsdk:"legacy_pods"`
	ExcludeToday    types.List   `tfsdk:"exclude_today"`
}

var (
	auditFindingTypes = map[string]attr.Type{
		"rule": types.StringType, "severity": types.StringType, "objects": types.ListType{ElemType: types.StringType}, "addresses": types.ListType{ElemType: types.StringType},
		"message": types.StringType, "consequence": types.StringType, "remedy": types.StringType,
	}
	infrastructureTypes = map[string]attr.Type{"node": types.StringType, "kind": types.StringType, "address": types.StringType}
	collidingTypes      = map[string]attr.Type{"pod": types.StringType, "pod_node": types.StringType, "address": types.StringType, "kind": types.StringType, "node": types.StringType}
	mismatchTypes       = map[string]attr.Type{"node": types.StringType, "node_cidrs": types.ListType{ElemType: types.StringType}, "cilium_node_cidrs": types.ListType{ElemType: types.StringType}}
)

// Metadata names the data source.
func (d *auditDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_audit"
}

// Configure takes how to reach a cluster.
func (d *auditDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.live, _ = req.ProviderData.(*live)
}

// Schema describes the audit.
func (d *auditDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	texts := func(description string) schema.Attribute {
		return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
	}
	objects := func(description string, attributes map[string]schema.Attribute) schema.Attribute {
		return schema.ListNestedAttribute{Computed: true, MarkdownDescription: description, NestedObject: schema.NestedAttributeObject{Attributes: attributes}}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads a running cluster, a recording of one, or the files that would install one, and reports every address that two things hold: pods that have the address of an agent, ranges that two allocators hand out, and every difference from the plan, each with its objects, what somebody would see happen, and what helps.\n\n" +
			"It needs `get` and `list` only. What it may not read is a finding `not-inspected`, never healthy. A recording is made by one command:\n\n```shell\n" + cluster.RecordCommand + "\n```",
		Attributes: map[string]schema.Attribute{
			"plan":           schema.StringAttribute{Optional: true, MarkdownDescription: "The plan document as text, to hold the cluster against. Default: the cluster is held against itself only."},
			"config_context": schema.StringAttribute{Optional: true, MarkdownDescription: "Context of the kubeconfig, in place of the provider's. Default: the provider's."},
			"snapshot_paths": schema.ListAttribute{Optional: true, ElementType: types.StringType, Validators: []validator.List{listvalidator.SizeAtLeast(1)},
				MarkdownDescription: "Recorded files, JSON or YAML, or folders of them, that are read in place of a cluster. Default: the cluster of the provider block is read."},
			"files": schema.ListAttribute{Optional: true, ElementType: types.StringType, Validators: []validator.List{listvalidator.SizeAtLeast(1), listvalidator.ConflictsWith(path.MatchRoot("snapshot_paths"), path.MatchRoot("config_context"))},
				MarkdownDescription: "Globs of files that would install a cluster, such as `gitops/**/*.yaml`, which are held against each other in place of a cluster: Talos configurations and patches, talm and talhelper values, Cozystack Packages, Cilium and Kube-OVN values wherever they stand, K3s, RKE2 and kubeadm configurations, Ansible variables, LoadBalancer pools, network policies, BIRD. Variables of Flux are filled in first, and a default that a file leaves unsaid counts. Default: no files are read."},
			"fail_on": schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.OneOf("none", "error", "warning")},
				MarkdownDescription: "From which severity on a finding fails the read: `none`, `error` or `warning`. Default: `none`, so that a broken cluster can still be repaired and destroyed; guard with a `check` block."},
			"healthy": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether nothing of severity `error` was found, and everything was inspected."},
			"summary": text("The findings as a text to read."),
			"findings": objects("What was found, worst first.", map[string]schema.Attribute{
				"rule": text("Slug of the rule."), "severity": text("`error`, `warning` or `info`."), "objects": texts("Kind and name of the objects concerned, the cause first."), "addresses": texts("The exact addresses and ranges."),
				"message": text("What was found."), "consequence": text("What somebody would see happen."), "remedy": text("What to do."),
			}),
			"infrastructure_addresses": objects("Addresses that Cilium's agents hold.", map[string]schema.Attribute{
				"node": text("Node of the agent."), "kind": text("`router`, `ingress` or `health`."), "address": text("The address."),
			}),
			"colliding_pods": objects("Pods that have the address of an agent.", map[string]schema.Attribute{
				"pod": text("Namespace and name."), "pod_node": text("Node of the pod."), "address": text("The address."), "kind": text("What it is to the agent."), "node": text("Node of the agent."),
			}),
			"mismatched_nodes": objects("Nodes whose ranges Node and CiliumNode say differently.", map[string]schema.Attribute{
				"node": text("Name of the node."), "node_cidrs": texts("`Node.spec.podCIDRs`."), "cilium_node_cidrs": texts("`CiliumNode.spec.ipam.podCIDRs`."),
			}),
			"legacy_pods":   texts("Pods whose address lies outside the range of their node."),
			"exclude_today": texts("Addresses that Kube-OVN must not hand out today, for `excludeIps` of the Subnet. A stop-gap: a new node brings new ones."),
		},
	}
}

// Read audits.
func (d *auditDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m auditModelV0
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	var parsed *plan.Plan
	if !m.Plan.IsNull() {
		p, err := plan.Parse([]byte(m.Plan.ValueString()))
		if err != nil {
			addPlanError(&resp.Diagnostics, "plan", "", err)
			return
		}
		parsed = p
	}
	report, ok := d.report(ctx, m, parsed, &resp.Diagnostics)
	if !ok {
		return
	}
	m.answer(ctx, report, &resp.Diagnostics)
	failAudit(&resp.Diagnostics, report, rules.Severity(m.FailOn.ValueString()))
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
	}
}

// report audits the files, the recording or the cluster.
func (d *auditDataSource) report(ctx context.Context, m auditModelV0, p *plan.Plan, diags *diag.Diagnostics) (*audit.Report, bool) {
	if m.Files.IsNull() {
		snapshot, ok := d.snapshot(ctx, m, diags)
		if !ok {
			return nil, false
		}
		return audit.Run(snapshot, p), true
	}
	var globs []string
	diags.Append(m.Files.ElementsAs(ctx, &globs, false)...)
	facts, err := repository.Read(globs, fileReaders())
	if err != nil {
		diags.AddAttributeError(path.Root("files"), "Files Not Readable", sentence(err.Error()))
		return nil, false
	}
	return audit.Files(facts, p), !diags.HasError()
}

// fileReaders are the readers of every consumer.
func fileReaders() []repository.Reader {
	var out []repository.Reader
	for _, c := range consumers() {
		if c.Read != nil {
			out = append(out, repository.Reader{Consumer: c.Name, Read: c.Read})
		}
	}
	return out
}

// snapshot reads the recording, or the cluster.
func (d *auditDataSource) snapshot(ctx context.Context, m auditModelV0, diags *diag.Diagnostics) (*cluster.Snapshot, bool) {
	if !m.SnapshotPaths.IsNull() {
		var paths []string
		diags.Append(m.SnapshotPaths.ElementsAs(ctx, &paths, false)...)
		s, err := cluster.ReadRecorded(paths)
		if err != nil {
			diags.AddAttributeError(path.Root("snapshot_paths"), "Recording Not Readable", sentence(err.Error()))
		}
		return s, err == nil && !diags.HasError()
	}
	config, ok := d.live.config(m.ConfigContext, diags)
	if !ok {
		return nil, false
	}
	s, err := cluster.Read(ctx, config)
	if err != nil {
		diags.AddError("Cluster Not Reachable", fmt.Sprintf("The API server %s does not answer: %s", config.Host, sentence(err.Error())))
	}
	return s, err == nil
}

// failAudit turns findings into errors from a severity on.
func failAudit(diags *diag.Diagnostics, report *audit.Report, failOn rules.Severity) {
	for _, f := range report.Findings {
		if fails(f.Severity, failOn) {
			diags.AddError(auditTitle(f.Rule), f.Message+"\n\n"+f.Consequence+"\n\n"+f.Remedy)
		}
	}
}

func auditTitle(slug string) string {
	for _, rule := range audit.Rules() {
		if rule.Slug == slug {
			return rule.Title
		}
	}
	return slug
}

func objectList(ctx context.Context, of map[string]attr.Type, rows []map[string]attr.Value, diags *diag.Diagnostics) types.List {
	values := make([]attr.Value, len(rows))
	for i, row := range rows {
		value, d := types.ObjectValue(of, row)
		diags.Append(d...)
		values[i] = value
	}
	list, d := types.ListValueFrom(ctx, types.ObjectType{AttrTypes: of}, values)
	diags.Append(d...)
	return list
}

func (m *auditModelV0) answer(ctx context.Context, r *audit.Report, diags *diag.Diagnostics) {
	m.Healthy, m.Summary = types.BoolValue(r.Healthy()), types.StringValue(auditSummary(r))
	text := types.StringValue
	var findings, infrastructure, colliding, mismatched []map[string]attr.Value
	for _, f := range r.Findings {
		findings = append(findings, map[string]attr.Value{
			"rule": text(f.Rule), "severity": text(string(f.Severity)), "objects": stringList(f.Objects), "addresses": stringList(f.Addresses),
			"message": text(f.Message), "consequence": text(f.Consequence), "remedy": text(f.Remedy),
		})
	}
	for _, i := range r.Infrastructure {
		infrastructure = append(infrastructure, map[string]attr.Value{"node": text(i.Node), "kind": text(i.Kind), "address": text(i.Address.String())})
	}
	for _, c := range r.Collisions {
		colliding = append(colliding, map[string]attr.Value{
			"pod": text(c.Pod.String()), "pod_node": text(c.PodNode), "address": text(c.Holder.Address.String()), "kind": text(c.Holder.Kind), "node": text(c.Holder.Node),
		})
	}
	for _, n := range r.Mismatches {
		mismatched = append(mismatched, map[string]attr.Value{"node": text(n.Node), "node_cidrs": prefixList(n.NodeCIDRs), "cilium_node_cidrs": prefixList(n.CiliumCIDRs)})
	}
	m.Findings = objectList(ctx, auditFindingTypes, findings, diags)
	m.Infrastructure = objectList(ctx, infrastructureTypes, infrastructure, diags)
	m.CollidingPods = objectList(ctx, collidingTypes, colliding, diags)
	m.MismatchedNodes = objectList(ctx, mismatchTypes, mismatched, diags)
	legacy := make([]string, len(r.LegacyPods))
	for i, pod := range r.LegacyPods {
		legacy[i] = pod.String()
	}
	m.LegacyPods, m.ExcludeToday = stringList(legacy), stringList(r.Exclude)
}

func prefixList(list []netip.Prefix) types.List {
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = p.String()
	}
	return stringList(texts)
}

// auditSummary writes the findings for a terminal.
func auditSummary(r *audit.Report) string {
	if len(r.Findings) == 0 {
		return "No address is held twice, and everything was inspected.\n"
	}
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s %s\n  %s\n  %s\n  %s\n\n", strings.ToUpper(string(f.Severity)), f.Rule, f.Message, f.Consequence, f.Remedy)
	}
	return b.String()
}
