// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// words lists allowed values for a description.
func words[T ~string](values []T) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = "`" + string(v) + "`"
	}
	return strings.Join(quoted, ", ")
}

func siteSchema() schema.Schema {
	attributes := map[string]schema.Attribute{
		"name": schema.StringAttribute{Required: true,
			MarkdownDescription: "Name of the site. It is recorded in the plan, keeps the lock files of different sites apart, and decides the site's own IPv6 range and the places of networks without a convention: a site that is renamed is another site."},
		"datapath": schema.StringAttribute{Required: true,
			MarkdownDescription: "Which set of allocators hands out addresses: " + words(site.Datapaths()) + ". `kubeovn-cilium` is Cozystack (Kube-OVN owns the pods, Cilium is chained behind it), `cilium-cluster-pool` is Cilium with node ranges cut by its operator, `cilium-kubernetes` is Cilium on `Node.spec.podCIDR`, `kubeovn` is Kube-OVN alone, `node-ipam` is kube-controller-manager alone (Flannel, Calico host-local)."},
		"distribution": schema.StringAttribute{Optional: true,
			MarkdownDescription: "Whose conventions and limits apply: " + words(site.Distributions()) + ". K3s and RKE2 use 10.42.0.0/16 and 10.43.0.0/16 where the others use 10.244.0.0/16 and 10.96.0.0/16. Default: none named, which plans as for `kubeadm`."},
		"existing": schema.BoolAttribute{Optional: true,
			MarkdownDescription: "Whether the cluster is installed already. Then the ranges of pods, Services and joins must be stated, by `cidrs` or a lock file, and writers refuse changes of Cilium's address management that need a migration. Default: `false`."},
		"gateway_api": schema.BoolAttribute{Optional: true,
			MarkdownDescription: "Whether Cilium runs Envoy on every node (Gateway API or Ingress). Each node then takes an Ingress address besides its router address, and under Kube-OVN the pool must lie in a range that it masquerades. Default: `true` for `kubeovn-cilium`, else `false`."},
		"ip_families": schema.ListAttribute{Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Address families, `ipv4` and `ipv6`; the first is primary. Default: `[\"ipv4\"]`."},
		"max_nodes": schema.Int64Attribute{Optional: true,
			MarkdownDescription: fmt.Sprintf("Number of nodes that the site is to have room for. It decides the size of the pod network, the Cilium pool and the join network. Default: `%d`.", site.DefaultMaxNodes)},
		"pods_per_node": schema.Int64Attribute{Optional: true,
			MarkdownDescription: fmt.Sprintf("Number of pods of a node, kubelet's `maxPods`. It decides the size of node ranges. Default: `%d`.", site.DefaultPodsPerNode)},
		"max_services": schema.Int64Attribute{Optional: true,
			MarkdownDescription: fmt.Sprintf("Number of Services that the site is to have room for. Default: `%d`.", site.DefaultMaxServices)},
		"address_space": schema.ListAttribute{Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Prefixes that the site may use, the preferred one first. Default: the private ranges, 100.64.0.0/10 and the site's own ULA /48, which is derived from its name."},
		"reserved": schema.MapAttribute{Optional: true, ElementType: types.ListType{ElemType: types.StringType},
			MarkdownDescription: "Ranges that belong to somebody else, by owner: `{ office = [\"10.2.0.0/16\"] }`. Prefixes, `first-last` ranges or single addresses. Nothing is placed there, and what is pinned there is an error that names the owner."},
		"hosts": schema.MapAttribute{Optional: true, ElementType: types.Int64Type,
			MarkdownDescription: "Host number of each node, by node name: its static address in every network of role `node` is the first address plus this number. Each number once."},
		"versions": schema.MapAttribute{Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Versions of components, `major.minor` or `major.minor.patch`, which decide the rules that apply. Keys: " + words(site.VersionKeys()) + "."},
		"accept": schema.MapAttribute{Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Findings that are no problem here, `rule/network` to the reason: `{ \"public-range/pod\" = \"the range is ours\" }`. An accepted finding becomes an info, and the reason stands in the plan."},
		"allow_move": schema.MapAttribute{Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Permits one move of a network that cannot normally move, network to the prefix that it leaves: `{ pod = \"10.244.0.0/16\" }`. It means nothing once the network has left that prefix."},
		"native_routing_cidrs": schema.ListAttribute{Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Prefixes that Cilium routes without masquerading (`ipv4NativeRoutingCIDR`, `ipv6NativeRoutingCIDR`), to be held against the plan: they must cover the pods. Default: not stated."},
		"lock_file": schema.StringAttribute{Optional: true,
			MarkdownDescription: "Path of the lock file, the plan that `cidrplan_plan_file` keeps in Git. What it records stays. A file that does not exist yet is no error. A file that was edited by hand, is of another site or of a newer version is."},
		"lock": schema.StringAttribute{Optional: true,
			MarkdownDescription: "The lock as text, for plans that are kept elsewhere. At most one of `lock` and `lock_file`."},
		"fail_on": schema.StringAttribute{Optional: true,
			MarkdownDescription: "The least severity of a finding that fails the read: `error` (default), `warning` or `none`. With `none` a plan in which two allocators share a range is still not handed out: `plan` is null then."},

		"plan": schema.StringAttribute{Computed: true,
			MarkdownDescription: "The plan document as JSON, in its one byte form. Feed it to `cidrplan_plan_file` and the writers."},
		"digest": schema.StringAttribute{Computed: true,
			MarkdownDescription: "Digest of the plan document, `sha256:` and 64 hexadecimal digits."},
		"summary": schema.StringAttribute{Computed: true,
			MarkdownDescription: "The plan as a table to read."},
		"networks":       networksAttribute(),
		"host_addresses": hostAddressesAttribute(),
		"findings":       findingsAttribute(),
	}
	return schema.Schema{
		MarkdownDescription: "Computes the plan of one site from its declaration: which ranges each network gets, who hands out their addresses, and why. In the plan every address has exactly one allocator. Everything is known at plan time when the declaration is.",
		Attributes:          attributes,
		Blocks: map[string]schema.Block{
			"network": schema.ListNestedBlock{
				MarkdownDescription: "A network that is more than convention. The networks of the datapath exist without a block.",
				NestedObject:        schema.NestedBlockObject{Attributes: networkBlockAttributes()},
			},
		},
	}
}

func networkBlockAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"name": schema.StringAttribute{Required: true,
			MarkdownDescription: "Name of the network. `pod`, `service`, `cilium_pool`, `join`, `transit` and `load_balancer` are well known and imply their role."},
		"role": schema.StringAttribute{Optional: true,
			MarkdownDescription: "What the network is for: " + words(site.Roles()) + ". A `node` network is one on which nodes have static addresses, a `container` hands out nothing itself: its parts are the networks. Default: as the name implies, else `other`."},
		"allocator": schema.StringAttribute{Optional: true,
			MarkdownDescription: "Who hands out the addresses: " + words(site.Allocators()) + ". Default: as datapath and role say."},
		"cidrs": schema.ListAttribute{Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Pinned prefixes, one for each family; pools may have several. A LoadBalancer network may hold ranges as well (`10.2.99.10-10.2.99.50`). Default: the convention of the datapath, else a place that follows from the network's name."},
		"carved_from": schema.StringAttribute{Optional: true,
			MarkdownDescription: "Name of the network that this one lies in and is excluded from, or of the container that it is a part of. Default for a `cilium_pool` without `cidrs`: `pod`."},
		"ipv4_prefix_length": schema.Int64Attribute{Optional: true,
			MarkdownDescription: "Wanted IPv4 prefix length, 1 to 32. Default: as the sizes of the site say."},
		"ipv6_prefix_length": schema.Int64Attribute{Optional: true,
			MarkdownDescription: "Wanted IPv6 prefix length, 1 to 128. Default: as the sizes of the site say."},
		"ipv4_node_prefix_length": schema.Int64Attribute{Optional: true,
			MarkdownDescription: "Length of the IPv4 range that each node gets out of this network. Default: 29 in a Cilium pool under Kube-OVN; for pods the smallest that holds twice `pods_per_node` (24 for 110)."},
		"ipv6_node_prefix_length": schema.Int64Attribute{Optional: true,
			MarkdownDescription: "Length of the IPv6 range that each node gets out of this network. Default: 125 in a Cilium pool under Kube-OVN, 64 for pods."},
		"gateway": schema.StringAttribute{Optional: true,
			MarkdownDescription: "Gateway address; of a dual-stack network one of each family, joined by a comma. Default: the first host where Kube-OVN allocates, else none."},
		"vlan_id": schema.Int64Attribute{Optional: true,
			MarkdownDescription: "VLAN id (802.1Q), 1 to 4094. Default: none."},
		"link": schema.StringAttribute{Optional: true,
			MarkdownDescription: "Name of the link on the nodes. Default: not stated."},
		"dhcp": schema.ListAttribute{Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Ranges inside this network that a DHCP server hands out. Static addresses, virtual addresses and carve-outs stay clear of them."},
		"vips": schema.MapAttribute{Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Virtual addresses of nodes inside this network, by name: `{ api = \"192.168.100.10\" }`."},
		"vpc": schema.StringAttribute{Optional: true,
			MarkdownDescription: "VPC of Kube-OVN that a further network of role `pod` lies in. Networks of different VPCs may repeat ranges in the datapath `kubeovn`; behind Cilium they may not, since Cilium knows an endpoint by its address alone. Default: the default VPC."},
		"announce": schema.StringAttribute{Optional: true,
			MarkdownDescription: "How a LoadBalancer pool becomes reachable: " + words(site.Announcements()) + ". A pool that is announced by `l2` must lie in a network of role `node`. Default: not stated."},
		"default_route": schema.BoolAttribute{Optional: true,
			MarkdownDescription: "Whether this network of role `node` carries the nodes' main default route, by its `gateway`. At most one does. Default: `false`."},
		"growth": schema.Int64Attribute{Optional: true,
			MarkdownDescription: "Number of doublings, 0 to 8, for which the space around each prefix of this network is kept free: with 1 a /16 can become a /15 without moving, and a pool can get a second prefix of its size beside the first. Only the placing of other networks changes. Default: `0`."},
		"formerly": schema.StringAttribute{Optional: true,
			MarkdownDescription: "Name under which the lock file still records this network. Renames it without moving it."},
	}
}
