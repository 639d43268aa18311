// SPDX-License-Identifier: MPL-2.0

package artifact_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/ansiblevars"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/artifacttest"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/birdconfig"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/ciliumvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/cozystackvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/fluxsubstitutions"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/k3sconfig"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/kubeadmconfig"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/kubeovnvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/loadbalancerpool"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/nodemovepolicy"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/talmvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/talospatch"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// TestReadingWhatWasWritten: what each consumer wrote reads back as facts of the
// plan, all of them declared, none beside the plan, and no range of a role that the
// file states left out.
func TestReadingWhatWasWritten(t *testing.T) {
	for name, v := range artifacttest.Variants() {
		if v.Consumer.Read == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p := planned(t, v.Declaration)
			result, err := v.Render()
			if err != nil {
				t.Fatal(err)
			}
			text := result.Content()
			if !v.Consumer.Whole {
				text = result.NewDocument()
			}
			facts, err := v.Consumer.Read(text)
			if err != nil || len(facts) == 0 {
				t.Fatalf("%d facts: %v in\n%s", len(facts), err, text)
			}
			read := map[site.Role][]string{}
			for _, f := range facts {
				checkPlanned(t, p, f)
				if f.Subject == artifact.SubjectCIDRs && f.Name == "" {
					read[f.Role] = append(read[f.Role], f.Value)
				}
			}
			for _, role := range []site.Role{site.RolePod, site.RoleService, site.RoleJoin} {
				if want := artifact.Prefixes(p, string(role)); len(read[role]) > 0 && len(read[role]) < len(want) && !strings.Contains(name, "cozystack") {
					t.Errorf("of %s only %q read, want %q", role, read[role], want)
				}
			}
		})
	}
}

// checkPlanned holds a fact against the plan.
func checkPlanned(t *testing.T, p *plan.Plan, f artifact.Fact) {
	t.Helper()
	if f.Origin != artifact.Declared || f.Line == 0 || f.Value == "" {
		t.Errorf("%+v", f)
	}
	if f.Subject == artifact.SubjectMode || f.Subject == artifact.SubjectNodeLength || f.Subject == artifact.SubjectNodeCIDRs || f.Subject == artifact.SubjectVIP {
		return
	}
	r, ok := artifact.LooseRange(f.Value)
	if !ok {
		t.Errorf("%+v is no range", f)
		return
	}
	for _, n := range p.Networks {
		for _, planned := range n.Ranges {
			inside := planned.From().Compare(r.From()) <= 0 && r.To().Compare(planned.To()) <= 0
			if inside && (f.Role == "" || f.Role == n.Role || f.Allocator == site.AllocatorCiliumOperator) {
				return
			}
		}
	}
	if f.Subject == artifact.SubjectTrusted {
		return // the old node network is no part of the plan
	}
	t.Errorf("%+v is in no network of the plan", f)
}

// line is a fact as one line of a test.
func line(f artifact.Fact) string {
	text := fmt.Sprintf("%d %s %s/%s/%s", f.Line, f.KeyPath, f.Role, f.Allocator, f.Subject)
	if f.Name != "" {
		text += " of " + f.Name
	}
	text += " = " + f.Value
	if f.Origin != artifact.Declared {
		text += " (" + string(f.Origin) + ": " + f.Source + ")"
	}
	return text
}

// TestReadingPeoplesFiles reads files as people have them: testdata/read holds one
// for each case, with the facts that must come out beside it.
func TestReadingPeoplesFiles(t *testing.T) {
	readers := map[string]func([]byte) ([]artifact.Fact, error){
		"ansible": ansiblevars.Read, "bird": birdconfig.Read, "cilium": ciliumvalues.Read, "cozystack": cozystackvalues.Read,
		"flux": fluxsubstitutions.Read, "k3s": k3sconfig.Read, "kubeadm": kubeadmconfig.Read, "kubeovn": kubeovnvalues.Read,
		"pool": loadbalancerpool.Read, "policy": nodemovepolicy.Read, "talm": talmvalues.Read, "talos": talospatch.Read,
	}
	files, err := filepath.Glob("testdata/read/*/*")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, ".facts") {
			continue
		}
		reader := filepath.Base(filepath.Dir(file))
		seen[reader] = true
		t.Run(filepath.ToSlash(strings.TrimPrefix(file, "testdata/read/")), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			facts, err := readers[reader](src)
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, f := range facts {
				lines = append(lines, line(f))
			}
			golden(t, file+".facts", strings.Join(lines, "\n")+"\n")
		})
	}
	for reader := range readers {
		if !seen[reader] {
			t.Errorf("no file of testdata/read/%s", reader)
		}
	}
}

// TestReadersPassOverEachOthersFiles: a file of one consumer has no facts for a
// reader that does not know it, whatever it is.
func TestReadersPassOverEachOthersFiles(t *testing.T) {
	for _, src := range []string{"", "# nothing\n", "just text\n", "- a\n- b\n", "{}\n", "kind: Deployment\napiVersion: apps/v1\nspec: {replicas: 2}\n", "a: &x [1]\nb: *x\n", "a: &x\n  b: *x\n", "a: &x\n  <<: *x\n  b: [*x]\n", "---\n---\n"} {
		for name, c := range consumersByName() {
			if facts, err := c.Read([]byte(src)); err != nil || len(facts) > 0 {
				t.Errorf("%s reads %q as %v, %v", name, src, facts, err)
			}
		}
	}
}

func consumersByName() map[string]artifact.Consumer {
	out := map[string]artifact.Consumer{}
	for _, v := range artifacttest.Variants() {
		if v.Consumer.Read != nil {
			out[v.Consumer.Name] = v.Consumer
		}
	}
	return out
}

// FuzzRead: no reader panics, whatever a file holds, and each place is in the file.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*")
	if err != nil {
		f.Fatal(err)
	}
	more, err := filepath.Glob("testdata/read/*/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range append(files, more...) {
		if src, err := os.ReadFile(file); err == nil {
			f.Add(src)
		}
	}
	consumers := consumersByName()
	f.Fuzz(func(t *testing.T, src []byte) {
		lines := 1 + strings.Count(string(src), "\n") + strings.Count(string(src), "\r")
		for name, c := range consumers {
			facts, err := c.Read(src)
			if err != nil {
				continue
			}
			for _, fact := range facts {
				if fact.Line < 1 || fact.Line > 2*lines {
					t.Errorf("%s: %+v stands outside %d lines", name, fact, lines)
				}
			}
		}
	})
}

func TestLooseRange(t *testing.T) {
	for text, want := range map[string]string{
		"10.0.0.0/8": "10.0.0.0/8", "10.20.0.1/16": "10.20.0.0/16", "10.0.0.5": "10.0.0.5", "10.0.0.1-10.0.0.9": "10.0.0.1-10.0.0.9",
		"10.0.0.1 - 10.0.0.9": "10.0.0.1-10.0.0.9", "10.0.0.1..10.0.0.9": "10.0.0.1-10.0.0.9", "fd00::/64": "fd00::/64", "::ffff:10.0.0.1": "10.0.0.1",
		"10.0.0.9-10.0.0.1": "", "ten": "", "": "", "10.0.0.0/33": "", "1-2": "",
	} {
		got := ""
		if r, ok := artifact.LooseRange(text); ok {
			got = space.FormatRange(r)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
