// SPDX-License-Identifier: MPL-2.0

// Package kubernetes hands every Kubernetes object that is written to the types or
// the CRDs of its consumer.
package kubernetes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	helm "github.com/fluxcd/helm-controller/api/v2"
	metallb "go.universe.tf/metallb/api/v1beta1"
	yamlv3 "go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/cmd/kubeadm/app/apis/kubeadm/v1beta3"
	"k8s.io/kubernetes/cmd/kubeadm/app/apis/kubeadm/v1beta4"
	"sigs.k8s.io/yaml"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/artifacttest"
)

// object is one document of what is written.
type object struct {
	apiVersion, kind string
	text             []byte
}

func (o object) String() string { return o.apiVersion + "/" + o.kind }

// objects splits a text into its documents.
func objects(text []byte) ([]object, error) {
	decoder := yamlv3.NewDecoder(bytes.NewReader(text))
	var out []object
	for {
		var content map[string]any
		err := decoder.Decode(&content)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		text, err := yamlv3.Marshal(content)
		if err != nil {
			return nil, err
		}
		apiVersion, _ := content["apiVersion"].(string)
		kind, _ := content["kind"].(string)
		out = append(out, object{apiVersion, kind, text})
	}
}

// strictly decodes an object into a type, and refuses a field that the type has not.
func strictly[T any](text []byte) error {
	var into T
	return decode(text, &into)
}

// decode goes through JSON, as the API server does: a number is no text there.
func decode(text []byte, into any) error {
	converted, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(converted))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// judges is what judges each kind that is written.
func judges() map[string]func([]byte) error {
	return map[string]func([]byte) error{
		"cilium.io/v2/CiliumLoadBalancerIPPool":       balancerPool,
		"cilium.io/v2alpha1/CiliumLoadBalancerIPPool": balancerPool,
		"cilium.io/v2/CiliumClusterwideNetworkPolicy": cilium("v2", "ciliumclusterwidenetworkpolicies"),
		"helm.toolkit.fluxcd.io/v2/HelmRelease":       strictly[helm.HelmRelease],
		"metallb.io/v1beta1/IPAddressPool":            addressPool,
		"v1/ConfigMap":                                strictly[corev1.ConfigMap],
		"kubeadm.k8s.io/v1beta3/ClusterConfiguration": strictly[v1beta3.ClusterConfiguration],
		"kubeadm.k8s.io/v1beta4/ClusterConfiguration": strictly[v1beta4.ClusterConfiguration],
		"helm.cattle.io/v1/HelmChartConfig":           strictly[helmChartConfig],
		"kubeovn.io/v1/Subnet":                        subnet,
		"cozystack.io/v1alpha1/Package":               strictly[cozystackPackage],
	}
}

// elsewhere is judged by another module: Talos documents by Talos' own package.
func elsewhere(o object) bool { return o.apiVersion == "v1alpha1" }

// TestObjects judges every object of every variant. Each kind that can be judged must
// have come up.
func TestObjects(t *testing.T) {
	seen := map[string]bool{}
	for name, v := range artifacttest.Variants() {
		t.Run(name, func(t *testing.T) {
			result, err := v.Render()
			if err != nil {
				t.Fatal(err)
			}
			if result.Text != nil {
				return // no YAML
			}
			text := result.NewDocument()
			if v.Consumer.Whole {
				text = result.Content()
			}
			list, err := objects(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range list {
				if o.String() == "/" || elsewhere(o) {
					continue // values, which the Helm engine judges, or Talos' own
				}
				judge, known := judges()[o.String()]
				if !known {
					t.Errorf("%s has no judge", o)
					continue
				}
				seen[o.String()] = true
				if err := judge(o.text); err != nil {
					t.Errorf("%v in\n%s", err, o.text)
				}
			}
		})
	}
	for kind := range judges() {
		if !seen[kind] {
			t.Errorf("no variant writes a %s", kind)
		}
	}
}

// TestRefusals: the judges judge, and for the reason that is meant.
func TestRefusals(t *testing.T) {
	const (
		pool      = "cilium.io/v2/CiliumLoadBalancerIPPool"
		olderPool = "cilium.io/v2alpha1/CiliumLoadBalancerIPPool"
		policy    = "cilium.io/v2/CiliumClusterwideNetworkPolicy"
		addresses = "metallb.io/v1beta1/IPAddressPool"
		kubeadm3  = "kubeadm.k8s.io/v1beta3/ClusterConfiguration"
		kubeadm4  = "kubeadm.k8s.io/v1beta4/ClusterConfiguration"
		subnet    = "kubeovn.io/v1/Subnet"
	)
	tests := []struct{ name, kind, text, words string }{
		{"a misspelled field of a pool", pool, "spec: {blokcs: [{cidr: 10.2.99.0/24}]}", "unknown fields: spec.blokcs"},
		{"a misspelled field of an older pool", olderPool, "spec: {cidrs: [{cidr: 10.2.99.0/24}]}", "unknown fields: spec.cidrs"},
		{"a block that is no prefix", pool, "spec: {blocks: [{cidr: 10.2.99.0/33}]}", "must be of type cidr"},
		{"a block that is nonsense", olderPool, "spec: {blocks: [{cidr: here}]}", "must be of type cidr"},
		{"a range that starts nowhere", pool, "spec: {blocks: [{start: here, stop: 10.2.99.9}]}", "error parsing start ip"},
		{"a range backwards", pool, "spec: {blocks: [{start: 10.2.99.9, stop: 10.2.99.1}]}", "is none"},
		{"a prefix and a range", pool, "spec: {blocks: [{cidr: 10.2.99.0/24, start: 10.2.98.1}]}", "as well"},
		{"a word that is not Yes or No", pool, "spec: {blocks: [{cidr: 10.2.99.0/24}], allowFirstLastIPs: true}", "spec.allowFirstLastIPs"},
		{"a misspelled field of a policy", policy, "spec: {endpointSelector: {}, ingress: [{}], enableDefaultDeny: {ingres: false}}", "unknown fields: spec.enableDefaultDeny.ingres"},
		{"a prefix that is none in a policy", policy, "spec: {endpointSelector: {}, ingress: [{fromCIDRSet: [{cidr: here}]}]}", "must be of type cidr"},
		{"a policy that selects nothing", policy, "spec: {ingress: [{fromCIDRSet: [{cidr: 10.2.99.0/24}]}]}", "spec.endpointSelector"},
		{"a misspelled field of a release", "helm.toolkit.fluxcd.io/v2/HelmRelease", "spec: {value: {}}", `unknown field "value"`},
		{"an address range backwards", addresses, "spec: {addresses: [192.168.100.250-192.168.100.200]}", "start is after the end"},
		{"an address alone", addresses, "spec: {addresses: [192.168.100.250]}", "invalid CIDR or range"},
		{"a misspelled field of an address pool", addresses, "spec: {adresses: [192.168.100.0/24]}", `unknown field "adresses"`},
		{"a number in a ConfigMap", "v1/ConfigMap", "data: {VLAN_ID: 47}", "cannot unmarshal number"},
		{"a misspelled field of kubeadm", kubeadm4, "networking: {podSubnets: 10.244.0.0/16}", `unknown field "podSubnets"`},
		{"a mapping of arguments in v1beta4", kubeadm4, "controllerManager: {extraArgs: {v: \"2\"}}", "cannot unmarshal object"},
		{"a list of arguments in v1beta3", kubeadm3, "controllerManager: {extraArgs: [{name: v, value: \"2\"}]}", "cannot unmarshal array"},
		{"values of a chart config that are no text", "helm.cattle.io/v1/HelmChartConfig", "spec: {valuesContent: {ipam: {}}}", "cannot unmarshal object"},
		{"a prefix among exclusions", subnet, "spec: {cidrBlock: 10.244.0.0/16, protocol: IPv4, gateway: 10.244.0.1, excludeIps: [10.244.248.0/21]}", "is not a valid address"},
		{"a gateway outside", subnet, "spec: {cidrBlock: 10.244.0.0/16, protocol: IPv4, gateway: 10.245.0.1, excludeIps: [10.245.0.1]}", "is not in cidr"},
		{"a namespace of what has none", "cozystack.io/v1alpha1/Package", "metadata: {namespace: y}", `unknown field "namespace"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			i := strings.LastIndexByte(test.kind, '/')
			text := fmt.Sprintf("apiVersion: %s\nkind: %s\n%s\n", test.kind[:i], test.kind[i+1:], test.text)
			if !strings.Contains(test.text, "metadata") && !strings.HasPrefix(test.kind, "kubeadm") {
				text += "metadata: {name: x}\n"
			}
			err := judges()[test.kind]([]byte(text))
			if err == nil || !strings.Contains(err.Error(), test.words) {
				t.Errorf("got %v, want %s for\n%s", err, test.words, text)
			}
		})
	}
}

// addressPool decodes a pool and reads its addresses as MetalLB does.
func addressPool(text []byte) error {
	var pool metallb.IPAddressPool
	if err := decode(text, &pool); err != nil {
		return err
	}
	for _, address := range pool.Spec.Addresses {
		if _, err := metallbRange(address); err != nil {
			return err
		}
	}
	return nil
}
