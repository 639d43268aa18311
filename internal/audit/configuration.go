// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/cluster"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/rules"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

func configurationRules() []Rule {
	return []Rule{
		{
			Slug: ruleNotInspected, Severity: rules.Error, Title: "Kind that could not be inspected",
			Explanation: "A kind could not be read: a permission is missing, the server failed, or a recording does not hold it. What was not inspected is never healthy.",
			check:       notInspected,
		},
		{
			Slug: "pool-meets-other-range", Severity: rules.Error, Title: "Cilium's pool overlaps another range",
			Explanation: "The pool that Cilium's operator cuts node ranges out of overlaps the Services', a node's address, or a range that the plan reserves. Nothing checks it (cilium#13766, #42383). The chart's own pool is 10.0.0.0/8.",
			check:       poolMeetsOtherRange,
		},
		{
			Slug: "mode-differs", Severity: rules.Error, Title: "Cilium runs another mode than the plan",
			Explanation: "`ipam` of cilium-config is not the mode of the plan's datapath.",
			check:       modeDiffers,
		},
		{
			Slug: "pool-not-planned", Severity: rules.Error, Title: "Cilium's pool differs from the plan",
			Explanation: "The pool of cilium-config is not the one of the plan. Entries may be appended; a changed or removed one leaves nodes with ranges of the old.",
			check:       poolNotPlanned,
		},
		{
			Slug: "agent-not-restarted", Severity: rules.Warning, Title: "Agent older than its configuration",
			Explanation: "cilium-config changed after an agent or the operator started. Neither reads its IPAM settings again while it runs, and a changed ConfigMap restarts nothing by itself.",
			check:       agentNotRestarted,
		},
		{
			Slug: "node-config-overrides", Severity: rules.Warning, Title: "CiliumNodeConfig overrides ranges",
			Explanation: "A CiliumNodeConfig sets the IPAM mode, a pool or a range for some nodes, so that cilium-config is not what they run.",
			check:       nodeConfigOverrides,
		},
		{
			Slug: "leftover-configuration", Severity: rules.Error, Title: "Leftover configuration that wins",
			Explanation: "On Cozystack's variant isp-full-generic a surviving ConfigMap `cozystack` of 0.x overrides the ranges of the platform Package (packages/core/platform/templates/bundles/system.yaml).",
			check:       leftoverConfiguration,
		},
		{
			Slug: "services-differ", Severity: rules.Error, Title: "Services' range differs from the plan",
			Explanation: "The ServiceCIDRs of the cluster are not the plan's. They are what the API server hands ClusterIPs out of; it keeps them when its flag changes.",
			check:       servicesDiffer,
		},
		{
			Slug: "arguments-differ", Severity: rules.Error, Title: "kube-controller-manager cuts another range than the plan",
			Explanation: "The cluster CIDR of kube-controller-manager, or of a K3s or RKE2 server, is not the pods' range of the plan.",
			check:       argumentsDiffer,
		},
		{
			Slug: "native-routing-range", Severity: rules.Error, Title: "Native routing range without the pods",
			Explanation: "`ipv4-native-routing-cidr` does not hold the pods' range: packets between pods are masqueraded, and policies see nodes instead of pods. With a chained Cilium the other CNI's range counts.",
			check:       nativeRoutingRange,
		},
	}
}

func releaseRules() []Rule {
	return []Rule{
		{
			Slug: "release-not-converged", Severity: rules.Warning, Title: "Flux does not work on a release",
			Explanation: "A HelmRelease or Kustomization of the network is suspended or not ready, so that what Git says is not what the cluster runs.",
			check:       releaseNotConverged,
		},
		{
			Slug: "release-differs", Severity: rules.Error, Title: "Release and cilium-config differ",
			Explanation: "The values of Cilium's HelmRelease say another mode or pool than cilium-config: somebody edited the ConfigMap, or the release has not been rolled out. Helm undoes an edit at the next upgrade.",
			check:       releaseDiffers,
		},
	}
}

func serviceRules() []Rule {
	return []Rule{
		{
			Slug: "services-handled-twice", Severity: rules.Warning, Title: "kube-proxy beside Cilium's replacement",
			Explanation: "`kube-proxy-replacement` of cilium-config is true and kube-proxy runs as well, so that both write rules for Services. That Cilium has a map of Services proves no replacement; the configuration decides.",
			check:       servicesHandledTwice,
		},
		{
			Slug: "pod-waits", Severity: rules.Info, Title: "Pod waits before its first container",
			Explanation: "A pod has a node and no container that started: its image is pulled, a volume is not attached, or its sandbox was refused for its address.",
			check:       podWaits,
		},
	}
}

func servicesHandledTwice(a *audit) {
	if a.config["kube-proxy-replacement"] != "true" && a.config["kube-proxy-replacement"] != "strict" {
		return
	}
	for _, w := range a.Workloads {
		if w.Name.Name != "kube-proxy" || w.Desired == 0 {
			continue
		}
		a.find(Finding{
			Objects:     []string{"DaemonSet/" + w.Name.String(), a.configName},
			Message:     fmt.Sprintf("Cilium replaces kube-proxy, and kube-proxy runs on %d nodes.", w.Desired),
			Consequence: "Both write rules for Services; connections that one of them made break when the other changes.",
			Remedy:      "Remove kube-proxy, or set kubeProxyReplacement to false.",
		})
	}
}

func podWaits(a *audit) {
	var pods []string
	for _, p := range a.Pods {
		if p.Waiting && !p.HostNetwork {
			pods = append(pods, "Pod/"+p.Name.String())
		}
	}
	if len(pods) == 0 {
		return
	}
	a.find(Finding{
		Objects:     pods,
		Message:     fmt.Sprintf("%d pods have a node and no container that started.", len(pods)),
		Consequence: "Some of them may wait for an address, or for a volume.",
		Remedy:      "See their events; what was refused for its address is a finding of its own.",
	})
}

func notInspected(a *audit) {
	for _, g := range a.NotInspected {
		hint := g.Hint
		if hint == "" {
			hint = "see why the server does not answer"
		}
		a.find(Finding{
			Objects:     []string{g.Kind},
			Message:     fmt.Sprintf("%s could not be inspected: %s.", g.Kind, g.Reason),
			Consequence: "What these objects would show is not known, so that nothing here says the cluster is healthy.",
			Remedy:      strings.ToUpper(hint[:1]) + hint[1:] + ".",
		})
	}
}

func poolMeetsOtherRange(a *audit) {
	for _, prefix := range a.pool() {
		for _, s := range a.ServiceCIDRs {
			for _, services := range s.CIDRs {
				if common, ok := overlap(prefix, services); ok {
					a.find(Finding{
						Objects: []string{a.configName, "ServiceCIDR/" + s.Name.Name}, Addresses: []string{common.String()},
						Message:     fmt.Sprintf("Cilium's pool %s and the Services' range %s have %s in common.", prefix, services, common),
						Consequence: "A node's block may cover ClusterIPs, which are then routed as pods.",
						Remedy:      "Narrow the pool to a range of its own; on a running cluster that is a migration.",
					})
				}
			}
		}
		a.poolMeetsNodes(prefix)
		a.poolMeetsReserved(prefix)
	}
}

func (a *audit) poolMeetsNodes(prefix netip.Prefix) {
	var objects, addrs []string
	for _, n := range a.Nodes {
		for _, addr := range n.InternalIPs {
			if prefix.Contains(addr) {
				objects, addrs = append(objects, "Node/"+n.Name.Name), append(addrs, addr.String())
			}
		}
	}
	if len(objects) > 0 {
		a.find(Finding{
			Objects: append([]string{a.configName}, objects...), Addresses: addrs,
			Message:     fmt.Sprintf("Cilium's pool %s holds the addresses of nodes: %s.", prefix, several(addrs)),
			Consequence: "Once a block covers the nodes' network, hosts lose their connection to it.",
			Remedy:      "Narrow the pool to a range of its own; on a running cluster that is a migration.",
		})
	}
}

func (a *audit) poolMeetsReserved(prefix netip.Prefix) {
	if a.plan == nil {
		return
	}
	for _, reserved := range a.plan.Reserved {
		for _, r := range reserved.Ranges {
			for _, other := range r.Prefixes() {
				if common, ok := overlap(prefix, other); ok {
					a.find(Finding{
						Objects: []string{a.configName}, Addresses: []string{common.String()},
						Message:     fmt.Sprintf("Cilium's pool %s overlaps %s, which is reserved for %s.", prefix, other, reserved.Name),
						Consequence: fmt.Sprintf("Pods cannot reach %s once a node has a block in it.", reserved.Name),
						Remedy:      "Narrow the pool to a range of its own; on a running cluster that is a migration.",
					})
				}
			}
		}
	}
}

// plannedMode is the mode of the plan's datapath; empty where no Cilium runs.
func plannedMode(p *plan.Plan) string {
	switch p.Datapath {
	case site.CiliumKubernetes:
		return "kubernetes"
	case site.CiliumClusterPool, site.KubeOVNCilium:
		return "cluster-pool"
	}
	return ""
}

func modeDiffers(a *audit) {
	if a.plan == nil || a.mode == "" || plannedMode(a.plan) == "" || a.mode == plannedMode(a.plan) {
		return
	}
	a.find(Finding{
		Objects:     []string{a.configName},
		Message:     fmt.Sprintf("Cilium runs the mode %s, but the plan says %s.", a.mode, plannedMode(a.plan)),
		Consequence: "The agents draw from other ranges than the plan gives them.",
		Remedy:      "Changing the mode of a running cluster is a migration, step by step; cidrplan_cilium_values refuses it without allow_ipam_change.",
	})
}

func poolNotPlanned(a *audit) {
	pool := a.pool()
	if a.plan == nil || len(pool) == 0 {
		return
	}
	name := string(site.RolePod)
	if a.plan.Datapath == site.KubeOVNCilium {
		name = string(site.RoleCiliumPool)
	}
	n, ok := a.plan.Network(name)
	if !ok || plannedMode(a.plan) != "cluster-pool" || sameRanges(pool, n.Prefixes()) {
		return
	}
	a.find(Finding{
		Objects: []string{a.configName}, Addresses: append(texts(pool), texts(n.Prefixes())...),
		Message:     fmt.Sprintf("Cilium's pool is %s, but the plan says %s.", joined(pool), joined(n.Prefixes())),
		Consequence: "Nodes get ranges that the plan gives to nobody, or to somebody else.",
		Remedy:      "If the cluster is right, pin its prefixes on the site. If the plan only appends, apply the values and restart the operator.",
	})
}

func agentNotRestarted(a *audit) {
	config, ok := a.ConfigMap("cilium-config")
	if !ok || config.Changed == "" {
		return
	}
	var agents, names []string
	for _, p := range a.Pods {
		if p.Started == "" || p.Started >= config.Changed {
			continue
		}
		if p.Labels["k8s-app"] == "cilium" || p.Labels["io.cilium/app"] == "operator" || p.Labels["k8s-app"] == "cilium-operator" {
			agents, names = append(agents, "Pod/"+p.Name.String()), append(names, p.Name.String()+" on "+p.Node)
		}
	}
	if len(agents) == 0 {
		return
	}
	a.find(Finding{
		Objects:     append([]string{a.configName}, agents...),
		Message:     fmt.Sprintf("cilium-config changed at %s, after these started: %s.", config.Changed, several(names)),
		Consequence: "They run the configuration of before. Where only an unrelated key changed, nothing follows from it.",
		Remedy:      "Restart the operator and the agents, unless a migration says in which order.",
	})
}

func nodeConfigOverrides(a *audit) {
	for _, c := range a.CiliumNodeConfigs {
		var keys []string
		for key := range c.Defaults {
			if key == "ipam" || strings.HasPrefix(key, "cluster-pool-") || key == "ipv4-range" || key == "ipv6-range" {
				keys = append(keys, key+"="+c.Defaults[key])
			}
		}
		if len(keys) == 0 {
			continue
		}
		slices.Sort(keys)
		a.find(Finding{
			Objects:     []string{"CiliumNodeConfig/" + c.Name.String()},
			Message:     fmt.Sprintf("The CiliumNodeConfig %s sets %s.", c.Name, strings.Join(keys, ", ")),
			Consequence: "The nodes that it selects run other ranges than cilium-config says.",
			Remedy:      "Remove it, or say in the plan what these nodes are meant to have.",
		})
	}
}

func leftoverConfiguration(a *audit) {
	config, ok := a.ConfigMap("cozystack")
	if !ok || !slices.ContainsFunc(a.Packages, func(n cluster.Name) bool { return n.Name == "cozystack.cozystack-platform" }) {
		return
	}
	var keys []string
	for _, key := range []string{"ipv4-pod-cidr", "ipv4-pod-gateway", "ipv4-svc-cidr", "ipv4-join-cidr"} {
		if value := config.Data[key]; value != "" && !a.planned(value) {
			keys = append(keys, key+"="+value)
		}
	}
	if len(keys) == 0 {
		return
	}
	a.find(Finding{
		Objects:     []string{"ConfigMap/" + config.String()},
		Message:     fmt.Sprintf("The ConfigMap %s of Cozystack 0.x is still there, beside the platform Package, and sets %s.", config.Name, strings.Join(keys, ", ")),
		Consequence: "On the variant isp-full-generic it wins over the Package, whatever that says.",
		Remedy:      "Delete these keys, or the ConfigMap.",
	})
}

// planned reports whether a text is a prefix or gateway of the plan.
func (a *audit) planned(text string) bool {
	if a.plan == nil {
		return false
	}
	for _, n := range a.plan.Networks {
		if slices.Contains(texts(n.Prefixes()), text) || slices.Contains(texts(n.Gateways), text) {
			return true
		}
	}
	return false
}

func servicesDiffer(a *audit) {
	if a.plan == nil || len(a.ServiceCIDRs) == 0 {
		return
	}
	n, ok := a.plan.Network(string(site.RoleService))
	if !ok {
		return
	}
	var live []netip.Prefix
	var objects []string
	for _, s := range a.ServiceCIDRs {
		live = append(live, s.CIDRs...)
		objects = append(objects, "ServiceCIDR/"+s.Name.Name)
	}
	if sameRanges(live, n.Prefixes()) {
		return
	}
	a.find(Finding{
		Objects: objects, Addresses: append(texts(live), texts(n.Prefixes())...),
		Message:     fmt.Sprintf("Services get addresses of %s, but the plan says %s.", joined(live), joined(n.Prefixes())),
		Consequence: "Files that the plan writes tell the network another range than the API server uses.",
		Remedy:      fmt.Sprintf("The range of Services cannot change: pin cidrs = %q on the network \"service\" of the site.", texts(live)),
	})
}

func argumentsDiffer(a *audit) {
	cidrs, from := a.clusterCIDRs()
	if a.plan == nil || from == "" || !a.plan.Datapath.PerNode() {
		return
	}
	n, ok := a.plan.Network(string(site.RolePod))
	if !ok || sameRanges(cidrs, n.Prefixes()) {
		return
	}
	a.find(Finding{
		Objects: []string{from}, Addresses: append(texts(cidrs), texts(n.Prefixes())...),
		Message:     fmt.Sprintf("Node ranges are cut out of %s, but the plan says %s for pods.", joined(cidrs), joined(n.Prefixes())),
		Consequence: "Pods get addresses that the plan gives to nobody, or to somebody else.",
		Remedy:      fmt.Sprintf("The cluster CIDR cannot change while nodes hold ranges of it: pin cidrs = %q on the network \"pod\" of the site.", texts(cidrs)),
	})
}

func nativeRoutingRange(a *audit) {
	if a.config["routing-mode"] != "native" {
		return
	}
	for _, f := range []struct {
		key  string
		four bool
	}{{"ipv4-native-routing-cidr", true}, {"ipv6-native-routing-cidr", false}} {
		native, err := netip.ParsePrefix(a.config[f.key])
		if err != nil {
			continue
		}
		for _, prefix := range a.podRanges() {
			if prefix.Addr().Is4() != f.four || inside(prefix, []netip.Prefix{native.Masked()}) {
				continue
			}
			a.find(Finding{
				Objects: []string{a.configName}, Addresses: []string{native.String(), prefix.String()},
				Message:     fmt.Sprintf("%s is %s, which does not hold the pods' range %s.", f.key, native, prefix),
				Consequence: "Packets to these pods are masqueraded: they see the node's address instead of the pod's.",
				Remedy:      fmt.Sprintf("Set it to a prefix that holds %s.", prefix),
			})
		}
	}
}

// podRanges are the ranges that pods have addresses of.
func (a *audit) podRanges() []netip.Prefix {
	if a.chained {
		var out []netip.Prefix
		for _, n := range a.Subnets {
			if overlay(n) && n.Name.Name != "join" {
				out = append(out, n.CIDRs...)
			}
		}
		return out
	}
	if a.mode == "cluster-pool" {
		return a.pool()
	}
	cidrs, _ := a.clusterCIDRs()
	return cidrs
}

// ofTheNetwork reports whether a release is one of Cilium's, Kube-OVN's or
// Cozystack's network.
func ofTheNetwork(r cluster.Release) bool {
	return slices.ContainsFunc([]string{"cilium", "kubeovn", "kube-ovn", "metallb", "cozystack-platform"}, func(name string) bool {
		return r.Name.Name == name || strings.HasPrefix(r.Name.Name, name+"-")
	})
}

func releaseNotConverged(a *audit) {
	for _, r := range a.Releases {
		if !ofTheNetwork(r) || !r.Suspended && r.Ready {
			continue
		}
		state := "is suspended"
		if !r.Suspended {
			state = "is not ready"
			if r.Message != "" {
				state += " (" + r.Message + ")"
			}
		}
		a.find(Finding{
			Objects:     []string{r.Kind + "/" + r.Name.String()},
			Message:     fmt.Sprintf("The %s %s %s.", r.Kind, r.Name, state),
			Consequence: "What Git says of it is not what the cluster runs.",
			Remedy:      "See flux get, and let it converge before anything of the network is changed.",
		})
	}
}

func releaseDiffers(a *audit) {
	for _, r := range a.Releases {
		if r.Kind != "HelmRelease" || !strings.Contains(r.Name.Name, "cilium") || r.Values == "" || a.mode == "" {
			continue
		}
		var ipam struct {
			Mode     string `json:"mode"`
			Operator struct {
				Pool any `json:"clusterPoolIPv4PodCIDRList"`
			} `json:"operator"`
		}
		if json.Unmarshal([]byte(r.Values), &ipam) != nil {
			continue
		}
		var differs []string
		if ipam.Mode != "" && ipam.Mode != a.mode {
			differs = append(differs, fmt.Sprintf("ipam.mode is %s, cilium-config says %s", ipam.Mode, a.mode))
		}
		if want := listText(ipam.Operator.Pool); want != "" && a.mode == "cluster-pool" && want != strings.Join(strings.Fields(a.config["cluster-pool-ipv4-cidr"]), " ") {
			differs = append(differs, fmt.Sprintf("the pool is %s, cilium-config says %s", want, a.config["cluster-pool-ipv4-cidr"]))
		}
		if len(differs) == 0 {
			continue
		}
		a.find(Finding{
			Objects:     []string{"HelmRelease/" + r.Name.String(), a.configName},
			Message:     fmt.Sprintf("In the HelmRelease %s %s.", r.Name, strings.Join(differs, "; ")),
			Consequence: "The next upgrade writes the release's values into cilium-config, and new agents follow them.",
			Remedy:      "Change the source of the release, and let Flux roll it out.",
		})
	}
}

func listText(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []any:
		out := make([]string, len(v))
		for i, item := range v {
			out[i] = fmt.Sprint(item)
		}
		return strings.Join(out, " ")
	}
	return ""
}
