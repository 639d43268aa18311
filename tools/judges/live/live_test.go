// SPDX-License-Identifier: MPL-2.0

package live

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/audit"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/cluster"
)

// writer puts objects into the cluster.
type writer struct {
	t      *testing.T
	client dynamic.Interface
	mapper meta.RESTMapper
}

func newWriter(t *testing.T, c controlPlane) *writer {
	t.Helper()
	client, err := dynamic.NewForConfig(c.config(adminToken))
	if err != nil {
		t.Fatal(err)
	}
	w := &writer{t: t, client: client}
	w.discover(c)
	return w
}

// discover learns the kinds that the server has now.
func (w *writer) discover(c controlPlane) {
	w.t.Helper()
	d, err := discovery.NewDiscoveryClientForConfig(c.config(adminToken))
	if err != nil {
		w.t.Fatal(err)
	}
	groups, err := restmapper.GetAPIGroupResources(d)
	if err != nil {
		w.t.Fatal(err)
	}
	w.mapper = restmapper.NewDiscoveryRESTMapper(groups)
}

// put creates the objects of a text, with their status.
func (w *writer) put(text []byte) {
	w.t.Helper()
	for part := range bytes.SplitSeq(text, []byte("\n---\n")) {
		if len(bytes.TrimSpace(part)) == 0 {
			continue
		}
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(part, &o.Object); err != nil {
			w.t.Fatalf("%v in\n%s", err, part)
		}
		if o.Object == nil {
			continue
		}
		mapping, err := w.mapper.RESTMapping(o.GroupVersionKind().GroupKind(), o.GroupVersionKind().Version)
		if err != nil {
			w.t.Fatal(err)
		}
		var client dynamic.ResourceInterface = w.client.Resource(mapping.Resource)
		if o.GetNamespace() != "" {
			client = w.client.Resource(mapping.Resource).Namespace(o.GetNamespace())
		}
		created, err := client.Create(context.Background(), o, metav1.CreateOptions{})
		if err != nil {
			w.t.Fatalf("%s %s: %v", o.GetKind(), o.GetName(), err)
		}
		if status, ok := o.Object["status"]; ok {
			created.Object["status"] = status
			// A kind without the subresource has kept its status already.
			_, _ = client.UpdateStatus(context.Background(), created, metav1.UpdateOptions{})
		}
	}
}

// ciliumCRDs returns the CRDs of Cilium's module.
func ciliumCRDs(t *testing.T) []byte {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/cilium/cilium").Output()
	if err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	for _, file := range []string{"v2/ciliumnodes", "v2/ciliumnodeconfigs", "v2/ciliumendpoints", "v2/ciliumloadbalancerippools", "v2alpha1/ciliumpodippools"} {
		text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "pkg/k8s/apis/cilium.io/client/crds", file+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, bytes.TrimPrefix(text, []byte("---\n")))
	}
	return bytes.Join(out, []byte("\n---\n"))
}

// otherCRDs defines the kinds whose projects have no Go module of CRDs.
func otherCRDs() []byte {
	var out []string
	for _, k := range []struct{ group, version, kind, plural, scope string }{
		{"kubeovn.io", "v1", "Subnet", "subnets", "Cluster"}, {"kubeovn.io", "v1", "IP", "ips", "Cluster"},
		{"cozystack.io", "v1alpha1", "Package", "packages", "Cluster"}, {"metallb.io", "v1beta1", "IPAddressPool", "ipaddresspools", "Namespaced"},
		{"helm.toolkit.fluxcd.io", "v2", "HelmRelease", "helmreleases", "Namespaced"}, {"kustomize.toolkit.fluxcd.io", "v1", "Kustomization", "kustomizations", "Namespaced"},
		{"longhorn.io", "v1beta2", "Volume", "volumes", "Namespaced"}, {"longhorn.io", "v1beta2", "Replica", "replicas", "Namespaced"}, {"longhorn.io", "v1beta2", "Engine", "engines", "Namespaced"},
		{"longhorn.io", "v1beta2", "InstanceManager", "instancemanagers", "Namespaced"}, {"longhorn.io", "v1beta2", "Setting", "settings", "Namespaced"},
		{"k8s.cni.cncf.io", "v1", "NetworkAttachmentDefinition", "network-attachment-definitions", "Namespaced"},
	} {
		out = append(out, fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[4]s.%[1]s}
spec:
  group: %[1]s
  scope: %[5]s
  names: {kind: %[3]s, plural: %[4]s, singular: %[6]s}
  versions:
    - name: %[2]s
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`, k.group, k.version, k.kind, k.plural, k.scope, strings.ToLower(k.kind)))
	}
	return []byte(strings.Join(out, "\n---\n"))
}

// record writes what kubectl get -o json would, for every kind that the server has.
func record(t *testing.T, w *writer, dir string) []string {
	t.Helper()
	var files []string
	for _, resource := range readKinds(t) {
		gvr := schema.GroupVersionResource{Group: resource.group, Resource: resource.name}
		found, err := w.mapper.ResourceFor(gvr)
		if err != nil {
			t.Fatalf("%v: %v", gvr, err)
		}
		list, err := w.client.Resource(found).List(context.Background(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, resource.name+"."+resource.group+".json")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

type resource struct{ group, name string }

// readKinds are the kinds that the ClusterRole of the example permits.
func readKinds(t *testing.T) []resource {
	t.Helper()
	var role struct {
		Rules []struct {
			Groups    []string `json:"apiGroups"`
			Resources []string `json:"resources"`
		} `json:"rules"`
	}
	if err := yaml.Unmarshal(clusterRole(t), &role); err != nil {
		t.Fatal(err)
	}
	var out []resource
	for _, rule := range role.Rules {
		for _, name := range rule.Resources {
			out = append(out, resource{rule.Groups[0], name})
		}
	}
	return out
}

func clusterRole(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("../../../examples/audit/cluster-role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const binding = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: cidrplan-audit}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cidrplan-audit}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: auditor}]
`

// TestLive reads a cluster with faults in it as a user who may only get and list, and
// the same cluster from a recording: both snapshots are the same bytes, and the audit
// finds the faults.
func TestLive(t *testing.T) {
	c := start(t)
	w := newWriter(t, c)
	w.put(ciliumCRDs(t))
	w.put(otherCRDs())
	established(t, w)
	w.discover(c)
	w.put(clusterRole(t))
	w.put([]byte(binding))
	objects, err := os.ReadFile("testdata/cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	w.put(objects)

	s, err := cluster.Read(context.Background(), c.config(auditorToken))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.NotInspected) > 0 {
		t.Errorf("%s: not inspected: %+v", c, s.NotInspected)
	}
	recorded, err := cluster.ReadRecorded(record(t, w, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	sameSnapshot(t, s, recorded)
	found := map[string]bool{}
	for _, f := range audit.Run(s, nil).Findings {
		found[f.Rule] = true
	}
	for _, rule := range []string{"pod-has-ingress-address", "pod-has-router-address", "two-allocators", "sandbox-refused", "pools-overlap", "storage-gate", "release-not-converged", "next-collision"} {
		if !found[rule] {
			t.Errorf("the audit does not find %s", rule)
		}
	}
	t.Run("terraform", func(t *testing.T) { terraform(t, c) })
	t.Run("one permission less", func(t *testing.T) { onePermissionLess(t, c, w) })
	t.Run("no permission", func(t *testing.T) { noPermission(t, c) })
	t.Run("wrong token", func(t *testing.T) { wrongToken(t, c) })
	t.Run("cancelled", func(t *testing.T) { cancelled(t, c) })
}

// established waits until the API server serves the new kinds.
func established(t *testing.T, w *writer) {
	t.Helper()
	crds := w.client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		list, err := crds.List(context.Background(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		ready := 0
		for _, crd := range list.Items {
			text, err := crd.MarshalJSON()
			if err == nil && bytes.Contains(text, []byte(`"type":"Established"`)) && bytes.Contains(text, []byte(`"reason":"InitialNamesAccepted"`)) {
				ready++
			}
		}
		if ready == len(list.Items) {
			return
		}
	}
	t.Fatal("the kinds are not served")
}

func sameSnapshot(t *testing.T, live, recorded *cluster.Snapshot) {
	t.Helper()
	a, err := live.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	b, err := recorded.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("live\n%s\nrecorded\n%s", a, b)
	}
}

// onePermissionLess takes one rule out of the role: that kind is not inspected, and
// nothing else.
func onePermissionLess(t *testing.T, c controlPlane, w *writer) {
	roles := w.client.Resource(schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"})
	role, err := roles.Get(context.Background(), "cidrplan-audit", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rules, _, err := unstructured.NestedSlice(role.Object, "rules")
	if err != nil {
		t.Fatal(err)
	}
	for i, rule := range rules {
		r, ok := rule.(map[string]any)
		if !ok || fmt.Sprint(r["apiGroups"]) != "[cilium.io]" {
			continue
		}
		r["resources"] = []any{"ciliumnodeconfigs", "ciliumendpoints", "ciliumpodippools", "ciliumloadbalancerippools"}
		rules[i] = r
	}
	if err := unstructured.SetNestedSlice(role.Object, rules, "rules"); err != nil {
		t.Fatal(err)
	}
	if _, err := roles.Update(context.Background(), role, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) { // RBAC follows in a moment
		s, err := cluster.Read(context.Background(), c.config(auditorToken))
		if err != nil {
			t.Fatal(err)
		}
		if len(s.NotInspected) == 1 && s.NotInspected[0].Kind == "ciliumnodes.cilium.io" && strings.Contains(s.NotInspected[0].Hint, "get and list on ciliumnodes.cilium.io") {
			if audit.Run(s, nil).Healthy() {
				t.Error("a cluster that was not inspected is healthy")
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not inspected: %+v", s.NotInspected)
		}
	}
}

// noPermission: without any permission nothing is inspected, and nothing healthy.
func noPermission(t *testing.T, c controlPlane) {
	s, err := cluster.Read(context.Background(), c.config(nobodyToken))
	if err != nil {
		t.Fatal(err)
	}
	report := audit.Run(s, nil)
	if len(s.NotInspected) < 20 || report.Healthy() {
		t.Errorf("%d gaps, healthy %t", len(s.NotInspected), report.Healthy())
	}
}

func wrongToken(t *testing.T, c controlPlane) {
	s, err := cluster.Read(context.Background(), c.config("no-such-token"))
	if err == nil && (len(s.NotInspected) == 0 || !strings.Contains(s.NotInspected[0].Reason, "401")) {
		t.Errorf("%+v", s)
	}
	if err != nil && strings.Contains(err.Error(), "no-such-token") {
		t.Errorf("the token is in the error: %v", err)
	}
}

func cancelled(t *testing.T, c controlPlane) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := cluster.Read(ctx, c.config(auditorToken)); err == nil {
		t.Error("no error")
	}
}
