// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/repository"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/rules"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// fileRules are the rules of files; their checks are of another kind.
func fileRules() []Rule {
	return []Rule{
		{Slug: ruleFilesDisagree, Severity: rules.Error, Title: "Files say different ranges", Explanation: "Two files of one site state different ranges for one thing: the Services' range must be the same everywhere, and one allocator can have one range. A default that a file leaves unsaid counts like a stated one, unless another file of the same consumer states it."},
		{Slug: ruleFilesTwoAllocators, Severity: rules.Error, Title: "Files give one range to two allocators", Explanation: "The files together give overlapping ranges to two allocators, as Cozystack's documentation did: Kube-OVN's pods and the cluster CIDR that Cilium's agents draw from in the mode `kubernetes` (cozystack#3740)."},
		{Slug: ruleFileDiffersFromPlan, Severity: rules.Error, Title: "File differs from the plan", Explanation: "A file states another range than the plan."},
		{Slug: ruleFactUnknown, Severity: rules.Warning, Title: "Range that the files do not show", Explanation: "A range is filled in by a template, a variable or a secret, or is no range at all, so that it could not be compared."},
		{Slug: ruleVariableUnset, Severity: rules.Error, Title: "Variable that nothing sets", Explanation: "A variable of Flux is used and no ConfigMap of the files sets it: an empty text up to kustomize-controller 1.8, a failure of the whole Kustomization since."},
		{Slug: ruleWrittenWrong, Severity: rules.Error, Title: "Range that means something else than is written", Explanation: "A range with host bits is masked without a word by those who read it, except as the address of a gateway or a host."},
		{Slug: ruleListAppended, Severity: rules.Error, Title: "List that Talos appends to", Explanation: "A strategic merge patch of Talos replaces `podSubnets` and `serviceSubnets`, and appends to every other list, `validSubnets` and `advertisedSubnets` among them; a patch of RFC 6902 adds where it says `add`. A list that was meant to be replaced then holds both (config/merge)."},
		{Slug: ruleKeyIgnored, Severity: rules.Info, Title: "Native routing range beside the pods", Explanation: "`ipv4NativeRoutingCIDR` does not hold the pods' range, so that packets between pods are masqueraded."},
	}
}

// The rules of files.
const (
	ruleFilesDisagree       = "files-disagree"
	ruleFilesTwoAllocators  = "files-two-allocators"
	ruleFileDiffersFromPlan = "file-differs-from-plan"
	ruleFactUnknown         = "range-unknown"
	ruleVariableUnset       = "variable-unset"
	ruleWrittenWrong        = "range-written-wrong"
	ruleKeyIgnored          = "native-routing-beside-pods"
	ruleListAppended        = "talos-list-appended"
)

// Files holds the facts of a repository against each other, and against a plan if
// there is one.
func Files(facts *repository.Facts, p *plan.Plan) *Report {
	a := &fileAudit{report: &Report{}, plan: p}
	a.facts = effective(facts.List)
	a.appended()
	a.facts = merged(a.facts)
	a.nothing(facts)
	a.unset(facts.Unset)
	a.unknown()
	a.writtenWrong()
	a.disagree()
	a.twoAllocators()
	a.againstPlan()
	a.nativeRouting()
	slices.SortStableFunc(a.report.Findings, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(rank(x.Severity), rank(y.Severity)), cmp.Compare(x.Rule, y.Rule), slices.Compare(x.Objects, y.Objects))
	})
	return a.report
}

type fileAudit struct {
	facts  []repository.Fact
	plan   *plan.Plan
	report *Report
}

// effective drops defaults that another file of the same consumer overrides, and
// what two readers read twice.
func effective(all []repository.Fact) []repository.Fact {
	type subject struct {
		consumer string
		role     site.Role
		subject  artifact.Subject
	}
	stated := map[subject]bool{}
	for _, f := range all {
		if f.Origin == artifact.Declared || f.Origin == artifact.Unknown && f.Value != "" {
			stated[subject{f.Consumer, f.Role, f.Subject}] = true
		}
	}
	type place struct {
		file, key, value string
		line             int
	}
	seen := map[place]bool{}
	var out []repository.Fact
	for _, f := range all {
		at := place{f.File, f.KeyPath, string(f.Role) + string(f.Subject) + f.Value, f.Line}
		// What another layer decides has no value of its own.
		elsewhere := f.Origin == artifact.Implicit || f.Origin == artifact.Unknown && f.Value == ""
		if seen[at] || elsewhere && stated[subject{f.Consumer, f.Role, f.Subject}] {
			continue
		}
		seen[at] = true
		out = append(out, f)
	}
	return out
}

// merged drops what another file is laid over: what a patch states in place of a
// whole file, and what a HelmRelease states itself in place of a ConfigMap that it
// takes values from. Helm replaces lists, and Talos the ranges of pods and Services.
func merged(all []repository.Fact) []repository.Fact {
	type subject struct {
		consumer string
		role     site.Role
		subject  artifact.Subject
	}
	patched, inline := map[subject]bool{}, map[subject]bool{}
	for _, f := range all {
		at := subject{f.Consumer, f.Role, f.Subject}
		patched[at] = patched[at] || f.Layer == artifact.Patch
		inline[at] = inline[at] || strings.HasPrefix(f.Document, "HelmRelease/") && f.Origin == artifact.Declared
	}
	return slices.DeleteFunc(slices.Clone(all), func(f repository.Fact) bool {
		at := subject{f.Consumer, f.Role, f.Subject}
		if f.Consumer == "talos_patch" && f.Layer == "" && f.Document == "" && f.Role != site.RoleNode {
			return patched[at]
		}
		return strings.HasPrefix(f.Document, "ConfigMap/") && inline[at]
	})
}

// appended finds lists of Talos that grow where a patch was meant to replace them.
func (a *fileAudit) appended() {
	for i, f := range a.facts {
		if f.Consumer != "talos_patch" || f.Layer != artifact.Append || f.Subject != artifact.SubjectCIDRs || f.Origin == artifact.Unknown {
			continue
		}
		for j, base := range a.facts {
			sameList := base.Consumer == f.Consumer && base.Role == f.Role && base.Subject == f.Subject && lastKey(base.KeyPath) == lastKey(f.KeyPath) || f.Role != site.RoleNode && base.Role == f.Role && base.Subject == f.Subject && base.Consumer == f.Consumer
			if !sameList || base.File == f.File || base.Value == f.Value || base.Layer == artifact.Append && j < i || !oneFamily(base.Value, f.Value) {
				continue
			}
			a.findAppended(base, f)
		}
	}
}

// lastKey is the list that an element of a path stands in.
func lastKey(keyPath string) string {
	keyPath, _, _ = strings.Cut(keyPath[strings.LastIndex(keyPath, ".")+1:], "[")
	return keyPath
}

func oneFamily(a, b string) bool {
	return strings.Contains(a, ":") == strings.Contains(b, ":")
}

func (a *fileAudit) findAppended(base, patch repository.Fact) {
	f := Finding{
		Objects: []string{where(patch), where(base)}, Addresses: []string{base.Value, patch.Value},
		Message: fmt.Sprintf("%s (%s) is appended to %s (%s): Talos merges this list to both.", patch.Value, where(patch), base.Value, where(base)),
	}
	if patch.Role == site.RoleNode {
		f.Severity = rules.Warning
		f.Consequence = "Addresses of both networks match; Talos keeps one of each family for the node and warns, and it may be the old one."
		f.Remedy = "Delete the old entry in the patch ($patch: delete) before the new one, or replace it in the base."
	} else {
		f.Consequence = "At most one subnet of each family is allowed: Kubernetes refuses two ranges of one family."
		f.Remedy = "Use op: replace on the list, or a strategic merge patch, which replaces it."
	}
	a.find(ruleListAppended, f)
}

// where writes the place of a fact as a person would look it up.
func where(f repository.Fact) string {
	text := fmt.Sprintf("%s:%d", f.File, f.Line)
	if f.KeyPath != "" {
		text += " " + f.KeyPath
	}
	if f.Origin == artifact.Implicit {
		text += " (not stated: the default of " + f.Source + ")"
	}
	return text
}

func (a *fileAudit) find(rule string, f Finding) {
	f.Rule = rule
	if f.Severity == "" {
		for _, r := range fileRules() {
			if r.Slug == rule {
				f.Severity = r.Severity
			}
		}
	}
	a.report.Findings = append(a.report.Findings, f)
}

// nothing says that no file was recognised: that proves nothing of a site.
func (a *fileAudit) nothing(facts *repository.Facts) {
	if len(facts.List) > 0 {
		return
	}
	a.find(ruleNotInspected, Finding{
		Severity: rules.Error, Objects: []string{"files"},
		Message:     fmt.Sprintf("None of the %d files states an address in a form that is known.", len(facts.Files)),
		Consequence: "Nothing was compared, so that nothing here says the site is sound.",
		Remedy:      "Look at the globs: they should name the files of Talos, K3s, kubeadm, Cilium, Kube-OVN, Cozystack, Ansible, Flux or BIRD.",
	})
}

func (a *fileAudit) unset(list []repository.Unset) {
	for _, u := range list {
		a.find(ruleVariableUnset, Finding{
			Objects:     []string{fmt.Sprintf("%s:%d", u.File, u.Line)},
			Message:     fmt.Sprintf("The variable ${%s} is used in %s, line %d, and no ConfigMap that Flux substitutes from sets it.", u.Name, u.File, u.Line),
			Consequence: "The field is empty, or the whole Kustomization fails.",
			Remedy:      fmt.Sprintf("Set %s, for example with cidrplan_flux_substitutions, or give it a default: ${%s:=…}.", u.Name, u.Name),
		})
	}
}

func (a *fileAudit) unknown() {
	for _, f := range a.facts {
		if f.Origin != artifact.Unknown {
			continue
		}
		value := f.Value
		if value == "" {
			value = string(f.Subject)
		}
		a.find(ruleFactUnknown, Finding{
			Objects: []string{where(f)}, Addresses: []string{f.Value},
			Message:     fmt.Sprintf("%s could not be read at %s: %s.", value, where(f), f.Source),
			Consequence: "Nothing here says whether it collides with anything.",
			Remedy:      "State the value where files can be read, or audit the running cluster.",
		})
	}
}

func (a *fileAudit) writtenWrong() {
	for _, f := range a.facts {
		prefix, err := netip.ParsePrefix(f.Written)
		if err != nil || f.Subject != artifact.SubjectCIDRs || f.Role == "" || prefix == prefix.Masked() {
			continue
		}
		a.find(ruleWrittenWrong, Finding{
			Objects: []string{where(f)}, Addresses: []string{f.Written, f.Value},
			Message:     fmt.Sprintf("%s at %s has host bits: who reads it takes it for %s, that is %s to %s.", f.Written, where(f), f.Value, space.First(prefix.Masked()), space.Last(prefix.Masked())),
			Consequence: "Other addresses are handed out than the text seems to say.",
			Remedy:      fmt.Sprintf("Write %s if that is meant.", f.Value),
		})
	}
}

// thingOf groups facts that must say the same: the Services' range whoever reads
// it, and the ranges of each allocator.
func thingOf(f repository.Fact) string {
	switch {
	case f.Subject != artifact.SubjectCIDRs || f.Origin == artifact.Unknown || f.Name != "":
		return ""
	case f.Role == site.RoleService:
		return "the Services' range"
	case f.Role == site.RolePod && f.Allocator == site.AllocatorKubeOVN:
		return "Kube-OVN's pod range"
	case f.Role == site.RolePod && f.Allocator == site.AllocatorKubeControllerManager:
		return "the cluster CIDR"
	case f.Role == site.RoleJoin:
		return "Kube-OVN's join range"
	case f.Allocator == site.AllocatorCiliumOperator:
		return "Cilium's pool"
	}
	return ""
}

// statement is what one file says of one thing.
type statement struct {
	file   string
	values []string
	facts  []repository.Fact
}

func (a *fileAudit) statements() (things []string, by map[string][]statement) {
	by = map[string][]statement{}
	for _, f := range a.facts {
		thing := thingOf(f)
		if thing == "" {
			continue
		}
		if by[thing] == nil {
			things = append(things, thing)
		}
		list := by[thing]
		i := slices.IndexFunc(list, func(s statement) bool { return s.file == f.File && s.facts[0].Document == f.Document })
		if i < 0 {
			list = append(list, statement{file: f.File})
			i = len(list) - 1
		}
		list[i].values = append(list[i].values, f.Value)
		list[i].facts = append(list[i].facts, f)
		by[thing] = list
	}
	slices.Sort(things)
	return things, by
}

func (a *fileAudit) disagree() {
	things, by := a.statements()
	for _, thing := range things {
		list := by[thing]
		var places, values []string
		for _, s := range list {
			slices.Sort(s.values)
			values = append(values, strings.Join(slices.Compact(s.values), ", "))
			places = append(places, where(s.facts[0]))
		}
		if len(slices.Compact(slices.Sorted(slices.Values(values)))) < 2 {
			continue
		}
		lines := make([]string, len(places))
		for i := range places {
			lines[i] = fmt.Sprintf("%s at %s", values[i], places[i])
		}
		a.find(ruleFilesDisagree, Finding{
			Objects: places, Addresses: values,
			Message:     fmt.Sprintf("The files say different things of %s: %s.", thing, several(lines)),
			Consequence: "Whichever is applied last counts for its reader, and the others mean addresses that nobody has.",
			Remedy:      "Let one plan write it into all of them.",
		})
	}
}

// claim is a range that somebody hands out, by a file.
type claim struct {
	fact repository.Fact
	ip   netipx.IPRange
}

// twoAllocators finds ranges of different allocators that overlap. The cluster CIDR
// is nobody's while Cilium has a pool of its own.
func (a *fileAudit) twoAllocators() {
	excluded := a.exclusions()
	var claims []claim
	for _, f := range a.facts {
		r, ok := artifact.LooseRange(f.Value)
		if !ok || f.Subject != artifact.SubjectCIDRs || f.Role == "" || f.Role == site.RoleNode || f.Origin == artifact.Unknown || a.idle(f) {
			continue
		}
		claims = append(claims, claim{f, r})
	}
	reported := map[string]bool{}
	for i, x := range claims {
		for _, y := range claims[i+1:] {
			common, ok := space.Intersection(x.ip, y.ip)
			if !ok || sameThing(x.fact, y.fact) || carved(x, y, excluded) {
				continue
			}
			key := thingOf(x.fact) + x.fact.Name + "|" + thingOf(y.fact) + y.fact.Name + space.FormatRange(common)
			if reported[key] {
				continue
			}
			reported[key] = true
			a.find(ruleFilesTwoAllocators, Finding{
				Objects: []string{where(x.fact), where(y.fact)}, Addresses: []string{space.FormatRange(common)},
				Message:     fmt.Sprintf("%s (%s, %s) and %s (%s, %s) have %s in common.", described(x.fact), x.fact.Value, where(x.fact), described(y.fact), y.fact.Value, where(y.fact), space.FormatRange(common)),
				Consequence: consequence(x.fact, y.fact),
				Remedy:      remedy(x.fact, y.fact),
			})
		}
	}
}

// idle reports whether nobody draws from a cluster CIDR: Kube-OVN gives pods their
// addresses and Cilium has a pool of its own, or Cilium's pool gives them.
func (a *fileAudit) idle(f repository.Fact) bool {
	if f.Role != site.RolePod || f.Allocator != site.AllocatorKubeControllerManager {
		return false
	}
	return slices.ContainsFunc(a.facts, func(m repository.Fact) bool { return m.Subject == artifact.SubjectMode && m.Value == "cluster-pool" })
}

// sameThing reports whether two facts are copies of one: the same role of the same
// allocator, or the Services' range, which has one owner.
func sameThing(x, y repository.Fact) bool {
	if x.Role == site.RoleLoadBalancer && y.Role == x.Role {
		return x.File == y.File && x.KeyPath == y.KeyPath || x.Name == y.Name && x.Value == y.Value
	}
	return x.Role == y.Role && (x.Allocator == y.Allocator || x.Role == site.RoleService || x.Role == site.RoleJoin)
}

func (a *fileAudit) exclusions() *netipx.IPSet {
	var ranges []netipx.IPRange
	for _, f := range a.facts {
		if r, ok := artifact.LooseRange(f.Value); ok && f.Subject == artifact.SubjectExcluded && f.Origin == artifact.Declared {
			ranges = append(ranges, r)
		}
	}
	return set(ranges...)
}

// carved reports whether one of two ranges lies in the other and is excluded there.
func carved(x, y claim, excluded *netipx.IPSet) bool {
	for _, pair := range [][2]claim{{x, y}, {y, x}} {
		if pair[0].fact.Allocator == site.AllocatorKubeOVN && excluded.ContainsRange(pair[1].ip) {
			return true
		}
	}
	return false
}

func described(f repository.Fact) string {
	if thing := thingOf(f); thing != "" {
		return thing
	}
	text := strings.ReplaceAll(string(f.Role), "_", " ")
	if f.Name != "" {
		text += " " + f.Name
	}
	return "the range of " + text
}

func consequence(x, y repository.Fact) string {
	if x.Role == site.RoleService || y.Role == site.RoleService {
		return "A ClusterIP can be an address that something else has: it is unreachable where that is nearer."
	}
	if x.Role == site.RoleLoadBalancer && y.Role == x.Role {
		return "Cilium disables the newer pool completely; two other allocators hand out one address twice."
	}
	return "Sooner or later two things hold one address: an Ingress address is refused loudly, a router address fails in silence."
}

func remedy(x, y repository.Fact) string {
	if x.Allocator == site.AllocatorKubeOVN && y.Role == site.RolePod || y.Allocator == site.AllocatorKubeOVN && x.Role == site.RolePod {
		return "Give Cilium a pool of its own (ipam.mode cluster-pool), cut from the end of Kube-OVN's range and excluded there; cidrplan_site plans it."
	}
	return "Give each a range of its own; cidrplan_site plans disjoint ones."
}

// againstPlan compares what files state with the plan.
func (a *fileAudit) againstPlan() {
	if a.plan == nil {
		return
	}
	for _, f := range a.facts {
		if f.Subject != artifact.SubjectCIDRs || f.Origin == artifact.Unknown || f.Role == "" || f.Role == site.RoleNode || f.Role == site.RoleOther {
			continue
		}
		r, ok := artifact.LooseRange(f.Value)
		if !ok || a.isPlanned(f, r) {
			continue
		}
		a.find(ruleFileDiffersFromPlan, Finding{
			Objects: []string{where(f)}, Addresses: []string{f.Value},
			Message:     fmt.Sprintf("%s is %s at %s, which the plan of the site %q does not say.", described(f), f.Value, where(f), a.plan.Site),
			Consequence: "Its reader uses addresses that the plan gives to nobody, or to somebody else.",
			Remedy:      "Let the writer of this file own the field, or pin the range on the site.",
		})
	}
}

func (a *fileAudit) isPlanned(f repository.Fact, r netipx.IPRange) bool {
	for _, n := range a.plan.Networks {
		same := n.Role == f.Role || f.Allocator == site.AllocatorCiliumOperator && (n.Role == site.RoleCiliumPool || n.Role == site.RolePod)
		if same && slices.ContainsFunc(n.Ranges, func(p plan.Range) bool { return p.IPRange == r }) {
			return true
		}
	}
	return false
}

func (a *fileAudit) nativeRouting() {
	for _, f := range a.facts {
		native, err := netip.ParsePrefix(f.Value)
		if f.Subject != artifact.SubjectMasqueraded || err != nil {
			continue
		}
		for _, pods := range a.facts {
			prefix, err := netip.ParsePrefix(pods.Value)
			if pods.Role != site.RolePod || pods.Subject != artifact.SubjectCIDRs || err != nil || prefix.Addr().Is4() != native.Addr().Is4() || inside(prefix, []netip.Prefix{native}) {
				continue
			}
			a.find(ruleKeyIgnored, Finding{
				Severity: rules.Warning,
				Objects:  []string{where(f), where(pods)}, Addresses: []string{f.Value, pods.Value},
				Message:     fmt.Sprintf("The native routing range %s (%s) does not hold the pods' range %s (%s).", f.Value, where(f), pods.Value, where(pods)),
				Consequence: "Packets between pods are masqueraded: they see a node's address.",
				Remedy:      fmt.Sprintf("Set it to a prefix that holds %s.", pods.Value),
			})
			break
		}
	}
}
