// SPDX-License-Identifier: MPL-2.0

// Package fluxsubstitutions renders the facts of a site as variables of Flux: a
// ConfigMap for postBuild.substituteFrom of a Kustomization.
package fluxsubstitutions

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

// Summaries of what Flux would not substitute.
const (
	SummaryVariableName  = "Invalid Variable Name"
	SummaryVariableValue = "Value Does Not Survive Substitution"
	SummaryVariableTwice = "Variable Twice"
)

const defaultName = "cidrplan-site"

// Consumer returns the consumer. What survives is what kustomize-controller's
// substitution and the YAML parser after it leave alone (fluxcd/pkg kustomize,
// envsubst).
func Consumer() artifact.Consumer {
	return artifact.Consumer{
		Name: "flux_substitutions",
		Purpose: "Keeps the facts of a site in a ConfigMap that Flux takes variables from (`postBuild.substituteFrom` of a Kustomization). Each network has a variable for each family, `<NETWORK>_IPV4_CIDR` and `<NETWORK>_IPV6_CIDR`, its gateways `<NETWORK>_IPV4_GATEWAY`, the lengths of node ranges `<NETWORK>_IPV4_NODE_PREFIX_LENGTH`, its `<NETWORK>_VLAN_ID`, for LoadBalancer networks `<NETWORK>_IPV4_START` and `_STOP`, and for Services `<NETWORK>_IPV4_DNS`; a list of all its ranges is `<NETWORK>_CIDRS`. " +
			"A list is one line of JSON, which becomes a list where the variable stands alone and without quotes (`cidrs: ${POD_CIDRS}`) and one text inside quotes. Flux substitutes nothing at all if any key of the ConfigMap is no variable name, so such a key is refused.",
		Fragment:  "The ConfigMap as a manifest.",
		Documents: []yamledit.Selector{{Kind: "ConfigMap", Name: defaultName}},
		Options: []artifact.Option{
			{Name: "name", Type: artifact.String, Description: "Name of the ConfigMap. Default: `" + defaultName + "`."},
			{Name: "namespace", Type: artifact.String, Description: "Namespace of the ConfigMap that is created: that of the Kustomization, since Flux reads no other. Default: `flux-system`."},
			{Name: "prefix", Type: artifact.String, Description: "What each variable starts with, such as `SITE_`. Default: nothing."},
			{Name: "networks", Type: artifact.StringList, Description: "Networks that get variables. Default: all."},
			{Name: "variables", Type: artifact.StringMap, Description: "More variables, composed in the configuration, name to value; each name gets the prefix. A value that would not survive substitution is refused: several lines, or an address that ends in `::`. Default: none."},
		},
		Render:  render,
		Read:    Read,
		Inspect: inspect,
	}
}

// variableName is what the controller takes as a name
// (kustomize-controller, internal/controller; fluxcd/pkg kustomize).
func variableName(name string) bool {
	return regexp.MustCompile(`^[_[:alpha:]][_[:alpha:][:digit:]]*$`).MatchString(name)
}

func render(p *plan.Plan, o artifact.Options) (artifact.Result, site.Problems) {
	var problems site.Problems
	name, namespace := o.Text("name"), o.Text("namespace")
	if name == "" {
		name = defaultName
	}
	if namespace == "" {
		namespace = "flux-system"
	}
	for option, text := range map[string]string{"name": name, "namespace": namespace} {
		if reason := artifact.ObjectNameProblem(text); reason != "" {
			problems.Add(site.At(option), artifact.SummaryInvalidName, "This is no name of a Kubernetes object: %s.", reason)
		}
	}
	if prefix := o.Text("prefix"); prefix != "" && !variableName(prefix) {
		problems.Add(site.At("prefix"), SummaryVariableName, "No variable can start with %q: Flux takes letters, digits and '_', and no digit in front. Write a prefix such as \"SITE_\".", prefix)
	}
	v := variables{prefix: o.Text("prefix"), of: map[string]string{}, problems: &problems}
	for _, n := range networks(p, o, &problems) {
		v.network(p, n)
	}
	v.own(o.Map("variables"))
	result := artifact.Result{
		Document: yamledit.Selector{Kind: "ConfigMap", Name: name},
		Head: yamledit.Map{
			{Key: "apiVersion", Value: "v1"}, {Key: "kind", Value: "ConfigMap"},
			{Key: "metadata", Value: yamledit.Map{{Key: "name", Value: name}, {Key: "namespace", Value: namespace}}},
		},
	}
	for _, variable := range v.order {
		result.Fields = append(result.Fields, yamledit.Field{Path: yamledit.Keys("data", variable.name), Value: variable.value})
	}
	return result, problems
}

func networks(p *plan.Plan, o artifact.Options, problems *site.Problems) []plan.Network {
	names := o.List("networks")
	if names == nil {
		return p.Networks
	}
	var out []plan.Network
	for i, name := range names {
		n, ok := p.Network(name)
		if !ok {
			problems.Add(site.At("networks").Index(i), artifact.SummaryUnknownNetwork, "%s", artifact.UnknownNetwork(p, name))
			continue
		}
		out = append(out, n)
	}
	return out
}

// variables collects variables in their order.
type variables struct {
	prefix   string
	order    []variable
	of       map[string]string // which network a variable belongs to
	problems *site.Problems
}

type variable struct{ name, value string }

func (v *variables) add(network, suffix, value string) {
	name := v.prefix + strings.ToUpper(strings.ReplaceAll(network, "-", "_")) + "_" + suffix
	if other, taken := v.of[name]; taken {
		v.problems.Add(site.At("networks"), SummaryVariableTwice, "The networks %q and %q would both give the variable %s. Name the networks that get variables in networks, or rename one with formerly, which moves nothing.", other, network, name)
		return
	}
	v.of[name] = network
	v.order = append(v.order, variable{name, value})
}

// network adds what a network says: scalars, which survive wherever they stand,
// and one list in the only form of a list that survives.
func (v *variables) network(p *plan.Plan, n plan.Network) {
	for _, f := range p.Families {
		family := strings.ToUpper(f.String())
		if prefix, ok := n.First(f); ok {
			v.add(n.Name, family+"_CIDR", prefix.String())
		}
		if gateway, ok := n.Gateway(f); ok {
			v.add(n.Name, family+"_GATEWAY", gateway.String())
		}
		if length := n.NodePrefix(f); length > 0 {
			v.add(n.Name, family+"_NODE_PREFIX_LENGTH", strconv.Itoa(length))
		}
		if n.Role == site.RoleService {
			if dns, ok := n.DNSAddress(f); ok {
				v.add(n.Name, family+"_DNS", dns.String())
			}
		}
		v.bounds(n, f)
	}
	if n.VLAN > 0 {
		v.add(n.Name, "VLAN_ID", strconv.Itoa(n.VLAN))
	}
	v.add(n.Name, "CIDRS", jsonList(n))
}

// bounds adds the first and the last address of a LoadBalancer network, where it
// has one range of the family.
func (v *variables) bounds(n plan.Network, f space.Family) {
	if n.Role != site.RoleLoadBalancer {
		return
	}
	var ranges []plan.Range
	for _, r := range n.Ranges {
		if r.Family() == f {
			ranges = append(ranges, r)
		}
	}
	if len(ranges) != 1 || strings.HasSuffix(ranges[0].From().String(), "::") {
		return // an address that ends in :: is no scalar in block style
	}
	family := strings.ToUpper(f.String())
	v.add(n.Name, family+"_START", ranges[0].From().String())
	v.add(n.Name, family+"_STOP", ranges[0].To().String())
}

func jsonList(n plan.Network) string {
	texts := make([]string, len(n.Ranges))
	for i, r := range n.Ranges {
		texts[i] = r.String()
	}
	text, err := json.Marshal(texts)
	if err != nil {
		panic("fluxsubstitutions: a list of texts did not encode, which is a bug: " + err.Error())
	}
	return string(text)
}

// own adds the variables of the configuration.
func (v *variables) own(extra map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		at := site.At("variables").Key(name)
		value := extra[name]
		full := v.prefix + name
		switch {
		case !variableName(full):
			v.problems.Add(at, SummaryVariableName, "%q is no name of a variable: Flux takes letters, digits and '_', and no digit in front, and with one wrong name it substitutes nothing at all. Write it as %q.", full, regexp.MustCompile(`[^_A-Za-z0-9]`).ReplaceAllString("V_"+full, "_"))
		case v.of[full] != "":
			v.problems.Add(at, SummaryVariableTwice, "The variable %s already says a fact of the network %q. Choose another name.", full, v.of[full])
		case valueProblem(value) != "":
			v.problems.Add(at, SummaryVariableValue, "The value of %s would not arrive as it is: %s.", full, valueProblem(value))
		default:
			v.order = append(v.order, variable{full, value})
		}
	}
}

// valueProblem says why a value does not survive substitution and the YAML parser
// after it.
func valueProblem(value string) string {
	switch {
	case strings.ContainsAny(value, "\r\n"):
		return `Flux takes line breaks out of values, so that a list over several lines becomes one broken line. Write it on one line, as JSON: ["10.0.0.0/8", "10.2.0.0/16"]`
	case strings.HasSuffix(value, "::") || strings.HasSuffix(value, ":"):
		return "a plain YAML text cannot end in a colon, and quotes around the variable do not survive kustomize. Give it a length, such as fd00::/64, or the last group, such as fd00::0"
	case strings.Contains(value, "${"):
		return "Flux substitutes once and leaves a variable inside a value as it is. Compose the value in the configuration"
	case looseList(value):
		return `it is one text with blanks behind the commas, which a program that splits at commas reads as addresses with a blank in front. Write it as JSON: ["10.0.0.0/8", "10.2.0.0/16"], or without blanks`
	}
	return ""
}

// looseList reports whether a text is ranges joined by comma and blank.
func looseList(value string) bool {
	parts := strings.Split(value, ", ")
	if len(parts) < 2 {
		return false
	}
	for _, part := range parts {
		if _, ok := artifact.LooseRange(part); !ok {
			return false
		}
	}
	return true
}

// inspect finds keys of the ConfigMap that make Flux refuse all of it.
func inspect(d artifact.Document) site.Problems {
	var problems site.Problems
	for _, key := range d.Get("data").Keys() {
		if !variableName(key) {
			problems.Add(site.At("path"), SummaryVariableName, "The ConfigMap %q has the key %q, which is no name of a variable (line %d). Flux then refuses the whole Kustomization: \"var name is invalid\". Move that key to a ConfigMap of its own, or choose another one for the variables with name.", d.Name, key, d.Get("data", key).Line())
		}
	}
	return problems
}

// Read returns the ranges that the variables of a ConfigMap state. What they are
// for shows only where they are used, so that they have no role; the variable is
// their name.
func Read(src []byte) ([]artifact.Fact, error) {
	documents, err := artifact.ReadDocuments(src)
	if err != nil {
		return nil, err
	}
	var facts artifact.Facts
	for _, d := range documents {
		facts.In(d)
		data := d.Get("data")
		if d.Kind != "ConfigMap" || slices.ContainsFunc(data.Keys(), func(key string) bool { return !variableName(key) }) {
			continue
		}
		for _, key := range data.Keys() {
			readVariable(&facts, key, data.Get(key))
		}
	}
	return facts.InOrder(), nil
}

func readVariable(facts *artifact.Facts, name string, value artifact.Node) {
	fact := artifact.Fact{Name: name, Subject: artifact.SubjectCIDRs}
	if list := value.Inside(); list.IsList() {
		for _, item := range list.Items() {
			if _, ok := artifact.LooseRange(item.Text()); ok {
				facts.Range(item, item.Text(), fact)
			}
		}
		return
	}
	parts := strings.FieldsFunc(value.Text(), func(r rune) bool { return r == ',' || r == ' ' })
	for _, part := range parts {
		if _, ok := artifact.LooseRange(part); !ok {
			return // not a text of ranges
		}
	}
	for _, part := range parts {
		facts.Range(value, part, fact)
	}
}
