// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"
	"net/netip"
	"slices"
	"sync"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// wellKnown is a range that some product takes by default.
type wellKnown struct {
	prefix   netip.Prefix
	who      string
	severity Severity
	roles    []site.Role // for which the range is the usual one, and no finding
}

// wellKnowns is the table of other people's defaults. A row that covers most of
// 10.0.0.0/8 would hit every plan, so it is an info; so is a row that only hurts
// who runs that product.
//
//nolint:gochecknoglobals // a constant table, parsed once
var wellKnowns = sync.OnceValue(func() []wellKnown {
	rows := []struct {
		prefix, who string
		severity    Severity
		roles       []site.Role
	}{
		{"172.17.0.0/16", "Docker's first bridge (moby libnetwork/ipamutils)", Warning, nil},
		{"172.18.0.0/15", "Docker's next bridges (moby libnetwork/ipamutils)", Info, nil},
		{"172.20.0.0/14", "dn42 and Docker's next bridges", Info, nil},
		{"192.168.122.0/24", "libvirt's default network", Warning, nil},
		{"192.168.0.0/24", "home routers", Info, nil},
		{"192.168.1.0/24", "home routers", Info, nil},
		{"192.168.178.0/24", "home routers", Info, nil},
		{"10.88.0.0/16", "Podman's default network (containers.conf)", Info, nil},
		{"10.0.2.0/24", "KubeVirt's and VirtualBox's inner network of each machine", Info, nil},
		{"10.0.3.0/24", "LXC's bridge", Info, nil},
		{"10.8.0.0/24", "OpenVPN's tutorials", Info, nil},
		{"10.13.13.0/24", "WireGuard images", Info, nil},
		{"10.42.0.0/16", "pods of K3s and RKE2 (k3s pkg/util/net.go)", Info, []site.Role{site.RolePod, site.RoleCiliumPool}},
		{"10.43.0.0/16", "Services of K3s and RKE2 (k3s pkg/util/net.go)", Info, []site.Role{site.RoleService}},
		{"10.244.0.0/16", "pods of Talos, Flannel and kind", Info, []site.Role{site.RolePod, site.RoleCiliumPool}},
		{"10.96.0.0/12", "Services of kubeadm and Talos, up to 10.111.255.255", Info, []site.Role{site.RoleService, site.RolePod}},
		{"10.233.0.0/17", "Kubespray's Services and pods", Info, []site.Role{site.RolePod, site.RoleService}},
		{"10.152.183.0/24", "Services of MicroK8s", Info, []site.Role{site.RoleService}},
		{"172.30.0.0/16", "Services of OpenShift", Info, []site.Role{site.RoleService}},
		{"172.31.0.0/16", "the default VPC of AWS", Warning, nil},
		{"10.32.0.0/12", "Weave Net", Info, []site.Role{site.RolePod, site.RoleService}},
		{"10.1.0.0/16", "pods of MicroK8s", Info, []site.Role{site.RolePod, site.RoleCiliumPool}},
		{"10.128.0.0/14", "pods of OpenShift, and automatic networks of Google Cloud", Info, []site.Role{site.RolePod, site.RoleCiliumPool}},
		{"10.100.0.0/16", "Services of EKS", Info, []site.Role{site.RoleService, site.RolePod}},
		{"34.118.224.0/20", "Services of GKE", Info, []site.Role{site.RoleService}},
		{"10.16.0.0/16", "pods of Kube-OVN (dist/images/install.sh)", Info, []site.Role{site.RolePod, site.RoleCiliumPool}},
		{"192.168.2.0/24", "WireGuard tutorials and home routers", Info, nil},
		{"192.168.88.0/24", "MikroTik routers", Info, nil},
		{"192.168.0.0/16", "Calico's default pool, and Docker's bridges once 172.16.0.0/12 is used up", Info, []site.Role{site.RolePod}},
		{"100.80.0.0/16", "Cloudflare One", Info, nil},
		{"100.96.0.0/11", "pods of kOps and Tanzu, and Cloudflare One", Info, []site.Role{site.RolePod}},
		{"100.64.0.0/16", "joins of Kube-OVN and OVN-Kubernetes", Info, []site.Role{site.RoleJoin}},
		{"100.66.0.0/16", "Kilo's transit network in Cozystack", Info, []site.Role{site.RoleTransit}},
		{"100.88.0.0/16", "transit of OVN-Kubernetes", Info, []site.Role{site.RoleTransit}},
		{"fd00:42::/56", "pods of K3s and RKE2", Info, []site.Role{site.RolePod}},
		{"fd00:43::/112", "Services of K3s and RKE2", Info, []site.Role{site.RoleService}},
		{"fd00:10:16::/112", "pods of Kube-OVN", Info, []site.Role{site.RolePod}},
		{"fd00:100:64::/112", "joins of Kube-OVN", Info, []site.Role{site.RoleJoin}},
		{"fd00::/104", "Cilium's default pool", Info, []site.Role{site.RolePod, site.RoleCiliumPool}},
		{"fd10:0:2::/120", "KubeVirt's inner network of each machine", Info, nil},
		{"100.100.100.100/32", "Tailscale's DNS", Warning, []site.Role{site.RoleJoin}},
		{"100.115.92.0/23", "ChromeOS's containers", Info, nil},
		{"168.63.129.16/32", "Azure's wire server", Error, nil},
		{"fd7a:115c:a1e0::/48", "Tailscale (tailscale net/tsaddr)", Warning, nil},
		{"fd00:ec2::/32", "AWS's metadata and DNS services", Error, nil},
		{"fd54:616c:6f73::/48", "Talos HostDNS (pkg/machinery/constants)", Warning, nil},
	}
	out := make([]wellKnown, len(rows))
	for i, r := range rows {
		out[i] = wellKnown{netip.MustParsePrefix(r.prefix), r.who, r.severity, r.roles}
	}
	return out
})

func wellKnownRules() []Rule {
	return []Rule{{
		Slug: "well-known-range", Severity: Error, Title: "Range that others take by default",
		Explanation: "Some ranges are what a product takes when nobody says otherwise: Docker's and libvirt's bridges on the hosts, Podman, cloud metadata services, Tailscale, the defaults of other Kubernetes distributions. A cluster on such a range works until that product arrives: a host with a Docker bridge on the pods' range cannot reach them. Conventions and planned ranges are exempt, and so is a range in the role that it is usual for. Where only users of that product are hurt it is an info.",
		check:       checkWellKnown,
	}}
}

func checkWellKnown(c *check) {
	containers := c.plan.Role(site.RoleContainer)
	for _, n := range c.plan.Networks {
		if n.Origin != plan.OriginDeclared || !insideCluster(n.Role) {
			continue
		}
		for _, r := range n.Ranges {
			if inside(r, containers) {
				continue // a cloud network that the user knows
			}
			for _, w := range wellKnowns() {
				shared, ok := space.Intersection(r.IPRange, netipx.RangeOfPrefix(w.prefix))
				if ok && !slices.Contains(w.roles, n.Role) {
					c.reportWellKnown(n, r, w, shared)
				}
			}
		}
	}
}

// insideCluster reports whether the addresses of a role exist only inside the
// cluster, so that they can be chosen freely. A LAN is what it is.
func insideCluster(role site.Role) bool {
	switch role {
	case site.RolePod, site.RoleService, site.RoleCiliumPool, site.RoleJoin, site.RoleTransit:
		return true
	default:
		return false
	}
}

func (c *check) reportWellKnown(n plan.Network, r plan.Range, w wellKnown, shared netipx.IPRange) {
	c.report(Finding{
		Severity: w.severity, Networks: []string{n.Name}, Ranges: []string{space.FormatRange(shared)},
		Message:     fmt.Sprintf("%s of the network %q touches %s, which is %s.", r, n.Name, w.prefix, w.who),
		Consequence: "A host or a network where that product runs keeps these addresses for itself and does not reach the cluster's.",
		Remedy:      c.otherRange(n, r), Path: c.path(n, shared),
	})
}
