// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recording is a small cluster as kubectl records it: Lists, single objects, YAML
// and JSON.
const (
	recordedNodes = `{
  "apiVersion": "v1",
  "items": [
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n2", "annotations": {"k3s.io/node-args": "[\"server\",\"--token\",\"SECRET\",\"--cluster-cidr\",\"10.42.0.0/16\",\"--node-ip=192.168.1.22\"]"}}, "spec": {"podCIDR": "10.42.1.0/24", "podCIDRs": ["10.42.1.0/24"]}, "status": {"addresses": [{"type": "InternalIP", "address": "192.168.1.22"}, {"type": "Hostname", "address": "n2"}], "conditions": [{"type": "Ready", "status": "True"}]}},
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "spec": {"podCIDRs": ["10.42.0.0/24"], "unschedulable": true}}
  ],
  "kind": "List",
  "metadata": {"resourceVersion": ""}
}
{"apiVersion": "v1", "kind": "PodList", "items": [
  {"metadata": {"name": "a", "namespace": "x"}, "spec": {"nodeName": "n1"}, "status": {"phase": "Running", "podIPs": [{"ip": "10.42.0.5"}]}},
  {"metadata": {"name": "done", "namespace": "x"}, "spec": {"nodeName": "n1"}, "status": {"phase": "Succeeded", "podIP": "10.42.0.6"}},
  {"metadata": {"name": "host", "namespace": "x"}, "spec": {"nodeName": "n1", "hostNetwork": true}, "status": {"phase": "Running", "podIP": "192.168.1.21"}}
]}
`
	recordedCilium = `apiVersion: v1
kind: ConfigMap
metadata:
  name: cilium-config
  namespace: kube-system
  managedFields:
    - {manager: helm, time: "2026-11-30T10:00:00Z", fieldsV1: {"f:data": {"f:ipam": {}}}}
    - {manager: label, time: "2026-11-30T12:00:00Z", fieldsV1: {"f:metadata": {}}}
data:
  ipam: kubernetes
  debug: "true"
---
apiVersion: v1
kind: Secret
metadata: {name: s, namespace: kube-system}
data: {token: SECRET}
---
apiVersion: cilium.io/v2
kind: CiliumNode
metadata: {name: n1}
spec:
  addresses:
    - {type: InternalIP, ip: 192.168.1.21}
    - {type: CiliumInternalIP, ip: 10.42.0.9}
  ipam: {podCIDRs: [10.42.0.0/24]}
  ingress: {ipv4: 10.42.0.10}
status:
  ipam: {operator-status: {error: "allocator full"}}
---
apiVersion: example.org/v1
kind: Subnet
metadata: {name: of-somebody-else}
spec: {cidrBlock: 10.0.0.0/8}
`
	canonicalRecording = `{
  "nodes": [
    {
      "name": "n1",
      "podCIDRs": [
        "10.42.0.0/24"
      ],
      "unschedulable": true
    },
    {
      "name": "n2",
      "podCIDRs": [
        "10.42.1.0/24"
      ],
      "internalIPs": [
        "192.168.1.22"
      ],
      "ready": true,
      "arguments": [
        "--cluster-cidr=10.42.0.0/16",
        "--node-ip=192.168.1.22"
      ]
    }
  ],
  "ciliumNodes": [
    {
      "name": "n1",
      "podCIDRs": [
        "10.42.0.0/24"
      ],
      "router": [
        "10.42.0.9"
      ],
      "ingress": [
        "10.42.0.10"
      ],
      "internalIPs": [
        "192.168.1.21"
      ],
      "operatorError": "allocator full"
    }
  ],
  "pods": [
    {
      "namespace": "x",
      "name": "a",
      "node": "n1",
      "ips": [
        "10.42.0.5"
      ],
      "phase": "Running"
    }
  ],
  "configMaps": [
    {
      "namespace": "kube-system",
      "name": "cilium-config",
      "data": {
        "ipam": "kubernetes"
      },
      "changed": "2026-11-30T10:00:00Z"
    }
  ]
}
`
)

func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A recording, in files or in a folder, in any order, gives one snapshot, and no
// secret reaches it.
func TestReadRecorded(t *testing.T) {
	dir := t.TempDir()
	nodes, cilium := write(t, dir, "nodes.json", recordedNodes), write(t, dir, "cilium.yaml", recordedCilium)
	for name, paths := range map[string][]string{"files": {nodes, cilium}, "the other way round": {cilium, nodes}, "a folder": {dir}, "twice": {nodes, cilium, nodes}} {
		t.Run(name, func(t *testing.T) {
			s, err := ReadRecorded(paths)
			if err != nil {
				t.Fatal(err)
			}
			got, err := s.Canonical()
			if err != nil || string(got) != canonicalRecording {
				t.Errorf("%v\n%s", err, got)
			}
			if bytes.Contains(got, []byte("SECRET")) {
				t.Error("a secret is in the snapshot")
			}
		})
	}
}

func TestReadRecordedErrors(t *testing.T) {
	dir := t.TempDir()
	broken := write(t, dir, "broken.json", `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Node", "spec": {"podCIDRs": "no list"}}]}`)
	cut := write(t, dir, "cut.json", recordedNodes[:200])
	_, err := ReadRecorded([]string{broken, cut, filepath.Join(dir, "missing.json")})
	for _, words := range []string{"broken.json", "cut.json", "missing.json"} {
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v does not name %s", err, words)
		}
	}
}

// What a recording should hold and does not is a gap, never a pass.
func TestGaps(t *testing.T) {
	dir := t.TempDir()
	s, err := ReadRecorded([]string{write(t, dir, "cilium.yaml", recordedCilium)})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, g := range s.NotInspected {
		kinds = append(kinds, g.Kind)
	}
	if got := strings.Join(kinds, " "); got != "nodes pods" {
		t.Errorf("gaps %q", got)
	}
}

// FuzzAdd: no recording makes the reader panic, and what it keeps can be written.
func FuzzAdd(f *testing.F) {
	f.Add([]byte(recordedNodes))
	f.Add([]byte(recordedCilium))
	f.Fuzz(func(t *testing.T, src []byte) {
		s := &Snapshot{}
		if err := s.Add(bytes.NewReader(src)); err != nil {
			return
		}
		if _, err := s.Canonical(); err != nil {
			t.Fatal(err)
		}
	})
}
