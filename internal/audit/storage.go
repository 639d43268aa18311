// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/cluster"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/rules"
)

func storageRules() []Rule {
	return []Rule{
		{
			Slug: "stale-instance-manager", Severity: rules.Error, Title: "Longhorn instance manager on an old address",
			Explanation: "Replicas are recorded through an instance manager whose address is not in its node's range. Longhorn cannot converge: desired stopped, reported running (longhorn-manager controller/instance_handler).",
			check:       staleInstanceManagers,
		},
		{
			Slug: "storage-gate", Severity: rules.Error, Title: "Storage forbids to restart a node",
			Explanation: "A Longhorn volume is faulted or degraded. Restarting another node now can take the last replica.",
			check:       storageGate,
		},
		{
			Slug: "attachment-waits", Severity: rules.Warning, Title: "VolumeAttachment waits",
			Explanation: "A VolumeAttachment is not attached; pods that need it stay in ContainerCreating. It is the sign, not the cause: never delete it first.",
			check:       attachmentWaits,
		},
		{
			Slug: "storage-network", Severity: rules.Error, Title: "Storage network overlaps another range",
			Explanation: "The range of a secondary network (whereabouts, host-local) overlaps a range of the cluster. It is one more allocator.",
			check:       storageNetwork,
		},
	}
}

// nodeRanges are the ranges that pods of a node have addresses of.
func (a *audit) nodeRanges(node string) []netip.Prefix {
	if a.chained {
		return a.podRanges()
	}
	if c, ok := a.ciliumNodes[node]; ok {
		return c.PodCIDRs
	}
	return a.nodes[node].PodCIDRs
}

func staleInstanceManagers(a *audit) {
	for _, im := range a.InstanceManagers {
		addr, err := netip.ParseAddr(im.IP)
		own := a.nodeRanges(im.Node)
		if err != nil || len(own) == 0 || contains(own, addr) {
			continue
		}
		engines, replicas := a.dependants(im)
		f := Finding{
			Objects: []string{"InstanceManager/" + im.Name.String()}, Addresses: []string{im.IP},
			Message:     fmt.Sprintf("The instance manager %s on %s has %s, outside %s.", im.Name.Name, im.Node, im.IP, joined(own)),
			Consequence: "Replicas and engines that are recorded through it cannot converge.",
		}
		switch {
		case len(engines) > 0:
			f.Remedy = fmt.Sprintf("Do not touch it: it runs %s. Move the workloads of these volumes first.", several(engines))
		case !a.autoSalvage():
			f.Remedy = "Switch Longhorn's setting auto-salvage on first."
		case len(replicas) > 0:
			f.Remedy = fmt.Sprintf("Do not touch it: %s is not desired stopped, or its volume has no other recoverable replica.", several(replicas))
		default:
			f.Remedy = fmt.Sprintf("Check the replica's data on the disk, then delete the pod %s alone. Longhorn makes it anew with an address of the node's range; nothing else of Longhorn's is to be removed by hand.", im.Name.Name)
		}
		a.find(f)
	}
}

// dependants returns the running engines of an instance manager, and its replicas
// that keep it from being recycled.
func (a *audit) dependants(im cluster.InstanceManager) (engines, replicas []string) {
	for _, e := range a.Engines {
		if e.InstanceManager == im.Name.Name && (e.Desired == "running" || e.Current == "running" || e.Current == "starting") {
			engines = append(engines, e.Name.Name)
		}
	}
	for _, r := range a.Replicas {
		if r.InstanceManager == im.Name.Name && (r.Desired != "stopped" || !a.recoverable(r.Volume)) {
			replicas = append(replicas, r.Name.Name)
		}
	}
	return engines, replicas
}

func (a *audit) recoverable(volume string) bool {
	return slices.ContainsFunc(a.Replicas, func(r cluster.Replica) bool {
		return r.Volume == volume && (r.FailedAt == "" || r.HealthyAt != "")
	})
}

func (a *audit) autoSalvage() bool {
	for _, s := range a.LonghornSettings {
		if s.Name.Name == "auto-salvage" {
			return s.Value == "true"
		}
	}
	return true // Longhorn's default
}

func storageGate(a *audit) {
	for _, v := range a.Volumes {
		f := Finding{
			Objects:     []string{"Volume/" + v.Name.String()},
			Message:     fmt.Sprintf("The Longhorn volume %s is %s and %s.", v.Name.Name, v.State, v.Robustness),
			Consequence: "Restarting a node now can take its last replica.",
			Remedy:      "Restart no node before every volume is attached and healthy.",
		}
		switch v.Robustness {
		case "faulted":
			a.find(f)
		case "degraded":
			f.Severity = rules.Warning
			f.Remedy = "Wait until its replicas are rebuilt."
			a.find(f)
		}
	}
}

func attachmentWaits(a *audit) {
	for _, v := range a.VolumeAttachments {
		text := ""
		if v.Error != "" {
			text = ": " + v.Error
		}
		a.find(Finding{
			Objects:     []string{"VolumeAttachment/" + v.Name.Name},
			Message:     fmt.Sprintf("The volume %s is not attached to %s%s.", v.Volume, v.Node, text),
			Consequence: "Pods that need it do not start.",
			Remedy:      "Look at the volume's engine and replicas; the attachment follows them.",
		})
	}
}

func storageNetwork(a *audit) {
	for _, n := range a.NetworkAttachments {
		for _, prefix := range n.CIDRs {
			for _, c := range a.clusterRanges() {
				common, ok := overlap(prefix, c.prefix)
				if !ok {
					continue
				}
				a.find(Finding{
					Objects: []string{"NetworkAttachmentDefinition/" + n.Name.String(), c.object}, Addresses: []string{common.String()},
					Message:     fmt.Sprintf("The secondary network %s (%s) and %s (%s) have %s in common.", n.Name, prefix, c.what, c.prefix, common),
					Consequence: "Both hand out the same addresses.",
					Remedy:      "Give the secondary network a range of its own.",
				})
			}
		}
	}
}
