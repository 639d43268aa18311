// SPDX-License-Identifier: MPL-2.0

package talos

import (
	"bytes"
	"cmp"
	"errors"
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
	// A generated configuration has the image; a patch need not name it.
	kubeControllerManagerConfig struct {
		APIVersion string          `yaml:"apiVersion"`
		Kind       string          `yaml:"kind"`
		Image      string          `yaml:"image"`
		ExtraArgs  map[string]args `yaml:"extraArgs"`
	}
	kubeProxyConfig struct {
		APIVersion string          `yaml:"apiVersion"`
		Kind       string          `yaml:"kind"`
		Enabled    *bool           `yaml:"enabled"`
		Mode       string          `yaml:"mode"`
		Config     map[string]any  `yaml:"config"`
		ExtraArgs  map[string]args `yaml:"extraArgs"`
	}
	kubeletConfig struct {
		APIVersion string   `yaml:"apiVersion"`
		Kind       string   `yaml:"kind"`
		ClusterDNS []string `yaml:"clusterDNS"`
	}
	kubePrismConfig struct {
		APIVersion    string `yaml:"apiVersion"`
		Kind          string `yaml:"kind"`
		Port          int    `yaml:"port"`
		TLSServerName string `yaml:"tlsServerName"`
	}
	kubeClusterConfig struct {
		APIVersion  string `yaml:"apiVersion"`
		Kind        string `yaml:"kind"`
		Endpoint    string `yaml:"endpoint"`
		ClusterName string `yaml:"clusterName"`
	}
)

// args is the value of an argument: a string or a list of them, and no number.
type args []string

func (a *args) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode && node.Tag == "!!str" {
		*a = args{node.Value}
		return nil
	}
	return node.Decode((*[]string)(a))
}

func (kubeControllerManagerConfig) check() error { return nil }
func (kubeletConfig) check() error               { return nil }
func (kubeClusterConfig) check() error           { return nil }

func (c kubePrismConfig) check() error {
	if c.Port < 1 || c.Port > 65535 {
		return fmt.Errorf("port %d is not one of 1 to 65535", c.Port)
	}
	return nil
}

func (c kubeProxyConfig) check() error {
	if len(c.ExtraArgs) > 0 || c.Mode == "iptables" || c.Mode == "ipvs" {
		return errors.New("Talos warns of arguments and of the older modes of kube-proxy")
	}
	return nil
}

// check is what Talos 1.14 checks of the node: what is not a range is an address.
func (c kubeNodeConfig) check() error {
	for _, text := range c.NodeIP.ValidSubnets {
		text = strings.TrimPrefix(text, "!")
		if _, err := netip.ParsePrefix(text); err == nil {
			continue
		}
		if _, err := netip.ParseAddr(text); err != nil {
			return fmt.Errorf("nodeIP subnet is not valid: %q", text)
		}
	}
	return nil
}

// check is what Talos 1.14 checks of the ranges.
func (c kubeNetworkConfig) check() error {
	if err := errors.Join(checkList(c.PodSubnets), checkList(c.ServiceSubnets)); err != nil {
		return err
	}
	if len(c.PodSubnets) != len(c.ServiceSubnets) {
		return errors.New("the number of pod subnets must match the number of service subnets")
	}
	var errs []error
	for _, text := range c.PodSubnets {
		errs = append(errs, c.checkMask(netip.MustParsePrefix(text)))
	}
	for _, text := range c.ServiceSubnets {
		if prefix := netip.MustParsePrefix(text); prefix.Addr().BitLen()-prefix.Bits() > 20 {
			errs = append(errs, fmt.Errorf("%s is too large, it must have at most 20 host identifier bits", prefix))
		}
	}
	return errors.Join(errs...)
}

// checkMask compares a pod subnet with the size of a node's part of it.
func (c kubeNetworkConfig) checkMask(pods netip.Prefix) error {
	mask := cmp.Or(c.NodeCIDRMaskSizeIPv6, 64)
	if pods.Addr().Is4() {
		mask = cmp.Or(c.NodeCIDRMaskSizeIPv4, 24)
	}
	switch {
	case mask < 1 || mask > pods.Addr().BitLen():
		return fmt.Errorf("the node mask /%d is not between 1 and %d", mask, pods.Addr().BitLen())
	case pods.Bits() > mask:
		return fmt.Errorf("%s is smaller than the per-node pod CIDR mask size /%d", pods, mask)
	case mask-pods.Bits() > 16:
		return fmt.Errorf("%s is too large for the per-node pod CIDR mask size /%d, the difference must be at most 16 bits", pods, mask)
	}
	return nil
}

func checkList(list []string) error {
	if len(list) < 1 {
		return errors.New("at least one subnet must be specified")
	}
	if len(list) > 2 {
		return errors.New("at most two subnets can be specified for dual-stack clusters")
	}
	families := map[bool]bool{}
	for _, text := range list {
		prefix, err := netip.ParsePrefix(text)
		if err != nil || prefix != prefix.Masked() {
			return fmt.Errorf("invalid subnet %s: not a valid CIDR", text)
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

// newKind is a kind of document that came with Talos 1.14.
type newKind struct {
	empty            func() interface{ check() error }
	controlPlaneOnly bool
}

var newKinds = map[string]newKind{
	"KubeNetworkConfig":           {empty: func() interface{ check() error } { return &kubeNetworkConfig{} }},
	"KubeNodeConfig":              {empty: func() interface{ check() error } { return &kubeNodeConfig{} }},
	"KubeletConfig":               {empty: func() interface{ check() error } { return &kubeletConfig{} }},
	"KubePrismConfig":             {empty: func() interface{ check() error } { return &kubePrismConfig{} }},
	"KubeClusterConfig":           {empty: func() interface{ check() error } { return &kubeClusterConfig{} }},
	"KubeControllerManagerConfig": {func() interface{ check() error } { return &kubeControllerManagerConfig{} }, true},
	"KubeProxyConfig":             {func() interface{ check() error } { return &kubeProxyConfig{} }, true},
}

// moved are the paths of the v1alpha1 document that the new kinds replace. Talos 1.14
// refuses a configuration that has both.
var moved = []string{
	"cluster.network", "cluster.controllerManager", "cluster.proxy", "cluster.controlPlane.endpoint", "cluster.clusterName",
	"machine.kubelet", "machine.nodeAnnotations", "machine.nodeLabels", "machine.nodeTaints", "machine.features.kubePrism",
}

// checkNewKind checks one document of a patch in the shape of Talos 1.14. A patch for
// no machine type is one that both take.
func checkNewKind(machineType string, d document, text string) error {
	if d.kind == "" {
		return checkMoved(d)
	}
	kind, known := newKinds[d.kind]
	if !known {
		return fmt.Errorf("%q is no kind of Talos 1.14 that the judge knows", d.kind)
	}
	if kind.controlPlaneOnly && machineType != "controlplane" {
		return fmt.Errorf("the kind %s is only allowed on control plane machines", d.kind)
	}
	if d.content["apiVersion"] != "v1alpha1" || d.name != "" {
		return fmt.Errorf("%s: want apiVersion v1alpha1 and no name", d.kind)
	}
	into := kind.empty()
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil {
		return err
	}
	return into.check()
}

func checkMoved(d document) error {
	for _, path := range moved {
		value, found := any(d.content), true
		for key := range strings.SplitSeq(path, ".") {
			within, _ := value.(map[string]any)
			value, found = within[key]
		}
		if found {
			return fmt.Errorf("%s has a document of its own in this shape", path)
		}
	}
	return nil
}

// isNew reports whether a document belongs to what Talos 1.13 does not know.
func isNew(kind string) bool {
	return strings.HasPrefix(kind, "Kube") && !strings.HasPrefix(kind, "KubeSpan")
}

// withoutNewKinds judges the documents that the package does not know, and returns
// the rest of the patch.
func withoutNewKinds(t *testing.T, machineType, patch string) string {
	t.Helper()
	var rest []string
	judged := 0
	for text := range strings.SplitSeq(patch, "---\n") {
		parsed, err := documents([]byte(text))
		if err != nil || len(parsed) != 1 {
			t.Fatalf("%d documents, %v in\n%s", len(parsed), err, text)
		}
		d := parsed[0]
		if d.kind == "" || isNew(d.kind) {
			if err := checkNewKind(machineType, d, text); err != nil {
				t.Errorf("%v in\n%s", err, text)
			}
		}
		if !isNew(d.kind) {
			rest = append(rest, text)
			continue
		}
		judged++
		if _, err := configloader.NewFromBytes([]byte(text)); err == nil || !strings.Contains(err.Error(), "not registered") {
			t.Errorf("Talos 1.13 answers %v, want a refusal: then the two shapes are no longer what they were", err)
		}
	}
	if judged == 0 {
		t.Errorf("no document of the new shape in\n%s", patch)
	}
	return strings.Join(rest, "---\n")
}

// TestNewKinds: the judge of the new kinds judges, and for the reason that is meant.
func TestNewKinds(t *testing.T) {
	network := func(pods, services, rest string) string {
		return "apiVersion: v1alpha1\nkind: KubeNetworkConfig\npodSubnets: [" + pods + "]\nserviceSubnets: [" + services + "]\n" + rest
	}
	tests := []struct{ name, text, words string }{
		{"sound", network("10.3.0.0/16, fd00:3::/56", "10.2.128.0/20, fd00:2::/112", ""), ""},
		{"the largest", network("10.0.0.0/8", "10.0.0.0/12", ""), ""},
		{"a misspelled field", network("10.3.0.0/16", "10.2.128.0/20", "nodeCidrMaskSizeIPv4: 25\n"), "not found in type"},
		{"a mask in words", network("10.3.0.0/16", "10.2.128.0/20", "nodeCIDRMaskSizeIPv4: wide\n"), "cannot unmarshal"},
		{"no services", network("10.3.0.0/16", "", ""), "at least one"},
		{"three ranges", network("10.3.0.0/16, 10.4.0.0/16, fd00:3::/56", "10.2.128.0/20", ""), "at most two"},
		{"unequal lists", network("10.3.0.0/16, fd00:3::/56", "10.2.128.0/20", ""), "must match"},
		{"one family twice", network("10.3.0.0/16, 10.4.0.0/16", "10.2.128.0/20, 10.5.0.0/20", ""), "one family"},
		{"host bits", network("10.3.0.1/16", "10.2.128.0/20", ""), "not a valid CIDR"},
		{"no range", network("here", "10.2.128.0/20", ""), "not a valid CIDR"},
		{"small services", network("10.3.0.0/16", "10.2.128.0/29", ""), "too small"},
		{"large services", network("10.3.0.0/16", "10.0.0.0/11", ""), "20 host identifier bits"},
		{"large services of IPv6", network("fd00:3::/56", "fd00:2::/107", ""), "20 host identifier bits"},
		{"large pods", network("10.0.0.0/7", "10.2.128.0/20", ""), "at most 16 bits"},
		{"large pods of IPv6", network("fd00::/47", "fd01::/112", ""), "at most 16 bits"},
		{"small pods", network("10.3.0.0/25", "10.2.128.0/20", ""), "smaller than the per-node"},
		{"a mask of IPv4 that is one of IPv6", network("10.3.0.0/17", "10.2.128.0/20", "nodeCIDRMaskSizeIPv4: 64\n"), "between 1 and 32"},
		{"a name", network("10.3.0.0/16", "10.2.128.0/20", "name: a\n"), "no name"},
		{"nodes by address", "apiVersion: v1alpha1\nkind: KubeNodeConfig\nnodeIP: {validSubnets: [10.1.0.5, \"!10.1.0.0/24\"]}\n", ""},
		{"nodes nowhere", "apiVersion: v1alpha1\nkind: KubeNodeConfig\nnodeIP: {validSubnets: [here]}\n", "not valid"},
		{"no apiVersion", "kind: KubeNodeConfig\n", "want apiVersion"},
		{"an argument that is a number", "apiVersion: v1alpha1\nkind: KubeControllerManagerConfig\nextraArgs: {node-cidr-mask-size-ipv4: 25}\n", "cannot unmarshal"},
		{"older modes of kube-proxy", "apiVersion: v1alpha1\nkind: KubeProxyConfig\nmode: ipvs\n", "warns"},
		{"no port", "apiVersion: v1alpha1\nkind: KubePrismConfig\n", "port 0"},
		{"a kind that is none", "apiVersion: v1alpha1\nkind: KubeNetConfig\n", "no kind"},
		{"ranges in the older shape", "cluster:\n  network:\n    podSubnets: [10.3.0.0/16]\n", "cluster.network has a document"},
		{"nodes in the older shape", "machine:\n  kubelet: {nodeIP: {validSubnets: [10.1.0.0/24]}}\n", "machine.kubelet has a document"},
		{"etcd in the older shape", "cluster:\n  etcd:\n    advertisedSubnets: [10.1.0.0/24]\n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { refusedFor(t, "controlplane", test.text, test.words) })
	}
	for _, machineType := range []string{"worker", ""} {
		refusedFor(t, machineType, "apiVersion: v1alpha1\nkind: KubeControllerManagerConfig\n", "only allowed on control plane")
	}
}

func refusedFor(t *testing.T, machineType, text, words string) {
	t.Helper()
	parsed, err := documents([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	err = checkNewKind(machineType, parsed[0], text)
	if words == "" && err != nil {
		t.Errorf("refused: %v", err)
	}
	if words != "" && (err == nil || !strings.Contains(err.Error(), words)) {
		t.Errorf("got %v, want %s", err, words)
	}
}
