// SPDX-License-Identifier: MPL-2.0

// Package live reads a real API server, with etcd, RBAC and the real CRDs of Cilium,
// and holds the snapshot against what was recorded of the same cluster.
package live

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// controlPlane is an API server on the loopback with its store.
type controlPlane struct {
	host string
	logs string
}

// The users of the API server, by their tokens.
const (
	adminToken   = "admin-token"
	auditorToken = "auditor-token"
	nobodyToken  = "nobody-token"
)

// start starts etcd and an API server with RBAC, and stops both with the test.
func start(t *testing.T) controlPlane {
	t.Helper()
	dir := t.TempDir()
	etcdPort, peerPort, apiPort := freePort(t), freePort(t), freePort(t)
	tokens := filepath.Join(dir, "tokens.csv")
	if err := os.WriteFile(tokens, []byte(adminToken+",admin,1,\"system:masters\"\n"+auditorToken+",auditor,2\n"+nobodyToken+",nobody,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(dir, "sa.key")
	writeKey(t, key)
	run(t, dir, "etcd", tool(t, "etcd"), "--data-dir", filepath.Join(dir, "etcd"), "--unsafe-no-fsync",
		"--listen-client-urls", url(etcdPort), "--advertise-client-urls", url(etcdPort),
		"--listen-peer-urls", url(peerPort), "--initial-advertise-peer-urls", url(peerPort), "--initial-cluster", "default="+url(peerPort))
	run(t, dir, "kube-apiserver", tool(t, "apiserver"), "--etcd-servers", url(etcdPort), "--bind-address", "127.0.0.1", "--secure-port", apiPort,
		"--cert-dir", filepath.Join(dir, "certs"), "--authorization-mode", "RBAC", "--token-auth-file", tokens, "--service-cluster-ip-range", "10.43.0.0/16",
		"--service-account-issuer", "https://kubernetes.default.svc", "--service-account-key-file", key, "--service-account-signing-key-file", key,
		"--disable-admission-plugins", "ServiceAccount")
	c := controlPlane{host: "https://127.0.0.1:" + apiPort, logs: dir}
	c.wait(t)
	return c
}

func url(port string) string { return "http://127.0.0.1:" + port }

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// tool builds a tool, if it is not in the cache, and returns its path.
func tool(t *testing.T, name string) string {
	t.Helper()
	command := exec.Command("../../tool.sh", name)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return strings.TrimSpace(string(out))
}

// run starts a program and ends it with the test.
func run(t *testing.T, dir, name, binary string, args ...string) {
	t.Helper()
	log, err := os.Create(filepath.Join(dir, name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	command := exec.CommandContext(ctx, binary, args...)
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = command.Wait() // it was killed, and says so
		_ = log.Close()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("the end of the log of %s:\n%s", name, text[max(0, len(text)-3000):])
		}
	})
}

// wait waits until the API server is ready.
func (c controlPlane) wait(t *testing.T) {
	t.Helper()
	client, err := rest.HTTPClientFor(c.config(adminToken))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		response, err := client.Get(c.host + "/readyz")
		if err != nil {
			continue
		}
		_ = response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return
		}
	}
	t.Fatal("the API server does not get ready")
}

func (c controlPlane) config(token string) *rest.Config {
	return &rest.Config{Host: c.host, BearerToken: token, TLSClientConfig: rest.TLSClientConfig{Insecure: true}, UserAgent: "test", QPS: 200, Burst: 400}
}

// describe names a control plane in failures.
func (c controlPlane) String() string { return fmt.Sprintf("API server at %s", c.host) }
