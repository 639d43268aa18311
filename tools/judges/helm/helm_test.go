// SPDX-License-Identifier: MPL-2.0

// Package helm renders the written values with the Helm engine and charts that read
// the same value paths, and holds what comes out against the plan.
package helm

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/artifacttest"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// rendered renders a chart with values, and returns the data of its ConfigMap.
func rendered(chart string, values map[string]any) (map[string]string, error) {
	c, err := loader.Load("charts/" + chart)
	if err != nil {
		return nil, err
	}
	all, err := chartutil.ToRenderValues(c, values, chartutil.ReleaseOptions{Name: chart, Namespace: "kube-system"}, nil)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(c, all)
	if err != nil {
		return nil, err
	}
	for _, text := range files {
		var object struct {
			Data map[string]string `yaml:"data"`
		}
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			return nil, err
		}
		return object.Data, nil
	}
	return nil, fmt.Errorf("the chart %s renders nothing", chart)
}

// below goes down through keys; a text on the way is YAML itself.
func below(content map[string]any, keys ...string) (map[string]any, error) {
	for _, key := range keys {
		switch value := content[key].(type) {
		case map[string]any:
			content = value
		case string:
			content = nil
			if err := yaml.Unmarshal([]byte(value), &content); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("no %q in %v", key, content)
		}
	}
	return content, nil
}

// place is where a variant keeps the values of a chart.
type place struct {
	chart string
	keys  []string
}

// places returns where the values of charts stand in what a variant writes.
func places(name string, v artifacttest.Variant) []place {
	var root []string
	if key := v.Options.Text("root_key"); key != "" {
		root = strings.Split(key, ".")
	}
	switch v.Consumer.Name {
	case "cilium_values":
		switch v.Options.Text("form") {
		case "values":
			return []place{{"cilium", root}}
		case "config_map":
			key := v.Options.Text("values_key")
			if key == "" {
				key = "values.yaml"
			}
			return []place{{"cilium", append([]string{"data", key}, root...)}}
		}
		return []place{{"cilium", append([]string{"spec", "values"}, root...)}}
	case "k3s_config":
		if v.Options.Text("form") == "helm_chart_config" {
			return []place{{"cilium", []string{"spec", "valuesContent"}}}
		}
	case "cozystack_values":
		cilium, ovn := []string{"spec", "components", "cilium", "values", "cilium"}, []string{"spec", "components", "kubeovn", "values", "kube-ovn"}
		if v.Options.Text("package") == "config_map" {
			cilium, ovn = []string{"data", "values-cilium", "cilium"}, []string{"data", "values-kubeovn", "kube-ovn"}
		} else if v.Options.Text("package") != "networking" {
			return nil
		}
		if v.Declaration.Existing {
			return []place{{"cilium", cilium}}
		}
		return []place{{"cilium", cilium}, {"exclusions", ovn}}
	case "kubeovn_values":
		chart := "kube-ovn"
		if v.Options.Text("chart") == "v2" {
			chart = "kube-ovn-v2"
		}
		switch v.Options.Text("form") {
		case "subnet":
			return nil
		case "helm_release":
			return []place{{chart, append([]string{"spec", "values"}, root...)}}
		}
		return []place{{chart, root}}
	}
	return nil
}

// TestValues renders the values of every variant and holds the result against the
// plan.
func TestValues(t *testing.T) {
	seen := map[string]bool{}
	for name, v := range artifacttest.Variants() {
		for _, at := range places(name, v) {
			t.Run(name+" "+at.chart, func(t *testing.T) {
				seen[at.chart] = true
				p, err := artifacttest.Plan(v.Declaration)
				if err != nil {
					t.Fatal(err)
				}
				result, err := v.Render()
				if err != nil {
					t.Fatal(err)
				}
				var document map[string]any
				if err := yaml.Unmarshal(result.NewDocument(), &document); err != nil {
					t.Fatal(err)
				}
				values, err := below(document, at.keys...)
				if err != nil {
					t.Fatal(err)
				}
				chart, want := at.chart, kubeovn(p, v.Declaration.Existing)
				switch at.chart {
				case "cilium":
					native, _ := v.Options.Flag("native_routing_cidr")
					want = cilium(p, native)
				case "exclusions":
					chart, want = "kube-ovn", map[string]string{"default-exclude-ips": want["default-exclude-ips"]}
				}
				got, err := rendered(chart, values)
				if err != nil {
					t.Fatal(err)
				}
				if at.chart == "exclusions" {
					got = map[string]string{"default-exclude-ips": got["default-exclude-ips"]}
				}
				if !maps.Equal(got, want) {
					t.Errorf("got  %v\nwant %v", got, want)
				}
			})
		}
	}
	for _, chart := range []string{"cilium", "exclusions", "kube-ovn", "kube-ovn-v2"} {
		if !seen[chart] {
			t.Errorf("no values of %s were rendered", chart)
		}
	}
}

// cilium is what cilium-config must say of a plan.
func cilium(p *plan.Plan, native bool) map[string]string {
	out := map[string]string{"ipam": "cluster-pool"}
	pool, _ := p.Network("pod")
	if p.Datapath == site.KubeOVNCilium {
		pool, _ = p.Network("cilium_pool")
	}
	if p.Datapath == site.CiliumKubernetes {
		out["ipam"] = "kubernetes"
	}
	pod, _ := p.Network("pod")
	for _, f := range space.Families() {
		family := strings.ToLower(f.String())
		has := slices.Contains(p.Families, f)
		out["enable-"+family] = fmt.Sprint(has)
		out["k8s-require-"+family+"-pod-cidr"] = fmt.Sprint(has && out["ipam"] == "kubernetes")
		if !has {
			continue
		}
		if out["ipam"] == "cluster-pool" {
			out["cluster-pool-"+family+"-cidr"] = joined(pool, f, " ")
			out["cluster-pool-"+family+"-mask-size"] = fmt.Sprint(pool.NodePrefix(f))
		}
		if native {
			out[family+"-native-routing-cidr"] = joined(pod, f, " ")
		}
	}
	return out
}

func joined(n plan.Network, f space.Family, separator string) string {
	var texts []string
	for _, prefix := range n.Family(f) {
		texts = append(texts, prefix.String())
	}
	return strings.Join(texts, separator)
}

// kubeovn is what the controller's arguments must say of a plan.
func kubeovn(p *plan.Plan, existing bool) map[string]string {
	both := func(text func(f space.Family) string) string {
		var texts []string
		for _, f := range space.Families() {
			if slices.Contains(p.Families, f) {
				texts = append(texts, text(f))
			}
		}
		return strings.Join(texts, ",")
	}
	of := func(name string) string {
		n, _ := p.Network(name)
		return both(func(f space.Family) string { return joined(n, f, ",") })
	}
	pod, _ := p.Network("pod")
	out := map[string]string{
		"default-cidr": of("pod"), "service-cluster-ip-range": of("service"), "node-switch-cidr": of("join"), "default-exclude-ips": "",
		"default-gateway": both(func(f space.Family) string {
			gateway, _ := pod.Gateway(f)
			return gateway.String()
		}),
	}
	if !existing {
		out["default-exclude-ips"] = strings.Join(pod.ExcludedTexts(), ",")
	}
	return out
}

// TestRefusals: the judge judges.
func TestRefusals(t *testing.T) {
	tests := []struct{ name, chart, values, words string }{
		{"a mask in quotes", "cilium", "ipam: {operator: {clusterPoolIPv4MaskSize: \"29\"}}", "clusterPoolIPv4MaskSize"},
		{"a key of long ago", "cilium", "ipam: {operator: {clusterPoolIPv4PodCIDR: 10.1.0.0/16}}", "clusterPoolIPv4PodCIDR"},
		{"a list in a list", "cilium", "ipam: {operator: {clusterPoolIPv4PodCIDRList: [[10.1.0.0/16]]}}", "clusterPoolIPv4PodCIDRList"},
		{"a word for a flag", "cilium", "k8s: {requireIPv4PodCIDR: \"true\"}", "requireIPv4PodCIDR"},
		{"a stack that is none", "kube-ovn", "networking: {NET_STACK: dual}", "no such stack"},
		{"a stack of the other chart", "kube-ovn-v2", "networking: {stack: ipv4}", "no such stack"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var values map[string]any
			if err := yaml.Unmarshal([]byte(test.values), &values); err != nil {
				t.Fatal(err)
			}
			if got, err := rendered(test.chart, values); err == nil || !strings.Contains(err.Error(), test.words) {
				t.Errorf("got %v, %v; want %s", got, err, test.words)
			}
		})
	}
}
