// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"os"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The ClusterRole of the example permits what is read, and nothing more.
func TestClusterRole(t *testing.T) {
	text, err := os.ReadFile("../../examples/audit/cluster-role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var role struct {
		Rules []struct {
			Groups    []string `yaml:"apiGroups"`
			Resources []string `yaml:"resources"`
			Verbs     []string `yaml:"verbs"`
		} `yaml:"rules"`
	}
	if err := yaml.Unmarshal(text, &role); err != nil {
		t.Fatal(err)
	}
	permitted := map[string]bool{}
	for _, rule := range role.Rules {
		if !slices.Equal(rule.Verbs, []string{"get", "list"}) {
			t.Errorf("verbs %q", rule.Verbs)
		}
		for _, resource := range rule.Resources {
			permitted[kind{Group: rule.Groups[0], Resource: resource}.String()] = true
		}
	}
	for _, k := range kinds() {
		if !permitted[k.String()] {
			t.Errorf("%s is read and not permitted", k)
		}
		delete(permitted, k.String())
	}
	for name := range permitted {
		t.Errorf("%s is permitted and not read", name)
	}
}
