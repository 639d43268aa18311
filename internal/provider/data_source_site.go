// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/rules"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

var _ datasource.DataSource = (*siteDataSource)(nil)

// siteDataSource computes the plan of one site from its declaration.
type siteDataSource struct{}

// NewSiteDataSource returns the data source cidrplan_site.
func NewSiteDataSource() datasource.DataSource { return &siteDataSource{} }

// Metadata names the data source.
func (d *siteDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_site"
}

// Schema describes the declaration and the plan.
func (d *siteDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = siteSchema()
}

// Read plans the site. Everything that is wrong is reported in one run: what does
// not parse, what cannot be placed, and what breaks a rule.
func (d *siteDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model siteModelV0
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	declaration, diags := model.declaration(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	parsed, problems := site.Parse(declaration)
	lock, lockDiags := readLock(model.LockFile, model.Lock)
	resp.Diagnostics.Append(lockDiags...)
	computed, planProblems := plan.Compute(parsed, lock)
	problems = append(append(problems, planProblems...), rules.CheckAccept(parsed)...)
	findings := rules.Check(parsed, computed, lock)
	failOn := model.failOn(&resp.Diagnostics)
	reportProblems(&resp.Diagnostics, problems)
	reportFindings(&resp.Diagnostics, parsed.Name, findings, failOn)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(model.answer(ctx, computed, findings)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

// readLock returns the plan that was decided before: from the lock file, from
// text, or nil where there is none yet.
func readLock(lockFile, lockText types.String) (*plan.Plan, diag.Diagnostics) {
	var diags diag.Diagnostics
	fromFile, fromText := lockFile.ValueString(), lockText.ValueString()
	if fromFile != "" && fromText != "" {
		diags.AddAttributeError(rootPath("lock"), "Two Locks",
			"lock_file and lock are both set, so that it is not clear which plan was decided before. Leave one of them out.")
		return nil, diags
	}
	attribute, text := "lock", []byte(fromText)
	if fromFile != "" {
		attribute = "lock_file"
		content, err := os.ReadFile(fromFile)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil, diags // the first plan; a lock that was lost is found by cidrplan_plan_file
		case err != nil:
			diags.AddAttributeError(rootPath(attribute), "Unreadable Lock File",
				fmt.Sprintf("The lock file %q exists but cannot be read, so what was decided before is not known and planning without it could move networks.\n\nError: %s", fromFile, err))
			return nil, diags
		}
		text = content
	}
	if len(text) == 0 && fromFile == "" {
		return nil, diags
	}
	lock, err := plan.Parse(text)
	if err != nil {
		addPlanError(&diags, attribute, fromFile, err)
		return nil, diags
	}
	return lock, diags
}

// failOn returns the severities that fail the read.
func (m *siteModelV0) failOn(diags *diag.Diagnostics) rules.Severity {
	switch value := m.FailOn.ValueString(); value {
	case "", string(rules.Error):
		return rules.Error
	case string(rules.Warning), failOnNone:
		return rules.Severity(value)
	default:
		diags.AddAttributeError(rootPath("fail_on"), site.SummaryUnknownValue,
			fmt.Sprintf("There is no severity %q to fail on. Known are \"error\", \"warning\" and \"none\".", value))
		return rules.Error
	}
}

// failOnNone lets a read succeed whatever is found.
const failOnNone = "none"

// answer fills the computed attributes. A plan that breaks a firm rule is no
// plan, so that nobody can write it to a file.
func (m *siteModelV0) answer(ctx context.Context, p *plan.Plan, findings []rules.Finding) diag.Diagnostics {
	var diags diag.Diagnostics
	m.Plan = types.StringValue(p.Text())
	for _, f := range findings {
		if f.Severity == rules.Error && isFirm(f.Rule) {
			m.Plan = types.StringNull()
		}
	}
	m.Digest = types.StringValue(p.Digest)
	m.Summary = types.StringValue(p.Summary())
	m.Networks = networkValues(ctx, p, &diags)
	m.HostAddresses = hostAddressValues(ctx, p, &diags)
	m.Findings = findingValues(ctx, findings, &diags)
	return diags
}

func isFirm(slug string) bool {
	for _, rule := range rules.Rules() {
		if rule.Slug == slug {
			return rule.Firm
		}
	}
	return false
}
