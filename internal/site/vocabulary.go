// SPDX-License-Identifier: MPL-2.0

package site

import "slices"

// Datapath says which set of allocators a site runs, and with that which
// networks it has and who hands out the addresses of each.
type Datapath string

// The supported datapaths.
const (
	// KubeOVNCilium is Cozystack's: Kube-OVN owns the pods, Cilium is chained
	// behind it and only takes infrastructure addresses, from a pool of its own.
	KubeOVNCilium Datapath = "kubeovn-cilium"
	// CiliumClusterPool is Cilium with ipam.mode cluster-pool: the operator cuts
	// node ranges out of the pod network.
	CiliumClusterPool Datapath = "cilium-cluster-pool"
	// CiliumKubernetes is Cilium with ipam.mode kubernetes: it consumes the
	// Node.spec.podCIDR that kube-controller-manager cuts.
	CiliumKubernetes Datapath = "cilium-kubernetes"
	// KubeOVN is Kube-OVN alone.
	KubeOVN Datapath = "kubeovn"
	// NodeIPAM is kube-controller-manager alone: Flannel, Calico host-local and
	// whatever else uses Node.spec.podCIDR.
	NodeIPAM Datapath = "node-ipam"
)

// Datapaths lists every datapath; validators and documentation are made from it.
func Datapaths() []Datapath {
	return []Datapath{KubeOVNCilium, CiliumClusterPool, CiliumKubernetes, KubeOVN, NodeIPAM}
}

// Kubeovn reports whether Kube-OVN hands out the pod addresses of this datapath.
func (d Datapath) Kubeovn() bool { return d == KubeOVNCilium || d == KubeOVN }

// Cilium reports whether Cilium agents run in this datapath.
func (d Datapath) Cilium() bool {
	return d == KubeOVNCilium || d == CiliumClusterPool || d == CiliumKubernetes
}

// PerNode reports whether pods draw from a range that was cut for their node,
// and not from one flat range.
func (d Datapath) PerNode() bool { return !d.Kubeovn() }

// Distribution says whose conventions and limits apply.
type Distribution string

// The supported distributions; the zero value names none.
const (
	Talos   Distribution = "talos"
	K3s     Distribution = "k3s"
	RKE2    Distribution = "rke2"
	Kubeadm Distribution = "kubeadm"
)

// Distributions lists every distribution that can be named.
func Distributions() []Distribution { return []Distribution{Talos, K3s, RKE2, Kubeadm} }

// Rancher reports whether the distribution is K3s or RKE2, which share their
// default ranges.
func (d Distribution) Rancher() bool { return d == K3s || d == RKE2 }

// Role says what a network is for.
type Role string

// The roles. A well-known network name implies the role of the same name.
const (
	RolePod          Role = "pod"
	RoleService      Role = "service"
	RoleCiliumPool   Role = "cilium_pool"
	RoleJoin         Role = "join"
	RoleTransit      Role = "transit"
	RoleLoadBalancer Role = "load_balancer"
	// RoleNode is a network, often a VLAN, on which nodes have static addresses.
	RoleNode Role = "node"
	// RoleContainer hands out nothing itself: its parts are the networks, and
	// lying inside it is no conflict.
	RoleContainer Role = "container"
	RoleOther     Role = "other"
)

// Roles lists every role.
func Roles() []Role {
	return []Role{
		RolePod, RoleService, RoleCiliumPool, RoleJoin, RoleTransit,
		RoleLoadBalancer, RoleNode, RoleContainer, RoleOther,
	}
}

// WellKnown reports the role that a network name implies, if it is a well-known one.
func WellKnown(name string) (Role, bool) {
	switch role := Role(name); role {
	case RolePod, RoleService, RoleCiliumPool, RoleJoin, RoleTransit, RoleLoadBalancer:
		return role, true
	default:
		return "", false
	}
}

// Immovable reports whether a network of this role cannot be renumbered once a
// cluster is installed on it.
func (r Role) Immovable() bool { return r == RolePod || r == RoleService || r == RoleJoin }

// Allocator names who hands out the addresses of a network.
type Allocator string

// The allocators.
const (
	AllocatorKubeOVN               Allocator = "kube-ovn"
	AllocatorCiliumAgent           Allocator = "cilium-agent"
	AllocatorCiliumOperator        Allocator = "cilium-operator"
	AllocatorKubeControllerManager Allocator = "kube-controller-manager"
	AllocatorKubeAPIServer         Allocator = "kube-apiserver"
	AllocatorCiliumLBIPAM          Allocator = "cilium-lb-ipam"
	AllocatorMetalLB               Allocator = "metallb"
	AllocatorKilo                  Allocator = "kilo"
	AllocatorStatic                Allocator = "static"
	AllocatorDHCP                  Allocator = "dhcp"
	AllocatorExternal              Allocator = "external"
)

// Allocators lists every allocator.
func Allocators() []Allocator {
	return []Allocator{
		AllocatorKubeOVN, AllocatorCiliumAgent, AllocatorCiliumOperator, AllocatorKubeControllerManager,
		AllocatorKubeAPIServer, AllocatorCiliumLBIPAM, AllocatorMetalLB, AllocatorKilo,
		AllocatorStatic, AllocatorDHCP, AllocatorExternal,
	}
}

// Announcement is how a LoadBalancer pool becomes reachable.
type Announcement string

// The announcements; the zero value states none.
const (
	// AnnounceL2 answers ARP and neighbour discovery on a link of the nodes.
	AnnounceL2 Announcement = "l2"
	// AnnounceBGP tells routers, so that the pool need not be a network of the nodes.
	AnnounceBGP Announcement = "bgp"
)

// Announcements lists the announcements.
func Announcements() []Announcement { return []Announcement{AnnounceL2, AnnounceBGP} }

// VersionKeys lists the components whose versions a site may state.
func VersionKeys() []string {
	return []string{"cilium", "cozystack", "k3s", "kube_ovn", "kubernetes", "rke2", "talos"}
}

// Strings turns a list of one of the vocabulary types into plain strings, for
// validators, documentation and error texts.
func Strings[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

// Nearest returns the candidate that a misspelled word most likely meant, or ""
// if none is near.
func Nearest(word string, candidates []string) string {
	best, bestDistance := "", len(word)/2+1
	for _, candidate := range slices.Sorted(slices.Values(candidates)) {
		if d := distance(word, candidate); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// distance is the Levenshtein distance over bytes; every word compared is ASCII.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
