// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"encoding/json"
	"slices"
	"strings"
)

// kind is one kind that counts, for the list request as for a recorded file.
type kind struct {
	Kind     string   // as objects name it
	Group    string   // empty for the core
	Versions []string // newest first; a server that has none of them lacks the kind
	Resource string   // plural
	Needed   bool     // whether every cluster has it, so that its absence is a gap

	fieldSelector string // what the server need not send
	take          func(*Snapshot, []byte) error
}

// String names the kind as RBAC does.
func (k kind) String() string {
	if k.Group == "" {
		return k.Resource
	}
	return k.Resource + "." + k.Group
}

// take makes the function that decodes one object and keeps what counts.
func take[W any](keep func(*Snapshot, W)) func(*Snapshot, []byte) error {
	return func(s *Snapshot, raw []byte) error {
		var wire W
		if err := json.Unmarshal(raw, &wire); err != nil {
			return err
		}
		keep(s, wire)
		return nil
	}
}

// kinds is everything that is read. Versions and fields are those of Kubernetes
// 1.30 to 1.37, Cilium 1.15 to 1.20, Kube-OVN 1.15 and 1.16, Flux 2 and Longhorn 1.6
// and later.
func kinds() []kind {
	return []kind{
		{Kind: "Node", Versions: []string{"v1"}, Resource: "nodes", Needed: true, take: take(keepNode)},
		{Kind: "Pod", Versions: []string{"v1"}, Resource: "pods", Needed: true, fieldSelector: "status.phase!=Succeeded,status.phase!=Failed", take: take(keepPod)},
		{Kind: "Service", Versions: []string{"v1"}, Resource: "services", Needed: true, take: take(keepService)},
		{Kind: "ConfigMap", Versions: []string{"v1"}, Resource: "configmaps", Needed: true, take: take(keepConfigMap)},
		{Kind: "Event", Versions: []string{"v1"}, Resource: "events", Needed: true, take: take(keepEvent)},
		{Kind: "DaemonSet", Group: "apps", Versions: []string{"v1"}, Resource: "daemonsets", Needed: true, take: take(keepWorkload("DaemonSet"))},
		{Kind: "Deployment", Group: "apps", Versions: []string{"v1"}, Resource: "deployments", Needed: true, take: take(keepWorkload("Deployment"))},
		{Kind: "ServiceCIDR", Group: "networking.k8s.io", Versions: []string{"v1", "v1beta1"}, Resource: "servicecidrs", take: take(keepServiceCIDR)},
		{Kind: "VolumeAttachment", Group: "storage.k8s.io", Versions: []string{"v1"}, Resource: "volumeattachments", take: take(keepVolumeAttachment)},
		{Kind: "CiliumNode", Group: "cilium.io", Versions: []string{"v2"}, Resource: "ciliumnodes", take: take(keepCiliumNode)},
		{Kind: "CiliumNodeConfig", Group: "cilium.io", Versions: []string{"v2", "v2alpha1"}, Resource: "ciliumnodeconfigs", take: take(keepCiliumNodeConfig)},
		{Kind: "CiliumEndpoint", Group: "cilium.io", Versions: []string{"v2"}, Resource: "ciliumendpoints", take: take(keepCiliumEndpoint)},
		{Kind: "CiliumPodIPPool", Group: "cilium.io", Versions: []string{"v2alpha1"}, Resource: "ciliumpodippools", take: take(keepPodIPPool)},
		{Kind: "CiliumLoadBalancerIPPool", Group: "cilium.io", Versions: []string{"v2", "v2alpha1"}, Resource: "ciliumloadbalancerippools", take: take(keepCiliumPool)},
		{Kind: "IPAddressPool", Group: "metallb.io", Versions: []string{"v1beta1"}, Resource: "ipaddresspools", take: take(keepMetalLBPool)},
		{Kind: "Subnet", Group: "kubeovn.io", Versions: []string{"v1"}, Resource: "subnets", take: take(keepSubnet)},
		{Kind: "IP", Group: "kubeovn.io", Versions: []string{"v1"}, Resource: "ips", take: take(keepIP)},
		{Kind: "Package", Group: "cozystack.io", Versions: []string{"v1alpha1"}, Resource: "packages", take: take(keepPackage)},
		{Kind: "HelmRelease", Group: "helm.toolkit.fluxcd.io", Versions: []string{"v2", "v2beta2"}, Resource: "helmreleases", take: take(keepRelease("HelmRelease"))},
		{Kind: "Kustomization", Group: "kustomize.toolkit.fluxcd.io", Versions: []string{"v1"}, Resource: "kustomizations", take: take(keepRelease("Kustomization"))},
		{Kind: "Volume", Group: "longhorn.io", Versions: []string{"v1beta2"}, Resource: "volumes", take: take(keepVolume)},
		{Kind: "Replica", Group: "longhorn.io", Versions: []string{"v1beta2"}, Resource: "replicas", take: take(keepReplica)},
		{Kind: "Engine", Group: "longhorn.io", Versions: []string{"v1beta2"}, Resource: "engines", take: take(keepEngine)},
		{Kind: "InstanceManager", Group: "longhorn.io", Versions: []string{"v1beta2"}, Resource: "instancemanagers", take: take(keepInstanceManager)},
		{Kind: "Setting", Group: "longhorn.io", Versions: []string{"v1beta2"}, Resource: "settings", take: take(keepSetting)},
		{Kind: "NetworkAttachmentDefinition", Group: "k8s.cni.cncf.io", Versions: []string{"v1"}, Resource: "network-attachment-definitions", take: take(keepNetworkAttachment)},
	}
}

// kindOf finds the kind of an object by what it says of itself.
func kindOf(apiVersion, name string) (kind, bool) {
	group, version, found := strings.Cut(apiVersion, "/")
	if !found {
		group, version = "", apiVersion
	}
	for _, k := range kinds() {
		if k.Kind == name && k.Group == group && slices.Contains(k.Versions, version) {
			return k, true
		}
	}
	return kind{}, false
}
