// SPDX-License-Identifier: MPL-2.0

// Package schema holds plan documents against the published JSON Schema, by a
// validator that knows nothing of this provider and is no dependency of it.
package schema

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/fleet"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

func compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("../../templates/schema/plan-v1.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(document)
}

func documents(t *testing.T) []string {
	t.Helper()
	yes := true
	declarations := []site.Declaration{
		{Datapath: "kubeovn-cilium", Distribution: "talos", Hosts: map[string]int64{"n1": 11}, Accept: map[string]string{"public-range/pod": "ours"}, Versions: map[string]string{"cilium": "1.19"},
			Networks: []site.NetworkDeclaration{{Name: "lan", Role: "node", CIDRs: []string{"192.168.1.0/24"}, Gateway: "192.168.1.1", DHCP: []string{"192.168.1.100-192.168.1.199"}, VIPs: map[string]string{"api": "192.168.1.9"}, VLANID: new(int64(7)), Link: "mgmt0"},
				{Name: "load_balancer", CarvedFrom: "lan", CIDRs: []string{"192.168.1.200-192.168.1.250"}}}},
		{Datapath: "cilium-cluster-pool", IPFamilies: []string{"ipv6", "ipv4"}, GatewayAPI: &yes, Reserved: map[string][]string{"lab": {"10.9.0.1"}}},
		{Datapath: "node-ipam", Distribution: "k3s", Existing: true, Networks: []site.NetworkDeclaration{{Name: "cloud", Role: "container", CIDRs: []string{"10.0.0.0/16"}}}},
	}
	var out []string
	for _, d := range declarations {
		d.Name = "dc1"
		s, problems := site.Parse(d)
		first, planProblems := plan.Compute(s, nil)
		if len(problems)+len(planProblems) > 0 {
			t.Fatal(problems, planProblems)
		}
		s.MaxServices++
		second, _ := plan.Compute(s, first)
		out = append(out, first.Text(), second.Text())
	}
	f, problems := fleet.Compute(fleet.Declaration{Name: "all", AddressSpace: []string{"10.0.0.0/8"}, Sites: map[string]string{"dc1": `{"datapath":"kubeovn"}`}}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return append(out, f.Plan.Text())
}

func TestPlansFitTheSchema(t *testing.T) {
	s := compile(t)
	for _, text := range documents(t) {
		if err := validate(t, s, text); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
}

func TestTheSchemaRefuses(t *testing.T) {
	s := compile(t)
	good := documents(t)[0]
	for _, change := range [][2]string{
		{`"version": 1`, `"version": 2`},
		{`"site": "dc1"`, `"sight": "dc1"`},
		{`"role": "node"`, `"role": "nodes"`},
		{`"192.168.1.0/24"`, `"the office"`},
		{`"sha256:`, `"md5:`},
	} {
		if !strings.Contains(good, change[0]) {
			t.Fatalf("%s is not in the document", change[0])
		}
		if validate(t, s, strings.Replace(good, change[0], change[1], 1)) == nil {
			t.Errorf("a document with %s was accepted", change[1])
		}
	}
}
