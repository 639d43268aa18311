// SPDX-License-Identifier: MPL-2.0

package artifact_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/artifacttest"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/ciliumvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/cozystackvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/k3sconfig"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/talmvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/talospatch"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

var update = flag.Bool("update", false, "write the golden files anew")

// planned plans a declaration that must be sound.
func planned(t *testing.T, d site.Declaration) *plan.Plan {
	t.Helper()
	p, err := artifacttest.Plan(d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

type network = site.NetworkDeclaration

var (
	six  = []string{"ipv6"}
	node = network{Name: "node", Role: "node", CIDRs: []string{"192.168.100.0/24"}, VIPs: map[string]string{"api": "192.168.100.10"}}
)

func cozystack(networks ...network) site.Declaration {
	return site.Declaration{Datapath: "kubeovn-cilium", Distribution: "talos", Networks: networks}
}

func TestGolden(t *testing.T) {
	for name, v := range artifacttest.Variants() {
		t.Run(name, func(t *testing.T) {
			result, err := v.Render()
			if err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", name+extension(result)), string(result.FragmentText()))
		})
	}
}

// extension is what a golden file ends in.
func extension(r artifact.Result) string {
	if r.Text != nil {
		return ".conf"
	}
	return ".yaml"
}

// golden compares a text with a file, line by line.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := string(content)
	if got == want {
		return
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		g, w := lineAt(gotLines, i), lineAt(wantLines, i)
		if g != w {
			t.Errorf("%s:%d\n- %s\n+ %s", file, i+1, w, g)
		}
	}
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(no line)"
}

// TestGoldenFilesAreUsed: a golden file that no variant writes is a leftover.
func TestGoldenFilesAreUsed(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "testdata/"), filepath.Ext(file))
		if strings.HasPrefix(name, "read/") {
			continue
		}
		if _, ok := artifacttest.Variants()[name]; !ok {
			t.Errorf("%s belongs to no variant", file)
		}
	}
}

func TestProblems(t *testing.T) {
	two := cozystack(node, network{Name: "storage", Role: "node", CIDRs: []string{"10.9.0.0/24"}})
	plain := site.Declaration{Datapath: "cilium-kubernetes"}
	tests := []struct {
		name         string
		consumer     artifact.Consumer
		d            site.Declaration
		o            artifact.Options
		path, phrase string
	}{
		{"several node networks", talospatch.Consumer(), two, artifact.Options{"machine_type": "worker"}, "node_network", `node_network = "node"`},
		{"a node network that is not there", talospatch.Consumer(), two, artifact.Options{"machine_type": "worker", "node_network": "nod"}, "node_network", `Did you mean "node"?`},
		{"no node network under Kube-OVN", talospatch.Consumer(), cozystack(), artifact.Options{"machine_type": "worker"}, "plan", "join network on every node"},
		{"controller manager on a worker", talospatch.Consumer(), cozystack(node), artifact.Options{"machine_type": "worker", "allocate_node_cidrs": false}, "allocate_node_cidrs", "control planes only"},
		{"node ranges that pods draw from", talospatch.Consumer(), plain, artifact.Options{"machine_type": "controlplane", "allocate_node_cidrs": false}, "allocate_node_cidrs", "no pod would get an address"},
		{"Talos for K3s", talospatch.Consumer(), site.Declaration{Datapath: "node-ipam", Distribution: "k3s"}, artifact.Options{"machine_type": "worker"}, "plan", "runs k3s"},
		{"talm without a node network", talmvalues.Consumer(), cozystack(), artifact.Options{}, "plan", "advertisedSubnets cannot be stated"},
		{"talm for kubeadm", talmvalues.Consumer(), site.Declaration{Datapath: "node-ipam", Distribution: "kubeadm", Networks: []network{node}}, artifact.Options{}, "plan", "runs kubeadm"},
		{"a virtual address that is not there", talmvalues.Consumer(), cozystack(node), artifact.Options{"api_vip": "apis"}, "api_vip", "It has: api"},
		{"Cozystack without Kube-OVN", cozystackvalues.Consumer(), plain, artifact.Options{}, "plan", `datapath = "kubeovn-cilium"`},
		{"Cozystack without IPv4", cozystackvalues.Consumer(), site.Declaration{Datapath: "kubeovn-cilium", IPFamilies: six}, artifact.Options{}, "plan", "IPv4 ranges only"},
		{"Cilium where none runs", ciliumvalues.Consumer(), site.Declaration{Datapath: "kubeovn"}, artifact.Options{}, "plan", "no Cilium runs"},
		{"native routing of two prefixes", ciliumvalues.Consumer(), site.Declaration{Datapath: "cilium-cluster-pool", Networks: []network{{Name: "pod", CIDRs: []string{"10.1.0.0/16", "10.3.0.0/16"}}}}, artifact.Options{"native_routing_cidr": true}, "native_routing_cidr", "takes one"},
		{"an argument that the plan decides", k3sconfig.Consumer(), site.Declaration{Datapath: "node-ipam"}, artifact.Options{"controller_manager_args": []string{"v=2", "node-cidr-mask-size=25"}}, "controller_manager_args[1]", "decided by the plan"},
		{"K3s for Talos", k3sconfig.Consumer(), cozystack(node), artifact.Options{}, "plan", "runs talos"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, problems := test.consumer.Render(planned(t, test.d), test.o)
			for _, p := range problems {
				if p.Path.String() == test.path && strings.Contains(p.Detail, test.phrase) {
					return
				}
			}
			t.Errorf("got\n%swant %s: … %s …", problems, test.path, test.phrase)
		})
	}
}
