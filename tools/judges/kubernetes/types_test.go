// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// The fields below stand here as their consumers document them: Kube-OVN and
// Cozystack cannot be had as modules, and k3s' helm-controller brings all of Rancher.
type (
	// helmChartConfig is that of k3s' helm-controller (helm.cattle.io/v1).
	helmChartConfig struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Spec              struct {
			ValuesContent string `json:"valuesContent,omitempty"`
			FailurePolicy string `json:"failurePolicy,omitempty"`
		} `json:"spec,omitempty"`
	}

	// cozystackPackage is cluster-scoped (api/v1alpha1/package_types.go).
	cozystackPackage struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        struct {
			Name        string            `json:"name"`
			Labels      map[string]string `json:"labels,omitempty"`
			Annotations map[string]string `json:"annotations,omitempty"`
		} `json:"metadata"`
		Spec struct {
			Variant            string   `json:"variant,omitempty"`
			IgnoreDependencies []string `json:"ignoreDependencies,omitempty"`
			Components         map[string]struct {
				Enabled *bool          `json:"enabled,omitempty"`
				Values  map[string]any `json:"values,omitempty"`
			} `json:"components,omitempty"`
		} `json:"spec,omitempty"`
	}

	// kubeovnSubnet has the fields of a Subnet that are written
	// (pkg/apis/kubeovn/v1/subnet.go of Kube-OVN v1.15).
	kubeovnSubnet struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata,omitempty"`
		Spec              struct {
			VPC        string   `json:"vpc,omitempty"`
			Protocol   string   `json:"protocol,omitempty"`
			CIDRBlock  string   `json:"cidrBlock"`
			Gateway    string   `json:"gateway"`
			ExcludeIPs []string `json:"excludeIps,omitempty"`
		} `json:"spec"`
	}
)

// subnet decodes a Subnet and validates it as Kube-OVN's controller does
// (pkg/util/validator.go, pkg/controller/subnet.go).
func subnet(text []byte) error {
	var s kubeovnSubnet
	if err := decode(text, &s); err != nil {
		return err
	}
	blocks, gateways := strings.Split(s.Spec.CIDRBlock, ","), strings.Split(s.Spec.Gateway, ",")
	if len(blocks) != len(gateways) {
		return fmt.Errorf("%d blocks and %d gateways", len(blocks), len(gateways))
	}
	want := map[bool]string{true: "Dual", false: "IPv4"}[len(blocks) > 1]
	for i, block := range blocks {
		prefix, err := netip.ParsePrefix(block)
		if err != nil {
			return err
		}
		gateway, err := netip.ParseAddr(gateways[i])
		if err != nil {
			return err
		}
		if !prefix.Contains(gateway) || gateway == prefix.Addr() {
			return fmt.Errorf("gateway %s is not in cidr %s, or is its network", gateway, prefix)
		}
		if i == 1 && prefix.Addr().Is4() {
			return fmt.Errorf("IPv4 stands first in %s", s.Spec.CIDRBlock)
		}
		if len(blocks) == 1 && prefix.Addr().Is6() {
			want = "IPv6"
		}
	}
	if s.Spec.Protocol != want {
		return fmt.Errorf("protocol %s for %s", s.Spec.Protocol, s.Spec.CIDRBlock)
	}
	return exclusions(s.Spec.ExcludeIPs, gateways)
}

// exclusions are addresses or first..last, sorted as texts, with the gateways: what
// the controller stores, so that it rewrites nothing.
func exclusions(list, gateways []string) error {
	if !slices.IsSorted(list) {
		return fmt.Errorf("%q is not sorted", list)
	}
	for _, text := range list {
		first, last, found := strings.Cut(text, "..")
		if !found {
			last = first
		}
		a, err := netip.ParseAddr(first)
		if err != nil {
			return fmt.Errorf("ip %s in excludeIps is not a valid address", text)
		}
		b, err := netip.ParseAddr(last)
		if err != nil || b.Less(a) {
			return fmt.Errorf("%s in excludeIps is not a valid ip range", text)
		}
	}
	for _, gateway := range gateways {
		if !slices.Contains(list, gateway) {
			return fmt.Errorf("the gateway %s is not excluded", gateway)
		}
	}
	return nil
}

// metallbRange reads an address pool's entry: a prefix, or first-last.
func metallbRange(text string) (first netip.Addr, err error) {
	if prefix, err := netip.ParsePrefix(text); err == nil {
		return prefix.Masked().Addr(), nil
	}
	from, to, found := strings.Cut(text, "-")
	first, err = netip.ParseAddr(strings.TrimSpace(from))
	if err != nil || !found {
		return first, fmt.Errorf("invalid CIDR or range %q", text)
	}
	last, err := netip.ParseAddr(strings.TrimSpace(to))
	if err == nil && (last.Less(first) || last.Is4() != first.Is4()) {
		err = fmt.Errorf("invalid IP range %q: start is after the end", text)
	}
	return first, err
}

// poolBlock is one block of a pool of Cilium.
type poolBlock struct{ CIDR, Start, Stop string }

// balancerPool holds the ranges of a pool against what Cilium's operator parses
// (operator/pkg/lbipam/lbipam.go), of which the CRD knows the prefixes only: a block
// that the operator cannot parse is logged there, and hands out nothing.
func balancerPool(text []byte) error {
	if err := cilium("v2", "ciliumloadbalancerippools")(text); err != nil {
		return err
	}
	var pool struct{ Spec struct{ Blocks []poolBlock } }
	if err := yaml.Unmarshal(text, &pool); err != nil {
		return err
	}
	for _, block := range pool.Spec.Blocks {
		if err := block.check(); err != nil {
			return err
		}
	}
	return nil
}

// check refuses a block with both forms too: Cilium drops the range without a word.
func (b poolBlock) check() error {
	if b.CIDR != "" {
		if b.Start+b.Stop != "" {
			return fmt.Errorf("a block has the prefix %s and a range as well", b.CIDR)
		}
		return nil
	}
	start, err := netip.ParseAddr(b.Start)
	if err != nil {
		return fmt.Errorf("error parsing start ip %q", b.Start)
	}
	if b.Stop == "" {
		return nil // one address
	}
	stop, err := netip.ParseAddr(b.Stop)
	if err != nil {
		return fmt.Errorf("error parsing stop ip %q", b.Stop)
	}
	if stop.Less(start) || stop.Is4() != start.Is4() {
		return fmt.Errorf("the range %s to %s is none", start, stop)
	}
	return nil
}
