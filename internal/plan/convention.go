// SPDX-License-Identifier: MPL-2.0

package plan

import (
	"net/netip"
	"sync"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// Convention4 returns the IPv4 range that a well-known network usually has in
// this datapath and distribution, and whose convention it is.
//
// Talos and kubeadm examples use 10.244.0.0/16 for pods (Talos
// pkg/machinery/constants); 10.96.0.0/16 is Cozystack's cut of kubeadm's
// 10.96.0.0/12; K3s and RKE2 use 10.42.0.0/16 and 10.43.0.0/16 (k3s
// pkg/util/net.go); Kube-OVN alone uses 10.16.0.0/16 and joins nodes on
// 100.64.0.0/16 (kube-ovn dist/images/install.sh); Kilo's transit range in
// Cozystack is 100.66.0.0/16 (cozystack packages/system/kilo/values.yaml).
func Convention4(d site.Datapath, distribution site.Distribution, role site.Role) (prefix netip.Prefix, whose string, ok bool) {
	var text string
	switch role {
	case site.RolePod:
		switch {
		case distribution.Rancher():
			text, whose = "10.42.0.0/16", "K3s and RKE2"
		case d == site.KubeOVN:
			text, whose = "10.16.0.0/16", "Kube-OVN"
		default:
			text, whose = "10.244.0.0/16", "Talos and kubeadm"
		}
	case site.RoleService:
		if distribution.Rancher() {
			text, whose = "10.43.0.0/16", "K3s and RKE2"
		} else {
			text, whose = "10.96.0.0/16", "Talos and kubeadm"
		}
	case site.RoleJoin:
		if !d.Kubeovn() {
			return netip.Prefix{}, "", false
		}
		text, whose = "100.64.0.0/16", "Kube-OVN"
	case site.RoleTransit:
		if d != site.KubeOVNCilium {
			return netip.Prefix{}, "", false
		}
		text, whose = "100.66.0.0/16", "Kilo"
	default:
		return netip.Prefix{}, "", false
	}
	return netip.MustParsePrefix(text), whose, true
}

// Convention6 returns the IPv6 range that a well-known network gets inside the
// first /48 of the site: a fixed subnet for each, so that the same network has
// the same last digits at every site. Kilo's transit network is IPv4 only.
func Convention6(base netip.Prefix, role site.Role) (netip.Prefix, bool) {
	var subnet, length int
	switch role {
	case site.RolePod:
		subnet, length = 0x0100, 56
	case site.RoleService:
		subnet, length = 0x0200, 112
	case site.RoleJoin:
		subnet, length = 0x0300, 112
	default:
		return netip.Prefix{}, false
	}
	if base.Bits() > 48 || !base.Addr().Is6() {
		return netip.Prefix{}, false
	}
	bytes := base.Addr().As16()
	bytes[6], bytes[7] = byte(subnet>>8), byte(subnet)
	return netip.PrefixFrom(netip.AddrFrom16(bytes), length), true
}

// convention returns the conventional range of a network in one family, in the
// length that the sizes ask for: longer than the convention where the user wants
// it so, shorter where the site outgrows it.
func convention(s *site.Site, role site.Role, f space.Family, length int) (netip.Prefix, string, bool) {
	var prefix netip.Prefix
	whose, ok := "", false
	if f == space.IPv4 {
		prefix, whose, ok = Convention4(s.Datapath, s.Distribution, role)
	} else {
		for _, base := range s.AddressSpace {
			if base.Addr().Is6() {
				prefix, ok = Convention6(base, role)
				whose = "this provider's layout of a site's /48"
				break
			}
		}
	}
	if !ok {
		return netip.Prefix{}, "", false
	}
	return netip.PrefixFrom(prefix.Addr(), length).Masked(), whose, true
}

// installed returns the range that a cluster runs which was installed without
// stating one: the default of the tool itself. Talos and kubeadm take 10.96.0.0/12
// for Services, which ends at 10.111.255.255 (Talos pkg/machinery/constants,
// kubeadm v1beta4 defaults).
func installed(s *site.Site, role site.Role, f space.Family, usual netip.Prefix) netip.Prefix {
	stated := s.Datapath.Kubeovn() || s.Distribution.Rancher() // by Kube-OVN's own values, or no wider than usual
	if role == site.RoleService && f == space.IPv4 && !stated && s.Distribution != "" {
		return netip.PrefixFrom(usual.Addr(), 12).Masked()
	}
	return usual
}

// othersConventions are ranges that some tool takes by default, which an
// automatically placed network avoids while there is other room: so that a later
// choice of datapath, a container runtime on the host or a tenant cluster does
// not meet it.
//
//nolint:gochecknoglobals // a constant table, parsed once
var othersConventions = sync.OnceValue(func() []netip.Prefix {
	return mustPrefixes(
		"10.244.0.0/16", "10.96.0.0/12", "10.42.0.0/15", "10.16.0.0/16", // pods and services
		"10.243.0.0/16", "10.95.0.0/16", // Cozystack's tenant clusters, fixed in its chart
		"100.64.0.0/10",                   // carrier NAT, Tailscale, Kube-OVN, Kilo
		"172.16.0.0/12", "192.168.0.0/16", // Docker's address pools, home routers
		"10.0.0.0/16", "10.88.0.0/16", // cloud networks, Podman
	)
})

// unusable are ranges that no host may have as a unicast address in a private
// network (RFC 6890 registries), so that nothing is ever placed there.
//
//nolint:gochecknoglobals // a constant table, parsed once
var unusable = sync.OnceValue(func() []netip.Prefix {
	return mustPrefixes(
		"0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
		"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
		"::/8", "64:ff9b::/96", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16",
		"fe80::/10", "fec0::/10", "ff00::/8",
	)
})

func mustPrefixes(texts ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}
