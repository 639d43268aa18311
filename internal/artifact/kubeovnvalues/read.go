// SPDX-License-Identifier: MPL-2.0

package kubeovnvalues

import (
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// What Kube-OVN's charts have where values leave it unsaid.
const (
	chartDefault = "Kube-OVN's chart"

	defaultPods4     = "10.16.0.0/16"
	defaultServices4 = "10.96.0.0/12"
	defaultJoin4     = "100.64.0.0/16"
)

func podFact() artifact.Fact {
	return artifact.Fact{Role: site.RolePod, Allocator: site.AllocatorKubeOVN, Subject: artifact.SubjectCIDRs}
}

func joinFact() artifact.Fact {
	return artifact.Fact{Role: site.RoleJoin, Allocator: site.AllocatorKubeOVN, Subject: artifact.SubjectCIDRs}
}

// serviceFact has no allocator: Kube-OVN only wants to know the API server's range.
func serviceFact() artifact.Fact {
	return artifact.Fact{Role: site.RoleService, Subject: artifact.SubjectCIDRs}
}

// Read returns the facts of Kube-OVN's values wherever they stand, and of Subnets.
func Read(src []byte) ([]artifact.Fact, error) {
	documents, err := artifact.ReadDocuments(src)
	if err != nil {
		return nil, err
	}
	var facts artifact.Facts
	for _, d := range documents {
		facts.In(d)
		if d.Kind == "Subnet" && strings.HasPrefix(d.APIVersion, "kubeovn.io/") {
			readSubnet(&facts, d)
			continue
		}
		for _, values := range artifact.HelmValues(d, "kube-ovn", recognised) {
			ReadValues(&facts, values.Node, values.Layered)
		}
	}
	return facts.InOrder(), nil
}

func recognised(values artifact.Node) (artifact.Node, bool) {
	for _, candidate := range []artifact.Node{values, values.Get("kube-ovn"), values.Get("kubeovn")} {
		v1 := candidate.Get("ipv4", "POD_CIDR").Exists() || candidate.Get("dual_stack", "POD_CIDR").Exists() || candidate.Get("ipv6", "POD_CIDR").Exists() ||
			candidate.Get("networking", "EXCLUDE_IPS").Exists() || candidate.Get("networking", "NET_STACK").Exists()
		v2 := candidate.Get("networking", "pods").Exists() || candidate.Get("networking", "join", "cidr").Exists()
		if v1 || v2 {
			return candidate, true
		}
	}
	return values, false
}

// ReadValues reads the facts of chart values, of either version. What they leave
// unsaid is the chart's default, unless other values lie below.
func ReadValues(facts *artifact.Facts, values artifact.Node, layered bool) {
	networking := values.Get("networking")
	if networking.Get("pods").Exists() || networking.Get("stack").Exists() {
		readV2(facts, networking, layered)
		return
	}
	block := values.Get("ipv4")
	four := true
	switch networking.Get("NET_STACK").Text() {
	case "dual_stack":
		block, four = values.Get("dual_stack"), false
	case "ipv6":
		block, four = values.Get("ipv6"), false
	}
	for _, f := range []struct {
		key, unsaid string
		fact        artifact.Fact
	}{
		{"POD_CIDR", defaultPods4, podFact()},
		{"SVC_CIDR", defaultServices4, serviceFact()},
		{"JOIN_CIDR", defaultJoin4, joinFact()},
	} {
		if !facts.Ranges(block.Get(f.key), f.fact) && four && !layered {
			facts.Implicit(f.fact, chartDefault, f.unsaid)
		}
	}
	readGateways(facts, block.Get("POD_GATEWAY"))
	readExclusions(facts, networking.Get("EXCLUDE_IPS"), "")
}

func readV2(facts *artifact.Facts, networking artifact.Node, layered bool) {
	for _, f := range []struct {
		keys   []string
		unsaid string
		fact   artifact.Fact
	}{
		{[]string{"pods", "cidr"}, defaultPods4, podFact()},
		{[]string{"services", "cidr"}, defaultServices4, serviceFact()},
		{[]string{"join", "cidr"}, defaultJoin4, joinFact()},
	} {
		cidr := networking.Get(f.keys...)
		stated := facts.Ranges(cidr.Get("v4"), f.fact)
		if !stated && networking.Get("stack").Text() != "IPv6" && !layered {
			facts.Implicit(f.fact, chartDefault, f.unsaid)
		}
		facts.Ranges(cidr.Get("v6"), f.fact)
	}
	readGateways(facts, networking.Get("pods", "gateways", "v4"))
	readGateways(facts, networking.Get("pods", "gateways", "v6"))
	readExclusions(facts, networking.Get("excludeIps"), "")
}

func readGateways(facts *artifact.Facts, n artifact.Node) {
	facts.Ranges(n, artifact.Fact{Role: site.RolePod, Allocator: site.AllocatorKubeOVN, Subject: artifact.SubjectGateway})
}

// readExclusions reads what the allocator leaves out. Kube-OVN knows single
// addresses and first..last only: a prefix or a dash there excludes nothing.
func readExclusions(facts *artifact.Facts, n artifact.Node, name string) {
	before := len(facts.List)
	facts.Ranges(n, artifact.Fact{Role: site.RolePod, Allocator: site.AllocatorKubeOVN, Name: name, Subject: artifact.SubjectExcluded})
	for i := before; i < len(facts.List); i++ {
		f := &facts.List[i]
		if f.Origin == artifact.Declared && writtenOtherwise(n, f.KeyPath) {
			f.Origin, f.Source = artifact.Unknown, "Kube-OVN reads neither a prefix nor a dash in an exclusion, only an address or first..last"
		}
	}
}

// writtenOtherwise reports whether the exclusion at a key path is in a form that
// Kube-OVN does not read.
func writtenOtherwise(n artifact.Node, keyPath string) bool {
	for _, item := range append(n.Items(), n) {
		if item.KeyPath() == keyPath {
			return strings.ContainsAny(item.Text(), "/-")
		}
	}
	return false
}

func readSubnet(facts *artifact.Facts, d artifact.Document) {
	spec := d.Get("spec")
	fact := podFact()
	switch {
	case d.Name == joinSubnet:
		fact = joinFact()
	case spec.Get("vlan").Text() != "" && !spec.Get("logicalGateway").IsTrue():
		fact = artifact.Fact{Role: site.RoleOther, Allocator: site.AllocatorKubeOVN, Subject: artifact.SubjectCIDRs}
	}
	if d.Name != podSubnet && d.Name != joinSubnet {
		fact.Name = d.Name
	}
	facts.Ranges(spec.Get("cidrBlock"), fact)
	fact.Subject = artifact.SubjectGateway
	facts.Ranges(spec.Get("gateway"), fact)
	if fact.Role == site.RolePod {
		readExclusions(facts, spec.Get("excludeIps"), fact.Name)
	}
}
