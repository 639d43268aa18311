// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/cluster"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/rules"
)

func collisionRules() []Rule {
	return []Rule{
		{
			Slug: "pod-has-router-address", Severity: rules.Error, Title: "Pod has its node's router address",
			Explanation: "A pod has the address that Cilium's agent of its own node holds as router (`CiliumInternalIP`, on `cilium_host`). Nothing refuses it, since the router is no endpoint: the pod runs, and everything that the node sends to it ends at the node itself (cilium pkg/endpoint/api; cozystack#3740).",
			check:       func(a *audit) { a.podCollisions("router", true) },
		},
		{
			Slug: "pod-has-ingress-address", Severity: rules.Error, Title: "Pod has its node's Ingress address",
			Explanation: "A pod was given the address that the agent of its own node holds for Envoy (`spec.ingress` of the CiliumNode). The agent refuses the sandbox: `IP ipv4:… is already in use` (cilium pkg/endpoint/api/endpoint_api_manager.go; cozystack#3740).",
			check:       func(a *audit) { a.podCollisions("ingress", true) },
		},
		{
			Slug: "pod-has-health-address", Severity: rules.Error, Title: "Pod has its node's health address",
			Explanation: "A pod was given the address of the health endpoint of its own node, which the agent refuses. Chained agents have no such address.",
			check:       func(a *audit) { a.podCollisions("health", true) },
		},
		{
			Slug: "pod-has-address-of-other-node", Severity: rules.Error, Title: "Pod has an agent's address of another node",
			Explanation: "A pod has an address that an agent of another node holds. The pod is ready, but that one node cannot reach it: its kernel takes the address for its own. Seen for months behind a validating webhook (cozystack#3740).",
			check:       func(a *audit) { a.podCollisions("", false) },
		},
		{
			Slug: "sandbox-refused", Severity: rules.Error, Title: "Sandbox refused for its address",
			Explanation: "The kubelet reports that the CNI refused a sandbox because its address is in use, or because the node's range is full. Such a pod shows no address of its own, so that only the event names it.",
			check:       sandboxRefused,
		},
		{
			Slug: "one-address-two-agents", Severity: rules.Error, Title: "Two agents hold one address",
			Explanation: "Two nodes announce the same router, Ingress or health address, which happens when two CiliumNodes have overlapping ranges (cilium#15500, #17277).",
			check:       oneAddressTwoAgents,
		},
	}
}

// held is an address that a pod holds or was promised.
type held struct {
	pod  cluster.Name
	node string
	addr netip.Addr
}

// podAddresses calls yield for each address of pods: those that pods report, and
// those that Kube-OVN holds for pods that have none yet, since a refused sandbox has
// no address.
func (a *audit) podAddresses(yield func(held)) {
	for i := range a.Pods {
		p := &a.Pods[i]
		if p.HostNetwork {
			continue
		}
		for _, addr := range p.IPs {
			yield(held{p.Name, p.Node, addr})
		}
	}
	if len(a.IPs) == 0 {
		return
	}
	reported := make(map[cluster.Name]bool, len(a.Pods))
	for i := range a.Pods {
		reported[a.Pods[i].Name] = len(a.Pods[i].IPs) > 0
	}
	for _, ip := range a.IPs {
		if ip.Pod.Name == "" || ip.Pod.Namespace == "" || reported[ip.Pod] {
			continue // of a node, or known already
		}
		for _, addr := range ip.IPs {
			yield(held{ip.Pod, ip.Node, addr})
		}
	}
}

// meeting is a pod that has an address of an agent.
type meeting struct {
	held
	holder Infrastructure
}

// meet finds all of them in one pass, for the rules that tell them apart.
func (a *audit) meet() {
	a.podAddresses(func(h held) {
		for _, holder := range a.holders[h.addr] {
			a.meetings = append(a.meetings, meeting{h, holder})
		}
	})
}

// podCollisions finds pods that have an agent's address: of one kind on their own
// node, or of any kind on another one.
func (a *audit) podCollisions(kind string, own bool) {
	for _, m := range a.meetings {
		h, holder := m.held, m.holder
		if (holder.Node == h.node) != own || own && holder.Kind != kind {
			continue
		}
		a.report.Collisions = append(a.report.Collisions, Collision{h.pod, h.node, holder})
		a.find(Finding{
			Objects:     []string{"Pod/" + h.pod.String(), "CiliumNode/" + holder.Node},
			Addresses:   []string{h.addr.String()},
			Message:     fmt.Sprintf("The pod %s on %s has %s, which is the %s address of the agent on %s.", h.pod, h.node, h.addr, holder.Kind, holder.Node),
			Consequence: collisionConsequence(h, holder, own),
			Remedy:      a.collisionRemedy(h),
		})
	}
}

// collisionConsequence says what somebody would see: in silence at the router's
// address, loudly at the endpoints', and only from one node elsewhere.
func collisionConsequence(h held, holder Infrastructure, own bool) string {
	switch {
	case !own:
		return fmt.Sprintf("The pod looks healthy, but nothing on %s can reach it: an API server there cannot call its webhook.", holder.Node)
	case holder.Kind == "router":
		return "The pod runs, but everything that its node sends to it ends at the node itself: probes are refused and it never becomes ready."
	}
	family := "ipv4"
	if h.addr.Is6() {
		family = "ipv6"
	}
	return fmt.Sprintf("Its sandbox is refused again and again, \"IP %s:%s is already in use\", until it gets another address.", family, h.addr)
}

// collisionRemedy says what helps today: another address for the pod.
func (a *audit) collisionRemedy(h held) string {
	text := fmt.Sprintf("Delete the pod %s, so that it gets another address", h.pod)
	for _, n := range a.Subnets {
		if contains(n.CIDRs, h.addr) {
			text = fmt.Sprintf("Add %s to excludeIps of the Subnet %s, then delete the pod %s", h.addr, n.Name, h.pod)
			if !slices.Contains(a.report.Exclude, h.addr.String()) {
				a.report.Exclude = append(a.report.Exclude, h.addr.String())
			}
		}
	}
	return text + ". For good, give the agents a range that nobody else hands out."
}

func sandboxRefused(a *audit) {
	inUse := regexp.MustCompile(`IP ipv[46]:(\S+) is already in use`)
	for _, e := range a.Events {
		if e.Reason != "FailedCreatePodSandBox" {
			continue
		}
		f := Finding{Objects: []string{"Pod/" + e.Involved.String()}}
		if found := inUse.FindStringSubmatch(e.Message); found != nil {
			f.Addresses = []string{found[1]}
			f.Message = fmt.Sprintf("The sandbox of the pod %s was refused: %s is already in use.", e.Involved, found[1])
			f.Consequence = "The pod does not start until it gets another address."
			f.Remedy = fmt.Sprintf("See who holds %s (the router, Ingress and health addresses of CiliumNodes), exclude it where pods' addresses are handed out, and delete the pod.", found[1])
		} else {
			f.Message = fmt.Sprintf("The sandbox of the pod %s was refused: the range of its node is full.", e.Involved)
			f.Consequence = "No further pod starts on that node."
			f.Remedy = "Give nodes larger ranges (a new cluster, or another pool), or run fewer pods on the node."
		}
		a.find(f)
	}
}

func oneAddressTwoAgents(a *audit) {
	for _, n := range a.CiliumNodes {
		for _, addr := range slices.Concat(n.Router, n.Ingress, n.Health) {
			holders := a.holders[addr]
			if len(holders) < 2 || holders[0].Node != n.Name.Name || holders[0].Node == holders[1].Node {
				continue
			}
			var objects, names []string
			for _, h := range holders {
				objects, names = append(objects, "CiliumNode/"+h.Node), append(names, h.Node+" ("+h.Kind+")")
			}
			a.find(Finding{
				Objects: objects, Addresses: []string{addr.String()},
				Message:     fmt.Sprintf("%s is held by the agents of %s.", addr, several(names)),
				Consequence: "Traffic between these nodes goes to the wrong one.",
				Remedy:      "Look at the ranges of both CiliumNodes: they overlap. Clear spec.ipam.podCIDRs of the newer one and restart its agent.",
			})
		}
	}
}
