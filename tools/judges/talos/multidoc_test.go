// SPDX-License-Identifier: MPL-2.0

package talos

import (
	"bytes"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/siderolabs/talos/pkg/machinery/config/configloader"
	"go.yaml.in/yaml/v3"
)

// The documents that came with Talos 1.14, field by field
// (pkg/machinery/config/types/k8s of v1.14.0-rc.1). That version of the package
// cannot be had as a module, so its fields and checks stand here.
type (
	kubeNetworkConfig struct {
		APIVersion           string   `yaml:"apiVersion"`
		Kind                 string   `yaml:"kind"`
		PodSubnets           []string `yaml:"podSubnets"`
		ServiceSubnets       []string `yaml:"serviceSubnets"`
		DNSDomain            string   `yaml:"dnsDomain"`
		NodeCIDRMaskSizeIPv4 int      `yaml:"nodeCIDRMaskSizeIPv4"`
		NodeCIDRMaskSizeIPv6 int      `yaml:"nodeCIDRMaskSizeIPv6"`
	}
	kubeNodeConfig struct {
		APIVersion  string            `yaml:"apiVersion"`
		Kind        string            `yaml:"kind"`
		Annotations map[string]string `yaml:"annotations"`
		Labels      map[string]string `yaml:"labels"`
		Taints      map[string]string `yaml:"taints"`
		NodeIP      struct {
			ValidSubnets []string `yaml:"validSubnets"`
		} `yaml:"nodeIP"`
	}
	kubeControllerManagerConfig struct {
		APIVersion string            `yaml:"apiVersion"`
		Kind       string            `yaml:"kind"`
		Image      string            `yaml:"image"`
		ExtraArgs  map[string]string `yaml:"extraArgs"`
	}
)

// withoutNewKinds judges the documents that the package does not know, and returns
// the rest of the patch.
func withoutNewKinds(t *testing.T, patch string) string {
	t.Helper()
	var rest []string
	judged := 0
	for text := range strings.SplitSeq(patch, "---\n") {
		if !strings.Contains(text, "kind: Kube") {
			rest = append(rest, text)
			continue
		}
		judged++
		if err := newKind(text); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
		if _, err := configloader.NewFromBytes([]byte(text)); err == nil || !strings.Contains(err.Error(), "not registered") {
			t.Errorf("Talos 1.13 answers %v, want a refusal: then the two shapes are no longer what they were", err)
		}
	}
	if judged == 0 {
		t.Errorf("no document of the new shape in\n%s", patch)
	}
	return strings.Join(rest, "---\n")
}

func strict(text string, into any) error {
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.KnownFields(true)
	return decoder.Decode(into)
}

func newKind(text string) error {
	switch {
	case strings.Contains(text, "kind: KubeNetworkConfig\n"):
		var c kubeNetworkConfig
		if err := strict(text, &c); err != nil {
			return err
		}
		return c.check()
	case strings.Contains(text, "kind: KubeNodeConfig\n"):
		var c kubeNodeConfig
		if err := strict(text, &c); err != nil {
			return err
		}
		for _, subnet := range c.NodeIP.ValidSubnets {
			if _, err := netip.ParsePrefix(strings.TrimPrefix(subnet, "!")); err != nil {
				return err
			}
		}
		return nil
	case strings.Contains(text, "kind: KubeControllerManagerConfig\n"):
		return strict(text, new(kubeControllerManagerConfig))
	}
	return fmt.Errorf("no such kind")
}

// check is what Talos 1.14 checks of the ranges.
func (c kubeNetworkConfig) check() error {
	if len(c.PodSubnets) != len(c.ServiceSubnets) {
		return fmt.Errorf("the number of pod subnets must match the number of service subnets")
	}
	for _, list := range [][]string{c.PodSubnets, c.ServiceSubnets} {
		if err := checkList(list); err != nil {
			return err
		}
	}
	for _, text := range c.PodSubnets {
		prefix := netip.MustParsePrefix(text)
		mask := map[bool]int{true: 24, false: 64}[prefix.Addr().Is4()]
		if prefix.Addr().Is4() && c.NodeCIDRMaskSizeIPv4 != 0 {
			mask = c.NodeCIDRMaskSizeIPv4
		}
		if prefix.Addr().Is6() && c.NodeCIDRMaskSizeIPv6 != 0 {
			mask = c.NodeCIDRMaskSizeIPv6
		}
		if prefix.Bits() > mask || mask-prefix.Bits() > 16 {
			return fmt.Errorf("%s and node ranges of /%d", prefix, mask)
		}
	}
	for _, text := range c.ServiceSubnets {
		if prefix := netip.MustParsePrefix(text); prefix.Addr().BitLen()-prefix.Bits() > 20 {
			return fmt.Errorf("%s is too large for Services", prefix)
		}
	}
	return nil
}

func checkList(list []string) error {
	if len(list) < 1 || len(list) > 2 {
		return fmt.Errorf("%d subnets", len(list))
	}
	families := map[bool]bool{}
	for _, text := range list {
		prefix, err := netip.ParsePrefix(text)
		if err != nil || prefix != prefix.Masked() {
			return fmt.Errorf("invalid subnet %s: %v", text, err)
		}
		if prefix.Addr().BitLen()-prefix.Bits() < 4 {
			return fmt.Errorf("%s is too small", prefix)
		}
		if families[prefix.Addr().Is4()] {
			return fmt.Errorf("two subnets of one family: %v", list)
		}
		families[prefix.Addr().Is4()] = true
	}
	return nil
}

// TestNewKinds: the judge of the new kinds judges.
func TestNewKinds(t *testing.T) {
	for _, text := range []string{
		"apiVersion: v1alpha1\nkind: KubeNetworkConfig\npodSubnet: [10.3.0.0/16]\n",
		"apiVersion: v1alpha1\nkind: KubeNetworkConfig\npodSubnets: [10.3.0.0/16]\nserviceSubnets: []\n",
		"apiVersion: v1alpha1\nkind: KubeNetworkConfig\npodSubnets: [10.3.0.1/16]\nserviceSubnets: [10.2.128.0/20]\n",
		"apiVersion: v1alpha1\nkind: KubeNetworkConfig\npodSubnets: [10.0.0.0/7]\nserviceSubnets: [10.2.128.0/20]\n",
		"apiVersion: v1alpha1\nkind: KubeNetworkConfig\npodSubnets: [10.3.0.0/16, 10.4.0.0/16]\nserviceSubnets: [10.2.128.0/20, 10.5.0.0/20]\n",
		"apiVersion: v1alpha1\nkind: KubeNodeConfig\nnodeIP: {validSubnets: [here]}\n",
		"apiVersion: v1alpha1\nkind: KubeProxyConfig\n",
	} {
		if err := newKind(text); err == nil {
			t.Errorf("accepted\n%s", text)
		}
	}
}
