// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/rules"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

func rootPath(attribute string) path.Path { return path.Root(attribute) }

// attributePath translates a path of the engine into one of the framework, so
// that Terraform shows the user's own line.
func attributePath(p site.Path) path.Path {
	out := path.Empty()
	for i, step := range p {
		switch {
		case i == 0:
			out = path.Root(step.Name)
		case step.Name != "":
			out = out.AtName(step.Name)
		case step.IsKey:
			out = out.AtMapKey(step.Key)
		default:
			out = out.AtListIndex(step.Index)
		}
	}
	return out
}

// reportProblems turns everything that makes a plan impossible into errors.
func reportProblems(diags *diag.Diagnostics, problems site.Problems) {
	for _, p := range problems.Sorted() {
		diags.AddAttributeError(attributePath(p.Path), p.Summary, p.Detail)
	}
}

// reportFindings turns findings that fail the read into errors, each on its
// attribute, and all warnings of a site into one Terraform warning: Terraform
// folds warnings of one summary, so the summary names the site.
func reportFindings(diags *diag.Diagnostics, siteName string, findings []rules.Finding, failOn rules.Severity) {
	var warnings []string
	for _, f := range findings {
		switch {
		case f.Severity == rules.Info:
		case fails(f.Severity, failOn):
			diags.AddAttributeError(attributePath(f.Path), ruleTitle(f.Rule), findingDetail(f))
		case f.Severity == rules.Warning:
			warnings = append(warnings, fmt.Sprintf("%s: %s %s %s Accept it with accept = { %q = \"…\" }.", f.Path, f.Message, f.Consequence, f.Remedy, acceptKey(f)))
		}
	}
	if len(warnings) > 0 {
		diags.AddWarning(fmt.Sprintf("Warnings of Site %s", siteName), strings.Join(warnings, "\n\n"))
	}
}

func fails(severity, failOn rules.Severity) bool {
	switch failOn {
	case rules.Warning:
		return severity == rules.Error || severity == rules.Warning
	case rules.Error:
		return severity == rules.Error
	default:
		return false
	}
}

func acceptKey(f rules.Finding) string {
	if len(f.Networks) == 0 {
		return f.Rule
	}
	return f.Rule + "/" + f.Networks[0]
}

func ruleTitle(slug string) string {
	for _, rule := range rules.Rules() {
		if rule.Slug == slug {
			return rule.Title
		}
	}
	return slug
}

// findingDetail says what was found, what would happen and what to do, and then
// the raw facts, one in each line.
func findingDetail(f rules.Finding) string {
	text := fmt.Sprintf("%s %s\n\n%s\n\nRule: %s", f.Message, f.Consequence, f.Remedy, f.Rule)
	if len(f.Networks) > 0 {
		text += "\nNetworks: " + strings.Join(f.Networks, ", ")
	}
	if len(f.Ranges) > 0 {
		text += "\nRanges: " + strings.Join(f.Ranges, ", ")
	}
	return text
}

// addPlanError says why a text is no plan that can be used, on the attribute
// that brought it.
func addPlanError(diags *diag.Diagnostics, attribute, file string, err error) {
	where := "The text of " + attribute
	restore := "Take the text from where the plan is published."
	if file != "" {
		where = fmt.Sprintf("The file %q", file)
		restore = fmt.Sprintf("Put back the version that was written last, for example with git checkout -- %s.", file)
	}
	summary, advice := "Invalid Plan Document", restore
	switch {
	case errors.Is(err, plan.ErrNewerVersion):
		summary, advice = "Plan Document of a Newer Version", "Upgrade this provider to the version that wrote the document, or newer."
	case errors.Is(err, plan.ErrDigest):
		summary, advice = "Plan Document Changed by Hand", restore+" A plan is changed by changing the declaration of its site."
	}
	diags.AddAttributeError(rootPath(attribute), summary, fmt.Sprintf("%s cannot be used: %s\n\n%s", where, sentence(err.Error()), advice))
}

func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}
