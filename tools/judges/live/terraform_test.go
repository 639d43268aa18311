// SPDX-License-Identifier: MPL-2.0

package live

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// terraform runs the provider of this tree against the cluster, by a kubeconfig with
// a token, by one with a program that prints it, and by attributes: the audit comes
// out, and the token reaches neither the state nor the log.
func terraform(t *testing.T, c controlPlane) {
	dir := t.TempDir()
	cli := output(t, "../../cli.sh")
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "terraform-provider-cidrplan"), ".")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rc := file(t, dir, "cli.tfrc", fmt.Sprintf("provider_installation {\n  dev_overrides { \"cidrplan/cidrplan\" = %q }\n  direct {}\n}\n", dir))
	byToken := file(t, dir, "token.kubeconfig", kubeconfig(c, "{token: "+auditorToken+"}"))
	helper := file(t, dir, "credentials.sh", "#!/bin/sh\necho '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\""+auditorToken+"\"}}'\n")
	if err := os.Chmod(helper, 0o700); err != nil {
		t.Fatal(err)
	}
	byExec := file(t, dir, "exec.kubeconfig", kubeconfig(c, "{exec: {apiVersion: client.authentication.k8s.io/v1, command: "+helper+", interactiveMode: Never}}"))
	for name, block := range map[string]string{
		"token":      fmt.Sprintf("config_path = %q", byToken),
		"exec":       fmt.Sprintf("config_paths = [%q]", byExec),
		"attributes": fmt.Sprintf("host = %q\n  token = %q\n  insecure = true", c.host, auditorToken),
		"exec block": fmt.Sprintf("host = %q\n  insecure = true\n  exec {\n    api_version = \"client.authentication.k8s.io/v1\"\n    command = %q\n  }", c.host, helper),
	} {
		t.Run(name, func(t *testing.T) {
			work := t.TempDir()
			file(t, work, "main.tf", "terraform {\n  required_providers {\n    cidrplan = { source = \"cidrplan/cidrplan\" }\n  }\n}\nprovider \"cidrplan\" {\n  "+block+"\n}\ndata \"cidrplan_audit\" \"x\" {}\noutput \"found\" {\n  value = join(\" \", [for f in data.cidrplan_audit.x.findings : f.rule])\n}\n")
			command := exec.Command(cli, "-chdir="+work, "apply", "-auto-approve", "-no-color", "-input=false")
			command.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+rc, "CHECKPOINT_DISABLE=1", "TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(work, "trace.log"), "KUBE_CONFIG_PATH=")
			out, err := command.CombinedOutput()
			if err != nil || !bytes.Contains(out, []byte("pod-has-ingress-address")) {
				t.Fatalf("%v\n%s", err, out)
			}
			state := read(t, filepath.Join(work, "terraform.tfstate"))
			if strings.Contains(state, auditorToken) || strings.Contains(string(out), auditorToken) || strings.Contains(state, "SECRET") {
				t.Error("a secret is in the state or the output")
			}
			if name == "token" || name == "exec" { // an attribute stands in the configuration, which Terraform itself logs
				if strings.Contains(read(t, filepath.Join(work, "trace.log")), auditorToken) {
					t.Error("the token is in the log")
				}
			}
		})
	}
}

func kubeconfig(c controlPlane, user string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Config\ncurrent-context: x\nclusters: [{name: x, cluster: {server: %q, insecure-skip-tls-verify: true}}]\ncontexts: [{name: x, context: {cluster: x, user: x}}]\nusers: [{name: x, user: %s}]\n", c.host, user)
}

func file(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	command := exec.Command(name, args...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
