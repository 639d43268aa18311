// SPDX-License-Identifier: MPL-2.0

// Package cluster holds a snapshot of a running cluster as plain data: only the
// fields that say who holds which address. It comes from the API server or from
// recorded files, and both give the same one, byte for byte.
package cluster

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/netip"
	"slices"
)

// Snapshot is what counts of a cluster at one time. Lists are in the order of
// namespace and name.
type Snapshot struct {
	Nodes              []Node              `json:"nodes,omitempty"`
	CiliumNodes        []CiliumNode        `json:"ciliumNodes,omitempty"`
	CiliumNodeConfigs  []CiliumNodeConfig  `json:"ciliumNodeConfigs,omitempty"`
	CiliumEndpoints    []Name              `json:"ciliumEndpoints,omitempty"`
	PodIPPools         []PodIPPool         `json:"podIPPools,omitempty"`
	LoadBalancerPools  []LoadBalancerPool  `json:"loadBalancerPools,omitempty"`
	Pods               []Pod               `json:"pods,omitempty"`
	Services           []Service           `json:"services,omitempty"`
	ServiceCIDRs       []ServiceCIDR       `json:"serviceCIDRs,omitempty"`
	ConfigMaps         []ConfigMap         `json:"configMaps,omitempty"`
	Workloads          []Workload          `json:"workloads,omitempty"`
	Events             []Event             `json:"events,omitempty"`
	Subnets            []Subnet            `json:"subnets,omitempty"`
	IPs                []IP                `json:"ips,omitempty"`
	Packages           []Name              `json:"packages,omitempty"`
	Releases           []Release           `json:"releases,omitempty"`
	Volumes            []Volume            `json:"volumes,omitempty"`
	Replicas           []Replica           `json:"replicas,omitempty"`
	Engines            []Engine            `json:"engines,omitempty"`
	InstanceManagers   []InstanceManager   `json:"instanceManagers,omitempty"`
	LonghornSettings   []Setting           `json:"longhornSettings,omitempty"`
	VolumeAttachments  []VolumeAttachment  `json:"volumeAttachments,omitempty"`
	NetworkAttachments []NetworkAttachment `json:"networkAttachments,omitempty"`

	// NotInspected are kinds that could not be read. Their absence proves nothing.
	NotInspected []Gap `json:"notInspected,omitempty"`
}

// Name is an object by name.
type Name struct {
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String returns namespace/name, or the name of what has no namespace.
func (n Name) String() string {
	if n.Namespace == "" {
		return n.Name
	}
	return n.Namespace + "/" + n.Name
}

func (n Name) compare(m Name) int {
	return cmp.Or(cmp.Compare(n.Namespace, m.Namespace), cmp.Compare(n.Name, m.Name))
}

func (n Name) key() Name { return n }

// Node is a Node.
type Node struct {
	Name

	PodCIDRs      []netip.Prefix `json:"podCIDRs,omitempty"`
	InternalIPs   []netip.Addr   `json:"internalIPs,omitempty"`
	Ready         bool           `json:"ready,omitempty"`
	Unschedulable bool           `json:"unschedulable,omitempty"`
	Arguments     []string       `json:"arguments,omitempty"` // of the K3s or RKE2 server, from the annotation that it sets
}

// CiliumNode is what Cilium's operator and agent say of a node.
type CiliumNode struct {
	Name

	PodCIDRs      []netip.Prefix `json:"podCIDRs,omitempty"`
	Router        []netip.Addr   `json:"router,omitempty"`  // CiliumInternalIP, one for each family
	Ingress       []netip.Addr   `json:"ingress,omitempty"` // absent without Envoy configuration
	Health        []netip.Addr   `json:"health,omitempty"`  // absent without endpoint health checking
	InternalIPs   []netip.Addr   `json:"internalIPs,omitempty"`
	OperatorError string         `json:"operatorError,omitempty"`
	Ignored       bool           `json:"ignored,omitempty"` // the operator skips the node
}

// CiliumNodeConfig overrides keys of cilium-config on the nodes that it selects.
type CiliumNodeConfig struct {
	Name

	Defaults map[string]string `json:"defaults,omitempty"`
}

// PodIPPool is a pool of Cilium's multi-pool mode.
type PodIPPool struct {
	Name

	CIDRs []netip.Prefix `json:"cidrs,omitempty"`
}

// LoadBalancerPool is a pool of Cilium's or of MetalLB's.
type LoadBalancerPool struct {
	Name

	MetalLB   bool     `json:"metalLB,omitempty"`
	Blocks    []string `json:"blocks,omitempty"`    // as they are written: a prefix, or first-last
	InnerOnly bool     `json:"innerOnly,omitempty"` // first and last address of a prefix are left out
	Disabled  bool     `json:"disabled,omitempty"`
	Conflict  string   `json:"conflict,omitempty"` // what the operator says of a conflict
}

// Pod is a Pod that has a network namespace of its own and has not finished.
type Pod struct {
	Name

	Node        string            `json:"node,omitempty"`
	IPs         []netip.Addr      `json:"ips,omitempty"`
	Phase       string            `json:"phase,omitempty"`
	Waiting     bool              `json:"waiting,omitempty"`     // no container has started yet
	Labels      map[string]string `json:"labels,omitempty"`      // those that tell components apart
	Started     string            `json:"started,omitempty"`     // when its first container started, RFC 3339
	HostNetwork bool              `json:"hostNetwork,omitempty"` // kept for components only
	Command     []string          `json:"command,omitempty"`     // of kube-controller-manager, kube-apiserver and kube-proxy
}

// Service is a Service with the addresses that it was given.
type Service struct {
	Name

	ClusterIPs      []netip.Addr `json:"clusterIPs,omitempty"`
	LoadBalancerIPs []netip.Addr `json:"loadBalancerIPs,omitempty"`
	Requested       []netip.Addr `json:"requested,omitempty"` // addresses that it pins
}

// ServiceCIDR is a range of ClusterIPs.
type ServiceCIDR struct {
	Name

	CIDRs []netip.Prefix `json:"cidrs,omitempty"`
}

// ConfigMap is one that counts: cilium-config, cozystack, kubeadm-config, kube-proxy.
type ConfigMap struct {
	Name

	Data    map[string]string `json:"data,omitempty"`
	Changed string            `json:"changed,omitempty"` // newest change of its data that a manager recorded, RFC 3339
}

// Workload is a DaemonSet or Deployment of an agent or operator.
type Workload struct {
	Name

	Kind    string `json:"kind"`
	Desired int    `json:"desired,omitempty"`
	Updated int    `json:"updated,omitempty"`
	Ready   int    `json:"ready,omitempty"`
}

// Event is the event of a refused sandbox, or of a range that does not fit.
type Event struct {
	Name

	Reason   string `json:"reason"`
	Message  string `json:"message"`
	Involved Name   `json:"involved"`
	Kind     string `json:"kind,omitempty"` // of the object involved
}

// Subnet is a Subnet of Kube-OVN's.
type Subnet struct {
	Name

	VPC            string         `json:"vpc,omitempty"`
	VLAN           string         `json:"vlan,omitempty"`
	LogicalGateway bool           `json:"logicalGateway,omitempty"`
	CIDRs          []netip.Prefix `json:"cidrs,omitempty"`
	Gateways       []netip.Addr   `json:"gateways,omitempty"`
	ExcludeIPs     []string       `json:"excludeIPs,omitempty"` // as they are written
	Namespaces     []string       `json:"namespaces,omitempty"`
	Errors         []string       `json:"errors,omitempty"` // conditions that say what is wrong
}

// IP is an address that Kube-OVN holds for a pod, a virtual machine or a node.
type IP struct {
	Name

	Subnet string       `json:"subnet,omitempty"`
	Node   string       `json:"node,omitempty"`
	Pod    Name         `json:"pod"`
	Type   string       `json:"type,omitempty"`
	IPs    []netip.Addr `json:"ips,omitempty"`
}

// Release is a HelmRelease or Kustomization.
type Release struct {
	Name

	Kind      string `json:"kind"`
	Suspended bool   `json:"suspended,omitempty"`
	Ready     bool   `json:"ready,omitempty"`
	Message   string `json:"message,omitempty"` // why it is not ready
	Values    string `json:"values,omitempty"`  // IPAM values of Cilium's, canonical JSON
}

// Volume is a Longhorn volume.
type Volume struct {
	Name

	State      string `json:"state,omitempty"`
	Robustness string `json:"robustness,omitempty"`
	Node       string `json:"node,omitempty"`
}

// Replica is a Longhorn replica.
type Replica struct {
	Name

	Volume          string `json:"volume,omitempty"`
	Node            string `json:"node,omitempty"`
	Desired         string `json:"desired,omitempty"`
	Current         string `json:"current,omitempty"`
	FailedAt        string `json:"failedAt,omitempty"`
	HealthyAt       string `json:"healthyAt,omitempty"`
	InstanceManager string `json:"instanceManager,omitempty"`
	IP              string `json:"ip,omitempty"`
	StorageIP       string `json:"storageIP,omitempty"`
}

// Engine is a Longhorn engine.
type Engine struct {
	Name

	Volume          string `json:"volume,omitempty"`
	Node            string `json:"node,omitempty"`
	Desired         string `json:"desired,omitempty"`
	Current         string `json:"current,omitempty"`
	InstanceManager string `json:"instanceManager,omitempty"`
	IP              string `json:"ip,omitempty"`
	Port            int    `json:"port,omitempty"`
}

// InstanceManager is a Longhorn instance manager.
type InstanceManager struct {
	Name

	Node    string `json:"node,omitempty"`
	Current string `json:"current,omitempty"`
	IP      string `json:"ip,omitempty"`
}

// Setting is a Longhorn setting that counts.
type Setting struct {
	Name

	Value string `json:"value"`
}

// VolumeAttachment is a VolumeAttachment that waits.
type VolumeAttachment struct {
	Name

	Node   string `json:"node,omitempty"`
	Volume string `json:"volume,omitempty"`
	Error  string `json:"error,omitempty"`
}

// NetworkAttachment is a range that a secondary network hands out.
type NetworkAttachment struct {
	Name

	CIDRs []netip.Prefix `json:"cidrs,omitempty"`
}

// Gap is a kind that could not be read.
type Gap struct {
	Kind   string `json:"kind"`   // plural and group, as RBAC names it
	Reason string `json:"reason"` // why
	Hint   string `json:"hint,omitempty"`
}

// Canonical returns the snapshot in its one byte form.
func (s *Snapshot) Canonical() ([]byte, error) {
	s.sort()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(s)
	return out.Bytes(), err
}

// named is what has a namespace and a name.
type named interface{ key() Name }

// byName sorts objects by name, and drops a second one of the same name: a file may
// be recorded twice, and a page of a list may repeat.
func byName[T named](list []T) []T {
	slices.SortStableFunc(list, func(a, b T) int { return a.key().compare(b.key()) })
	return slices.CompactFunc(list, func(a, b T) bool { return a.key() == b.key() })
}

func (s *Snapshot) sort() {
	s.Nodes, s.CiliumNodes, s.CiliumNodeConfigs = byName(s.Nodes), byName(s.CiliumNodes), byName(s.CiliumNodeConfigs)
	s.CiliumEndpoints, s.PodIPPools = byName(s.CiliumEndpoints), byName(s.PodIPPools)
	slices.SortStableFunc(s.LoadBalancerPools, func(a, b LoadBalancerPool) int { return a.compare(b.Name) })
	s.Pods, s.Services, s.ServiceCIDRs, s.ConfigMaps = byName(s.Pods), byName(s.Services), byName(s.ServiceCIDRs), byName(s.ConfigMaps)
	slices.SortStableFunc(s.Workloads, func(a, b Workload) int { return cmp.Or(a.compare(b.Name), cmp.Compare(a.Kind, b.Kind)) })
	slices.SortStableFunc(s.Releases, func(a, b Release) int { return cmp.Or(a.compare(b.Name), cmp.Compare(a.Kind, b.Kind)) })
	s.Events, s.Subnets, s.IPs, s.Packages = byName(s.Events), byName(s.Subnets), byName(s.IPs), byName(s.Packages)
	s.Volumes, s.Replicas, s.Engines = byName(s.Volumes), byName(s.Replicas), byName(s.Engines)
	s.InstanceManagers, s.LonghornSettings = byName(s.InstanceManagers), byName(s.LonghornSettings)
	s.VolumeAttachments, s.NetworkAttachments = byName(s.VolumeAttachments), byName(s.NetworkAttachments)
	slices.SortFunc(s.NotInspected, func(a, b Gap) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Reason, b.Reason)) })
}
