// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
)

// meta is the part of an object's metadata that counts.
type meta struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// managedFields says which manager changed what, and when.
type managedFields []struct {
	Time     string          `json:"time"`
	FieldsV1 json.RawMessage `json:"fieldsV1"`
}

func (m meta) named() Name { return Name{m.Namespace, m.Name} }

// address parses an address as the API gives it. What is none is left out: the
// audit cannot compare it, and the object's own controller complains of it.
func address(text string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(strings.TrimSpace(text))
	return addr.Unmap(), err == nil
}

func addresses(texts ...string) []netip.Addr {
	var out []netip.Addr
	for _, text := range texts {
		if addr, ok := address(text); ok {
			out = append(out, addr)
		}
	}
	return out
}

// prefixes parses prefixes; Cilium masks host bits, and so do we.
func prefixes(texts ...string) []netip.Prefix {
	var out []netip.Prefix
	for _, text := range texts {
		if prefix, err := netip.ParsePrefix(strings.TrimSpace(text)); err == nil {
			out = append(out, prefix.Masked())
		}
	}
	return out
}

type nodeWire struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		PodCIDR       string   `json:"podCIDR"`
		PodCIDRs      []string `json:"podCIDRs"`
		Unschedulable bool     `json:"unschedulable"`
	} `json:"spec"`
	Status struct {
		Addresses  []typedAddress `json:"addresses"`
		Conditions []condition    `json:"conditions"`
	} `json:"status"`
}

type typedAddress struct {
	Type    string `json:"type"`
	Address string `json:"address"`
	IP      string `json:"ip"`
}

type condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

func is(conditions []condition, kind string) bool {
	return slices.ContainsFunc(conditions, func(c condition) bool { return c.Type == kind && c.Status == "True" })
}

func keepNode(s *Snapshot, w nodeWire) {
	n := Node{Name: w.Metadata.named(), Unschedulable: w.Spec.Unschedulable, Ready: is(w.Status.Conditions, "Ready")}
	n.PodCIDRs = prefixes(w.Spec.PodCIDRs...)
	if len(n.PodCIDRs) == 0 {
		n.PodCIDRs = prefixes(w.Spec.PodCIDR)
	}
	for _, a := range w.Status.Addresses {
		if a.Type == "InternalIP" {
			n.InternalIPs = append(n.InternalIPs, addresses(a.Address)...)
		}
	}
	for _, annotation := range []string{"k3s.io/node-args", "rke2.io/node-args"} {
		if text := w.Metadata.Annotations[annotation]; text != "" {
			n.Arguments = withoutSecrets(text)
		}
	}
	s.Nodes = append(s.Nodes, n)
}

// withoutSecrets keeps the arguments that say something of addresses. The rest may
// hold a token.
func withoutSecrets(text string) []string {
	var all, out []string
	if json.Unmarshal([]byte(text), &all) != nil {
		return nil
	}
	known := []string{"--cluster-cidr", "--service-cidr", "--cluster-dns", "--node-ip", "--flannel-backend", "--disable-kube-proxy", "--kube-controller-manager-arg", "--cni"}
	for i, argument := range all {
		name, _, joined := strings.Cut(argument, "=")
		if !slices.Contains(known, name) {
			continue
		}
		if !joined && i+1 < len(all) && !strings.HasPrefix(all[i+1], "--") {
			argument += "=" + all[i+1]
		}
		out = append(out, argument)
	}
	return out
}

type podWire struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		NodeName    string `json:"nodeName"`
		HostNetwork bool   `json:"hostNetwork"`
		Containers  []struct {
			Command []string `json:"command"`
			Args    []string `json:"args"`
		} `json:"containers"`
	} `json:"spec"`
	Status struct {
		Phase  string `json:"phase"`
		PodIP  string `json:"podIP"`
		PodIPs []struct {
			IP string `json:"ip"`
		} `json:"podIPs"`
		ContainerStatuses []struct {
			State struct {
				Running *struct {
					StartedAt string `json:"startedAt"`
				} `json:"running"`
				Waiting *struct{} `json:"waiting"`
			} `json:"state"`
		} `json:"containerStatuses"`
	} `json:"status"`
}

// component labels tell agents, operators and control plane from other pods.
func componentLabels(labels map[string]string) map[string]string {
	out := map[string]string{}
	for _, key := range []string{"k8s-app", "io.cilium/app", "app.kubernetes.io/name", "component", "longhorn.io/component"} {
		if value := labels[key]; value != "" && isComponent(value) {
			out[key] = value
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func isComponent(value string) bool {
	return slices.Contains([]string{"cilium", "cilium-agent", "cilium-operator", "operator", "kube-controller-manager", "kube-apiserver", "kube-proxy", "instance-manager"}, value)
}

// keepPod keeps what has an address of the pod network, and components of the node.
// A pod that has finished has given its address back.
func keepPod(s *Snapshot, w podWire) {
	if w.Status.Phase == "Succeeded" || w.Status.Phase == "Failed" {
		return
	}
	labels := componentLabels(w.Metadata.Labels)
	if w.Spec.HostNetwork && labels == nil {
		return
	}
	p := Pod{Name: w.Metadata.named(), Node: w.Spec.NodeName, Phase: w.Status.Phase, Labels: labels, HostNetwork: w.Spec.HostNetwork}
	for _, ip := range w.Status.PodIPs {
		p.IPs = append(p.IPs, addresses(ip.IP)...)
	}
	if len(p.IPs) == 0 {
		p.IPs = addresses(w.Status.PodIP)
	}
	p.Waiting = w.Status.Phase == "Pending" && w.Spec.NodeName != "" && !started(w)
	if labels != nil {
		for _, c := range w.Status.ContainerStatuses {
			if c.State.Running != nil && c.State.Running.StartedAt != "" && (p.Started == "" || c.State.Running.StartedAt < p.Started) {
				p.Started = c.State.Running.StartedAt
			}
		}
		p.Command = addressArguments(w)
	}
	s.Pods = append(s.Pods, p)
}

func started(w podWire) bool {
	for _, c := range w.Status.ContainerStatuses {
		if c.State.Running != nil {
			return true
		}
	}
	return false
}

// addressArguments keeps the arguments of the control plane that decide ranges.
func addressArguments(w podWire) []string {
	var out []string
	for _, container := range w.Spec.Containers {
		for _, argument := range append(slices.Clone(container.Command), container.Args...) {
			name, _, _ := strings.Cut(argument, "=")
			if slices.Contains([]string{"--cluster-cidr", "--service-cluster-ip-range", "--allocate-node-cidrs", "--node-cidr-mask-size", "--node-cidr-mask-size-ipv4", "--node-cidr-mask-size-ipv6", "--proxy-mode"}, name) {
				out = append(out, argument)
			}
		}
	}
	return out
}

type serviceWire struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		ClusterIP      string   `json:"clusterIP"`
		ClusterIPs     []string `json:"clusterIPs"`
		Type           string   `json:"type"`
		LoadBalancerIP string   `json:"loadBalancerIP"`
	} `json:"spec"`
	Status struct {
		LoadBalancer struct {
			Ingress []struct {
				IP string `json:"ip"`
			} `json:"ingress"`
		} `json:"loadBalancer"`
	} `json:"status"`
}

func keepService(s *Snapshot, w serviceWire) {
	sv := Service{Name: w.Metadata.named(), ClusterIPs: addresses(w.Spec.ClusterIPs...)}
	if len(sv.ClusterIPs) == 0 {
		sv.ClusterIPs = addresses(w.Spec.ClusterIP)
	}
	for _, ingress := range w.Status.LoadBalancer.Ingress {
		sv.LoadBalancerIPs = append(sv.LoadBalancerIPs, addresses(ingress.IP)...)
	}
	requested := w.Spec.LoadBalancerIP
	for _, annotation := range []string{"lbipam.cilium.io/ips", "io.cilium/lb-ipam-ips", "metallb.io/loadBalancerIPs", "metallb.universe.tf/loadBalancerIPs"} {
		if text := w.Metadata.Annotations[annotation]; text != "" {
			requested = text
		}
	}
	sv.Requested = addresses(strings.Split(requested, ",")...)
	s.Services = append(s.Services, sv)
}

type configMapWire struct {
	Metadata struct {
		meta

		ManagedFields managedFields `json:"managedFields"`
	} `json:"metadata"`
	Data map[string]string `json:"data"`
}

// keepConfigMap keeps the few that decide ranges, and of them the keys that do.
func keepConfigMap(s *Snapshot, w configMapWire) {
	var keys func(string) bool
	switch w.Metadata.Name {
	case "cilium-config":
		keys = ciliumKey
	case "cozystack":
		keys = func(key string) bool { return strings.HasPrefix(key, "ipv4-") }
	case "kubeadm-config":
		keys = func(key string) bool { return key == "ClusterConfiguration" }
	case "kube-proxy":
		keys = func(key string) bool { return key == "config.conf" }
	default:
		return
	}
	c := ConfigMap{Name: w.Metadata.named(), Data: map[string]string{}}
	for key, value := range w.Data {
		if keys(key) {
			c.Data[key] = value
		}
	}
	for _, managed := range w.Metadata.ManagedFields {
		if strings.Contains(string(managed.FieldsV1), `"f:data"`) && managed.Time > c.Changed {
			c.Changed = managed.Time
		}
	}
	s.ConfigMaps = append(s.ConfigMaps, c)
}

func ciliumKey(key string) bool {
	return key == "ipam" || strings.HasPrefix(key, "cluster-pool-") || slices.Contains([]string{
		"auto-create-cilium-pod-ip-pools", "enable-ipv4", "enable-ipv6", "enable-envoy-config", "enable-health-checking", "enable-endpoint-health-checking",
		"cni-chaining-mode", "cni-chaining-target", "routing-mode", "tunnel-protocol", "kube-proxy-replacement", "ipv4-native-routing-cidr", "ipv6-native-routing-cidr",
		"ipv4-range", "ipv6-range", "enable-ipv4-masquerade", "enable-ipv6-masquerade", "enable-ip-masq-agent", "auto-direct-node-routes", "enable-non-default-deny-policies",
		"policy-cidr-match-mode", "devices", "k8s-require-ipv4-pod-cidr", "k8s-require-ipv6-pod-cidr", "annotate-k8s-node",
	}, key)
}

type eventWire struct {
	Metadata       meta   `json:"metadata"`
	Reason         string `json:"reason"`
	Message        string `json:"message"`
	InvolvedObject struct {
		Kind      string `json:"kind"`
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	} `json:"involvedObject"`
}

// keepEvent keeps what says that an address was refused, or that a range ran out.
func keepEvent(s *Snapshot, w eventWire) {
	refused := w.Reason == "FailedCreatePodSandBox" && (strings.Contains(w.Message, "is already in use") || strings.Contains(w.Message, "range is full"))
	if !refused && !slices.Contains([]string{"CIDRNotAvailable", "KubernetesDefaultServiceCIDRInconsistent", "NodeAddressConflictWithSubnet", "ValidateLogicalSwitchFailed"}, w.Reason) {
		return
	}
	s.Events = append(s.Events, Event{
		Name: w.Metadata.named(), Reason: w.Reason, Message: w.Message,
		Involved: Name{w.InvolvedObject.Namespace, w.InvolvedObject.Name}, Kind: w.InvolvedObject.Kind,
	})
}

type workloadWire struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		Replicas *int `json:"replicas"`
	} `json:"spec"`
	Status struct {
		DesiredNumberScheduled int `json:"desiredNumberScheduled"`
		UpdatedNumberScheduled int `json:"updatedNumberScheduled"`
		NumberReady            int `json:"numberReady"`
		UpdatedReplicas        int `json:"updatedReplicas"`
		ReadyReplicas          int `json:"readyReplicas"`
	} `json:"status"`
}

// keepWorkload keeps Cilium's agent and operator, Kube-OVN's controller and
// kube-proxy.
func keepWorkload(kind string) func(*Snapshot, workloadWire) {
	return func(s *Snapshot, w workloadWire) {
		if !slices.Contains([]string{"cilium", "cilium-operator", "kube-ovn-controller", "kube-ovn-cni", "kube-proxy"}, w.Metadata.Name) {
			return
		}
		out := Workload{Name: w.Metadata.named(), Kind: kind, Desired: w.Status.DesiredNumberScheduled, Updated: w.Status.UpdatedNumberScheduled, Ready: w.Status.NumberReady}
		if kind == "Deployment" {
			out.Desired, out.Updated, out.Ready = 1, w.Status.UpdatedReplicas, w.Status.ReadyReplicas
			if w.Spec.Replicas != nil {
				out.Desired = *w.Spec.Replicas
			}
		}
		s.Workloads = append(s.Workloads, out)
	}
}

type serviceCIDRWire struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		CIDRs []string `json:"cidrs"`
	} `json:"spec"`
}

func keepServiceCIDR(s *Snapshot, w serviceCIDRWire) {
	s.ServiceCIDRs = append(s.ServiceCIDRs, ServiceCIDR{Name: w.Metadata.named(), CIDRs: prefixes(w.Spec.CIDRs...)})
}

type volumeAttachmentWire struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		NodeName string `json:"nodeName"`
		Source   struct {
			PersistentVolumeName string `json:"persistentVolumeName"`
		} `json:"source"`
	} `json:"spec"`
	Status struct {
		Attached    bool `json:"attached"`
		AttachError *struct {
			Message string `json:"message"`
		} `json:"attachError"`
	} `json:"status"`
}

func keepVolumeAttachment(s *Snapshot, w volumeAttachmentWire) {
	if w.Status.Attached {
		return
	}
	v := VolumeAttachment{Name: w.Metadata.named(), Node: w.Spec.NodeName, Volume: w.Spec.Source.PersistentVolumeName}
	if w.Status.AttachError != nil {
		v.Error = w.Status.AttachError.Message
	}
	s.VolumeAttachments = append(s.VolumeAttachments, v)
}
