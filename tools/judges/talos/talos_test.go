// SPDX-License-Identifier: MPL-2.0

// Package talos hands every Talos patch to Talos' own configuration package, which
// generates a configuration, merges the patch into it and validates the result.
package talos

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/configloader"
	"github.com/siderolabs/talos/pkg/machinery/config/configpatcher"
	"github.com/siderolabs/talos/pkg/machinery/config/encoder"
	"github.com/siderolabs/talos/pkg/machinery/config/generate"
	"github.com/siderolabs/talos/pkg/machinery/config/machine"
	"go.yaml.in/yaml/v3"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/artifacttest"
)

// metal is the platform that configurations are validated for.
type metal struct{}

func (metal) String() string        { return "metal" }
func (metal) RequiresInstall() bool { return true }
func (metal) InContainer() bool     { return false }

// generated returns a configuration as Talos 1.13 generates it. Its keys take long
// to make, so that there is one for each machine type.
func generated(machineType machine.Type) ([]byte, error) {
	input, err := generate.NewInput("dc1", "https://192.0.2.10:6443", "1.36.0", generate.WithVersionContract(config.TalosVersion1_13), generate.WithInstallDisk("/dev/sda"))
	if err != nil {
		return nil, err
	}
	provider, err := input.Config(machineType)
	if err != nil {
		return nil, err
	}
	return provider.Bytes()
}

var (
	controlPlane = sync.OnceValues(func() ([]byte, error) { return generated(machine.TypeControlPlane) })
	worker       = sync.OnceValues(func() ([]byte, error) { return generated(machine.TypeWorker) })
)

// base decodes the generated configuration of a machine type.
func base(machineType machine.Type) (config.Provider, error) {
	text, err := worker()
	if machineType == machine.TypeControlPlane {
		text, err = controlPlane()
	}
	if err != nil {
		return nil, err
	}
	return configloader.NewFromBytes(text)
}

// merged merges a patch into the generated configuration, encodes the result, and
// has it decoded and validated anew.
func merged(machineType machine.Type, patch string) (config.Provider, error) {
	before, err := base(machineType)
	if err != nil {
		return nil, err
	}
	patches, err := configpatcher.LoadPatches([]string{patch})
	if err != nil {
		return nil, err
	}
	out, err := configpatcher.Apply(configpatcher.WithConfig(before), patches)
	if err != nil {
		return nil, err
	}
	text, err := out.Bytes()
	if err != nil {
		return nil, err
	}
	after, err := configloader.NewFromBytes(text)
	if err != nil {
		return nil, err
	}
	return after, noNewWarnings(machineType, after)
}

// noNewWarnings validates a configuration. What Talos warns of is an error too,
// unless it warns of it in its own configuration.
func noNewWarnings(machineType machine.Type, after config.Provider) error {
	unpatched, err := base(machineType)
	if err != nil {
		return err
	}
	usual, err := unpatched.Validate(metal{})
	if err != nil {
		return fmt.Errorf("the generated configuration: %w", err)
	}
	warnings, err := after.Validate(metal{})
	for _, warning := range warnings {
		if !slices.Contains(usual, warning) {
			err = errors.Join(err, fmt.Errorf("warning: %s", warning))
		}
	}
	return err
}

// document is a document of a patch or a configuration, by kind and name.
type document struct {
	kind, name string
	content    map[string]any
}

func documents(text []byte) ([]document, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var out []document
	for {
		var content map[string]any
		err := decoder.Decode(&content)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if content != nil {
			kind, _ := content["kind"].(string)
			name, _ := content["name"].(string)
			out = append(out, document{kind, name, content})
		}
	}
}

// holds reports where a value is not what was written: mappings may hold more, a
// list must be exactly the one that was written.
func holds(path string, written, result any) error {
	switch w := written.(type) {
	case map[string]any:
		r, ok := result.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is %v, want a mapping", path, result)
		}
		var errs []error
		for key, value := range w {
			errs = append(errs, holds(path+"."+key, value, r[key]))
		}
		return errors.Join(errs...)
	case []any:
		r, ok := result.([]any)
		if !ok || len(r) != len(w) {
			return fmt.Errorf("%s is %v, want exactly %v", path, result, w)
		}
		var errs []error
		for i := range w {
			errs = append(errs, holds(fmt.Sprintf("%s[%d]", path, i), w[i], r[i]))
		}
		return errors.Join(errs...)
	}
	if fmt.Sprint(written) != fmt.Sprint(result) {
		return fmt.Errorf("%s is %v, want %v", path, result, written)
	}
	return nil
}

// TestPatches merges every patch into a configuration of its machine type, a host's
// into both, and finds each document of the patch in the result.
func TestPatches(t *testing.T) {
	seen := 0
	for name, v := range artifacttest.Variants() {
		if !strings.HasPrefix(name, "talos_patch/") {
			continue
		}
		seen++
		t.Run(strings.TrimPrefix(name, "talos_patch/"), func(t *testing.T) {
			result, err := v.Render()
			if err != nil {
				t.Fatal(err)
			}
			patch := string(result.FragmentText())
			if v.Options.Text("config_shape") == "multidoc" {
				patch = withoutNewKinds(t, v.Options.Text("machine_type"), patch)
			}
			if patch == "" {
				return
			}
			for _, machineType := range machineTypes(v.Options.Text("machine_type")) {
				judge(t, machineType, patch)
			}
		})
	}
	if seen == 0 {
		t.Fatal("no patch was judged")
	}
}

func machineTypes(of string) []machine.Type {
	switch of {
	case "controlplane":
		return []machine.Type{machine.TypeControlPlane}
	case "worker":
		return []machine.Type{machine.TypeWorker, machine.TypeControlPlane}
	}
	return []machine.Type{machine.TypeControlPlane, machine.TypeWorker}
}

func judge(t *testing.T, machineType machine.Type, patch string) {
	t.Helper()
	provider, err := merged(machineType, patch)
	if err != nil {
		t.Fatalf("%s: %v\n%s", machineType, err, patch)
	}
	understood(t, machineType, provider, patch)
	text, err := provider.EncodeBytes(encoder.WithComments(encoder.CommentsDisabled))
	if err != nil {
		t.Fatal(err)
	}
	written, err := documents([]byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	result, err := documents(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range written {
		found := false
		for _, r := range result {
			if r.kind == w.kind && r.name == w.name {
				found = true
				if err := holds(w.kind+"/"+w.name, w.content, r.content); err != nil {
					t.Errorf("%s: %v", machineType, err)
				}
			}
		}
		if !found {
			t.Errorf("%s: the result has no %s %q", machineType, w.kind, w.name)
		}
	}
}

// TestRefusals: the judge judges.
func TestRefusals(t *testing.T) {
	tests := []struct {
		name, patch, words string
		machineType        machine.Type
	}{
		{"a misspelled key", "cluster:\n  network:\n    podSubnet: [10.244.0.0/16]\n", "unknown keys", machine.TypeControlPlane},
		{"etcd on a worker", "cluster:\n  etcd:\n    advertisedSubnets: [192.168.100.0/24]\n", "etcd config is only allowed on control plane machines", machine.TypeWorker},
		{"a priority of KubeSpan", "apiVersion: v1alpha1\nkind: RoutingRuleConfig\nname: \"32500\"\nsrc: 10.3.0.0/16\ntable: \"47\"\n", "priority must be between", machine.TypeControlPlane},
		{"one priority for two rules", "apiVersion: v1alpha1\nkind: RoutingRuleConfig\nname: \"1000\"\nsrc: 10.3.0.0/16\ntable: \"47\"\n---\napiVersion: v1alpha1\nkind: RoutingRuleConfig\nname: \"1000\"\nsrc: fd00:3::/56\ntable: \"47\"\n", "not allowed", machine.TypeControlPlane},
		{"a default route with a destination", "apiVersion: v1alpha1\nkind: LinkConfig\nname: eth0\nroutes:\n  - destination: 0.0.0.0/0\n    gateway: 192.168.100.1\n", "destination", machine.TypeWorker},
		{"a VLAN without a parent", "apiVersion: v1alpha1\nkind: VLANConfig\nname: pod0\nvlanID: 48\n", "parent", machine.TypeWorker},
		{"a table outside those of policy routing", "apiVersion: v1alpha1\nkind: RoutingRuleConfig\nname: \"1000\"\nsrc: 10.3.0.0/16\ntable: \"253\"\n", "253", machine.TypeControlPlane},
		{"a rule without a table", "apiVersion: v1alpha1\nkind: RoutingRuleConfig\nname: \"1000\"\nsrc: 10.3.0.0/16\n", "either table or a non-unicast action", machine.TypeControlPlane},
		{"a subnet that is none", "machine:\n  kubelet:\n    nodeIP:\n      validSubnets: [here]\n", "nodeIP subnet is not valid", machine.TypeWorker},
		{"a custom CNI without its manifests, of which Talos warns", "cluster:\n  network:\n    cni: {name: custom}\n", "warning: ", machine.TypeControlPlane},
		{"an annotation that is none", "machine:\n  nodeAnnotations:\n    \"-a\": b\n", "annotation", machine.TypeWorker},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := merged(test.machineType, test.patch); err == nil || !strings.Contains(err.Error(), test.words) {
				t.Errorf("got %v, want %s", err, test.words)
			}
		})
	}
}
