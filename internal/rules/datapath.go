// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"
	"net/netip"
	"strings"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

func datapathRules() []Rule {
	return []Rule{
		{
			Slug: "unmasqueraded-pool", Severity: Error, Title: "Cilium pool that Kube-OVN does not masquerade",
			Explanation: "With Gateway API or Ingress on, Envoy connects to backends from the node's Ingress address. Kube-OVN masquerades traffic of the host only if its source lies in a Subnet of the default VPC, the pod or the join range (ipset `ovn40subnets`, pkg/daemon/gateway_linux.go). From any other source the packet goes out unchanged, and the backend's reply dies on the backend's own node. A pool on 100.65.0.0/16 answered 200 on the backend's node and 503 on the others; one cut from the pod range answered on all (cozystack#3740). Kube-OVN's own example uses such a pool only with Envoy off.",
			check:       checkMasquerade,
		},
		{
			Slug: "tenant-ranges", Severity: Error, Title: "Range of Cozystack's tenant clusters",
			Explanation: "Cozystack's tenant Kubernetes clusters have 10.243.0.0/16 for pods and 10.95.0.0/16 for Services, fixed in the chart (packages/apps/kubernetes/templates/cluster.yaml at v1.6.2), with DNS on 10.95.0.10. A management cluster on the same ranges shadows them: the tenant's DNS asks itself, and images cannot be pulled (cozystack#4161). Tenants cannot be renumbered.",
			check:       checkTenants,
		},
		{
			Slug: "family-mismatch", Severity: Error, Title: "Pods and Services of different families",
			Explanation: "The API server's first service range must be of the family of its own address (`service IP family \"x\" must match public address family \"y\"`), Talos wants as many pod as service ranges, and a family without a pod range has no pods. Each family of the site needs a pod range, a service range, and a node network if any is declared.",
			check:       checkFamilies,
		},
		{
			Slug: "chained-ipv6-only", Severity: Error, Title: "Kube-OVN and Cilium with IPv6 alone",
			Explanation: "With Cilium chained behind Kube-OVN an IPv6-only cluster has no pod connectivity (kube-ovn#6681, open). Cozystack fills only the IPv4 values of Kube-OVN and leaves IPv6 off in Cilium, so that dual stack is not available there either (a warning).",
			check:       checkChainedIPv6,
		},
		{
			Slug: "exclusion-leaks", Severity: Info, Title: "Kube-OVN version that leaks exclusions",
			Explanation: "Before 1.15.24 an excluded address that was held when it was excluded, and is released later, becomes available again; creating or changing any IPPool of the Subnet then hands it to a pod (kube-ovn#7275, fixed by #7276; driven on v1.15.10 and v1.15.24). A static annotation takes an excluded address in every version.",
			check:       checkLeak,
		},
		{
			Slug: "existing-not-stated", Severity: Warning, Title: "Installed cluster with guessed ranges",
			Explanation: "On an existing site the ranges of pods, Services and joins are what the cluster was installed with, and cannot move. Where neither the declaration nor a lock file states them, the plan would be a guess.",
			check:       checkExisting,
		},
	}
}

func checkMasquerade(c *check) {
	if c.site.Datapath != site.KubeOVNCilium || !c.site.GatewayAPI {
		return
	}
	var masqueraded []netip.Prefix
	for _, n := range c.plan.Networks {
		if n.Allocator == site.AllocatorKubeOVN && (n.Role == site.RolePod || n.Role == site.RoleJoin) {
			masqueraded = append(masqueraded, n.Prefixes()...)
		}
	}
	for _, n := range c.plan.Networks {
		if !takesAgentAddresses(n) || n.Role == site.RolePod && n.Allocator == site.AllocatorKubeOVN {
			continue
		}
		for _, prefix := range n.Prefixes() {
			if covered(prefix, masqueraded) {
				continue
			}
			remedy := "Cut the pool from the end of the pod range and let Kube-OVN exclude it: carved_from = \"pod\"."
			family := space.FamilyOf(prefix.Addr())
			length := c.poolLength(n, family)
			if other, ok := plan.SuggestInside(withoutNetwork(c.plan, n.Name), string(site.RolePod), family, length); ok {
				remedy = fmt.Sprintf("Cut the pool from the end of the pod range and let Kube-OVN exclude it: carved_from = \"pod\" instead of cidrs gives %s with a /%d for each of %d nodes.", other, nodeLen(n, family), c.site.MaxNodes)
			}
			c.report(Finding{
				Networks: []string{n.Name}, Ranges: []string{prefix.String()},
				Message:     fmt.Sprintf("%s of the network %q lies in no range that Kube-OVN masquerades (%s), and Gateway API is on.", prefix, n.Name, list(masqueraded)),
				Consequence: "Envoy connects to backends from the node's Ingress address, and replies from other nodes never come back: the gateway answers 200 on the backend's node and 503 (upstream connect timeout) on all others.",
				Remedy:      remedy, Path: c.path(n, netipx.RangeOfPrefix(prefix)),
			})
		}
	}
}

func nodeLen(n plan.Network, f space.Family) int {
	if length := n.NodePrefix(f); length != 0 {
		return length
	}
	return f.Bits() - 3
}

func checkTenants(c *check) {
	if c.site.Datapath != site.KubeOVNCilium {
		return
	}
	tenants := []struct{ prefix, what string }{
		{"10.243.0.0/16", "the pods"},
		{"10.95.0.0/16", "the Services"},
	}
	for _, tenant := range tenants {
		theirs := netip.MustParsePrefix(tenant.prefix)
		for _, n := range c.plan.Networks {
			if n.Role == site.RoleContainer {
				continue
			}
			for _, r := range n.Ranges {
				shared, ok := space.Intersection(r.IPRange, netipx.RangeOfPrefix(theirs))
				if !ok {
					continue
				}
				f := Finding{
					Networks: []string{n.Name}, Ranges: []string{space.FormatRange(shared)},
					Message:     fmt.Sprintf("%s of the network %q touches %s, which is %s of every tenant cluster.", r, n.Name, theirs, tenant.what),
					Consequence: "Inside tenant clusters these addresses mean something else: a tenant's DNS on 10.95.0.10 asks itself, images cannot be pulled, and workers send management traffic to their own pods.",
					Remedy:      c.otherRange(n, r), Path: c.path(n, shared),
				}
				if !n.Role.Immovable() {
					f.Severity = Warning
				}
				c.report(f)
			}
		}
	}
}

func (c *check) otherRange(n plan.Network, r plan.Range) string {
	if prefix, ok := r.Prefix(); ok {
		if other, ok := c.suggest(n, r.Family(), prefix.Bits()); ok {
			return fmt.Sprintf("Give %q another range, for example %s.", n.Name, other)
		}
	}
	return fmt.Sprintf("Give %q another range.", n.Name)
}

func checkFamilies(c *check) {
	for _, role := range []site.Role{site.RolePod, site.RoleService} {
		n, ok := c.plan.Network(string(role))
		if !ok {
			continue
		}
		for _, family := range c.plan.Families {
			if len(n.Family(family)) == 0 {
				c.reportFamily(n, family)
			}
		}
	}
	nodes := c.plan.Role(site.RoleNode)
	for _, family := range c.plan.Families {
		missing := len(nodes) > 0
		for _, n := range nodes {
			missing = missing && len(n.Family(family)) == 0
		}
		if missing {
			c.reportFamily(nodes[0], family)
		}
	}
}

func (c *check) reportFamily(n plan.Network, family space.Family) {
	length := 64
	if family == space.IPv4 {
		length = 16
	} else if n.Role == site.RoleService {
		length = 112
	}
	remedy := fmt.Sprintf("Add an %s range, or take the family out of ip_families.", family)
	if other, ok := plan.Suggest(c.site, c.plan, n.Name, family, length); ok && n.Role != site.RoleNode {
		remedy = fmt.Sprintf("Add an %s range, for example %s, or take the family out of ip_families.", family, other)
	}
	c.report(Finding{
		Networks: []string{n.Name},
		Message:  fmt.Sprintf("The site has %s, but the network %q has no %s range.", familyList(c.plan.Families), n.Name, family),
		Consequence: "The control plane does not start, or no node has an address that its Services could use: " +
			"families of pods, Services and nodes must agree.",
		Remedy: remedy, Path: c.attribute(n, "cidrs"),
	})
}

func familyList(families []space.Family) string {
	names := make([]string, len(families))
	for i, f := range families {
		names[i] = f.String()
	}
	return strings.Join(names, " and ")
}

func checkChainedIPv6(c *check) {
	if c.site.Datapath != site.KubeOVNCilium || !c.plan.HasFamily(space.IPv6) {
		return
	}
	f := Finding{
		Networks: []string{string(site.RolePod)}, Path: site.At("ip_families"),
		Message:     "The site has IPv6 alone, and Cilium is chained behind Kube-OVN.",
		Consequence: "Pods have no connectivity.",
		Remedy:      "Use ip_families = [\"ipv4\"], or a datapath without chaining.",
	}
	if c.plan.HasFamily(space.IPv4) {
		f.Severity = Warning
		f.Message = "The site has both families, and Cilium is chained behind Kube-OVN."
		f.Consequence = "Cozystack sets only the IPv4 values of Kube-OVN and leaves IPv6 off in Cilium, so the IPv6 ranges of this plan stay unused there."
		f.Remedy = "Use ip_families = [\"ipv4\"] on Cozystack; elsewhere accept the finding with a reason."
	}
	c.report(f)
}

func checkLeak(c *check) {
	if !c.site.Datapath.Kubeovn() || !c.below("kube_ovn", 1, 15, 24) {
		return
	}
	for _, n := range c.plan.Networks {
		if n.Allocator != site.AllocatorKubeOVN || len(n.Excluded) == 0 {
			continue
		}
		c.report(Finding{
			Networks: []string{n.Name}, Ranges: n.ExcludedTexts(),
			Message:     fmt.Sprintf("%s is excluded from the network %q, and Kube-OVN %s may hand out excluded addresses that were held before.", strings.Join(n.ExcludedTexts(), ", "), n.Name, c.site.Versions["kube_ovn"]),
			Consequence: "Once an IPPool of that Subnet is created or changed, a pod can get an address that a Cilium agent holds.",
			Remedy:      "Exclude the range before anything holds an address in it, create no IPPool there, or run Kube-OVN 1.15.24.",
			Path:        site.At("versions").Key("kube_ovn"),
		})
	}
}

func checkExisting(c *check) {
	if !c.site.Existing {
		return
	}
	for _, n := range c.plan.Networks {
		if !n.Role.Immovable() || n.Name != string(n.Role) || n.Origin == plan.OriginDeclared || c.locked {
			continue
		}
		c.report(Finding{
			Networks: []string{n.Name}, Ranges: texts(n.Prefixes()),
			Message:     fmt.Sprintf("The cluster exists, but nothing states the range of the network %q; the plan assumes %s.", n.Name, rangesText(n)),
			Consequence: "If the cluster was installed with another range, every file that is written from this plan is wrong.",
			Remedy:      fmt.Sprintf("State what is in force: cidrs = [%q] on the network %q, or the lock file that records it.", n.Ranges[0], n.Name),
			Path:        c.attribute(n, "cidrs"),
		})
	}
}
