// SPDX-License-Identifier: MPL-2.0

// Package loadbalancerpool renders the pool that LoadBalancer addresses come from:
// Cilium's CiliumLoadBalancerIPPool or MetalLB's IPAddressPool.
package loadbalancerpool

import (
	"net/netip"
	"strings"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

const (
	blocksCIDR  = "cidr"
	blocksRange = "range"

	kindCilium  = "CiliumLoadBalancerIPPool"
	kindMetalLB = "IPAddressPool"
)

// Consumer returns the consumer. Cilium's object is that of operator/pkg/lbipam
// (v2 since 1.18, v2alpha1 before), MetalLB's that of metallb.io/v1beta1.
func Consumer() artifact.Consumer {
	return artifact.Consumer{
		Name: "load_balancer_pool",
		Purpose: "Keeps the blocks of a LoadBalancer pool: of a CiliumLoadBalancerIPPool where Cilium hands the addresses out, of MetalLB's IPAddressPool where MetalLB does, as the allocator of the network says. " +
			"Prefixes and ranges give the same addresses: for Cilium `allowFirstLastIPs` is stated as `Yes`, since before 1.16 the first and the last address of a prefix were left out, and with `No` they still are. Selectors and everything else stay as they are.",
		Fragment:  "The pool as a manifest with the planned fields alone.",
		Documents: []yamledit.Selector{{Kind: kindCilium}, {Kind: kindMetalLB}},
		Options: []artifact.Option{
			{Name: "network", Type: artifact.String, Description: "Network of role `load_balancer` whose addresses the pool has. Default: the only one; with several it must be named."},
			{Name: "name", Type: artifact.String, Description: "Name of the object that is created. Default: the name of the network, with `-` for `_`."},
			{Name: "namespace", Type: artifact.String, Description: "Namespace of MetalLB's object that is created; Cilium's has none. Default: `metallb-system`."},
			{Name: "blocks", Type: artifact.String, Default: blocksCIDR, Allowed: []string{blocksCIDR, blocksRange}, Description: "Form of the blocks: `cidr`, prefixes, a range that is none as the smallest list of them, or `range`, first and last address. Default: `cidr`."},
			{Name: "api_version", Type: artifact.String, Allowed: []string{"v2", "v2alpha1"}, Description: "Version of Cilium's object: `v2` from Cilium 1.18 on, `v2alpha1` before. Default: by `versions.cilium` of the site, else `v2`."},
		},
		Render: render,
		Read:   Read,
	}
}

func render(p *plan.Plan, o artifact.Options) (artifact.Result, site.Problems) {
	var problems site.Problems
	n, ok := network(p, o, &problems)
	if !ok {
		return artifact.Result{}, problems
	}
	name := o.Text("name")
	if name == "" {
		name = strings.ReplaceAll(n.Name, "_", "-")
	}
	if reason := artifact.ObjectNameProblem(name); reason != "" {
		problems.Add(site.At("name"), artifact.SummaryInvalidName, "The pool cannot have this name: %s. Set name, such as name = \"default\".", reason)
	}
	switch n.Allocator {
	case site.AllocatorCiliumLBIPAM:
		if o.Text("namespace") != "" {
			problems.Add(site.At("namespace"), artifact.SummaryNoEffect, "A CiliumLoadBalancerIPPool belongs to the cluster and has no namespace. Leave it out.")
		}
		return cilium(p, n, name, o, &problems), problems
	case site.AllocatorMetalLB:
		if o.Text("api_version") != "" {
			problems.Add(site.At("api_version"), artifact.SummaryNoEffect, "api_version is that of Cilium's pool, but the addresses of the network %q are handed out by MetalLB. Leave it out.", n.Name)
		}
		return metalLB(n, name, o), problems
	}
	problems.Add(site.At("network"), artifact.SummaryUnsuitable, "The addresses of the network %q are handed out by %s, which reads no pool object. Set allocator = %q or %q on the network.", n.Name, n.Allocator, site.AllocatorCiliumLBIPAM, site.AllocatorMetalLB)
	return artifact.Result{}, problems
}

// network returns the LoadBalancer network that the option names, or the only one.
func network(p *plan.Plan, o artifact.Options, problems *site.Problems) (plan.Network, bool) {
	pools := p.Role(site.RoleLoadBalancer)
	names := make([]string, len(pools))
	for i, n := range pools {
		names[i] = n.Name
	}
	at := site.At("network")
	if name := o.Text("network"); name != "" {
		n, ok := p.Network(name)
		switch {
		case !ok:
			problems.Add(at, artifact.SummaryUnknownNetwork, "%s", artifact.UnknownNetwork(p, name))
		case n.Role != site.RoleLoadBalancer:
			problems.Add(at, artifact.SummaryUnsuitable, "The network %q has the role %q, but a pool holds a network of role %q.", name, n.Role, site.RoleLoadBalancer)
			ok = false
		}
		return n, ok
	}
	switch len(pools) {
	case 0:
		problems.Add(site.At("plan"), artifact.SummaryUnsuitable, "The plan of the site %q has no network of role load_balancer. Declare it on the site: network { name = \"load_balancer\", cidrs = [\"192.168.100.200-192.168.100.250\"] }.", p.Site)
		return plan.Network{}, false
	case 1:
		return pools[0], true
	}
	problems.Add(at, artifact.SummaryMissingOption, "The plan of the site %q has several LoadBalancer networks (%s), and a pool holds one. Say which: network = %q.", p.Site, strings.Join(names, ", "), names[0])
	return plan.Network{}, false
}

func cilium(p *plan.Plan, n plan.Network, name string, o artifact.Options, problems *site.Problems) artifact.Result {
	version := o.Text("api_version")
	if version == "" {
		version = "v2"
		if have, stated := p.Versions["cilium"]; stated && artifact.Older(have, "1.18") {
			version = "v2alpha1"
		}
	}
	if version == "v2" {
		artifact.NeedVersion(p, "cilium", "1.18", site.At("api_version"), "the pool as cilium.io/v2", problems)
	}
	return artifact.Result{
		Document: yamledit.Selector{Kind: kindCilium, Name: name},
		Head: yamledit.Map{
			{Key: "apiVersion", Value: "cilium.io/" + version}, {Key: "kind", Value: kindCilium},
			{Key: "metadata", Value: yamledit.Map{{Key: "name", Value: name}}},
		},
		Fields: []yamledit.Field{
			{Path: yamledit.Keys("spec", "blocks"), Value: ciliumBlocks(n, o.Text("blocks"))},
			{Path: yamledit.Keys("spec", "allowFirstLastIPs"), Value: "Yes"},
		},
	}
}

func ciliumBlocks(n plan.Network, form string) []any {
	var out []any
	if form == blocksRange {
		for _, r := range n.Ranges {
			out = append(out, yamledit.Map{{Key: "start", Value: r.From().String()}, {Key: "stop", Value: r.To().String()}})
		}
		return out
	}
	for _, prefix := range n.Prefixes() {
		out = append(out, yamledit.Map{{Key: "cidr", Value: prefix.String()}})
	}
	return out
}

func metalLB(n plan.Network, name string, o artifact.Options) artifact.Result {
	namespace := o.Text("namespace")
	if namespace == "" {
		namespace = "metallb-system"
	}
	var addresses []any
	if o.Text("blocks") == blocksRange {
		for _, r := range n.Ranges {
			addresses = append(addresses, r.From().String()+"-"+r.To().String())
		}
	} else {
		for _, prefix := range n.Prefixes() {
			addresses = append(addresses, prefix.String())
		}
	}
	return artifact.Result{
		Document: yamledit.Selector{Kind: kindMetalLB, Name: name},
		Head: yamledit.Map{
			{Key: "apiVersion", Value: "metallb.io/v1beta1"}, {Key: "kind", Value: kindMetalLB},
			{Key: "metadata", Value: yamledit.Map{{Key: "name", Value: name}, {Key: "namespace", Value: namespace}}},
		},
		Fields: []yamledit.Field{{Path: yamledit.Keys("spec", "addresses"), Value: addresses}},
	}
}

// Read returns the facts of LoadBalancer pools: the addresses that they hand out.
func Read(src []byte) ([]artifact.Fact, error) {
	documents, err := artifact.ReadDocuments(src)
	if err != nil {
		return nil, err
	}
	var facts artifact.Facts
	for _, d := range documents {
		facts.In(d)
		switch {
		case d.Kind == kindCilium && strings.HasPrefix(d.APIVersion, "cilium.io/"):
			readCilium(&facts, d)
		case d.Kind == kindMetalLB && strings.HasPrefix(d.APIVersion, "metallb.io/"):
			facts.Ranges(d.Get("spec", "addresses"), artifact.Fact{Role: site.RoleLoadBalancer, Allocator: site.AllocatorMetalLB, Name: d.Name, Subject: artifact.SubjectCIDRs})
		}
	}
	return facts.InOrder(), nil
}

// readCilium reads blocks, and cidrs as they were called before 1.16. A pool that
// is disabled counts: Cilium compares it with the others all the same.
func readCilium(facts *artifact.Facts, d artifact.Document) {
	fact := artifact.Fact{Role: site.RoleLoadBalancer, Allocator: site.AllocatorCiliumLBIPAM, Name: d.Name, Subject: artifact.SubjectCIDRs}
	spec := d.Get("spec")
	inner := spec.Get("allowFirstLastIPs").Text() == "No"
	for _, block := range append(spec.Get("blocks").Items(), spec.Get("cidrs").Items()...) {
		cidr, start, stop := block.Get("cidr"), block.Get("start"), block.Get("stop")
		switch {
		case cidr.Exists(): // it counts where both forms are given
			facts.Range(cidr, handedOut(cidr.Text(), inner), fact)
		case start.Exists() && stop.Exists():
			facts.Range(start, start.Text()+"-"+stop.Text(), fact)
		case start.Exists():
			facts.Range(start, start.Text(), fact)
		}
	}
}

// handedOut returns a prefix without its first and last address where Cilium
// leaves them out: in prefixes of more than two addresses.
func handedOut(text string, inner bool) string {
	prefix, err := netip.ParsePrefix(text)
	if err != nil || !inner || prefix.Bits() >= prefix.Addr().BitLen()-1 {
		return text
	}
	prefix = prefix.Masked()
	return space.FormatRange(netipx.IPRangeFrom(space.First(prefix).Next(), space.Last(prefix).Prev()))
}
