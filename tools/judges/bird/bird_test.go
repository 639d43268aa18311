// SPDX-License-Identifier: MPL-2.0

// Package bird has BIRD itself parse the include files that bird_config writes, and
// configurations that use what they define.
package bird

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/artifacttest"
)

// head is all that a configuration needs beside the include file. BIRD refuses one
// that has no protocol.
const head = "router id 192.0.2.1;\nprotocol device {}\ninclude \"cidrplan.conf\";\n"

// binary is the BIRD that judges: CIDRPLAN_BIRD, or the one that bird.sh finds.
func binary(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("CIDRPLAN_BIRD"); path != "" {
		return path
	}
	cmd := exec.Command("../../bird.sh")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tools/bird.sh finds no BIRD 2: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// parse has BIRD parse a configuration beside an include file. What BIRD prints is
// an error too, since it warns of what it will refuse later.
func parse(t *testing.T, bird, include, config string) error {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"cidrplan.conf": include, "bird.conf": config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(bird, "-p", "-c", filepath.Join(dir, "bird.conf")).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	if len(out) > 0 {
		return errors.New(string(out))
	}
	return nil
}

// constant is one definition of an include file.
type constant struct{ name, value string }

// constants reads an include file, which holds one definition a line and nothing
// else but comments.
func constants(text string) ([]constant, error) {
	definition := regexp.MustCompile(`^define ([A-Za-z_][A-Za-z0-9_]*) = (.+);$`)
	var out []constant
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		found := definition.FindStringSubmatch(line)
		if found == nil {
			return nil, fmt.Errorf("no definition of a constant: %q", line)
		}
		out = append(out, constant{found[1], found[2]})
	}
	if len(out) == 0 {
		return nil, errors.New("the file defines no constant")
	}
	return out, nil
}

// use is a part of a configuration in which the constant stands where its kind
// belongs, and which BIRD refuses with a constant of another kind.
func (c constant) use(i int) (string, error) {
	if strings.HasPrefix(c.value, "[") {
		// Of `net ~` alone BIRD checks no type until a route comes.
		return fmt.Sprintf("filter f%d { prefix set wanted = %[2]s; if net ~ wanted && net ~ %[2]s then accept; reject; }\n", i, c.name), nil
	}
	if regexp.MustCompile(`^[0-9]+$`).MatchString(c.value) {
		return fmt.Sprintf("ipv4 table t%[1]d;\nprotocol kernel k%[1]d {\n  ipv4 { table t%[1]d; import none; export all; };\n  kernel table %[2]s;\n}\n", i, c.name), nil
	}
	if _, err := netip.ParsePrefix(c.value); err == nil {
		return accept(i, fmt.Sprintf("net = %[1]s || net ~ %[1]s || %[1]s.len = 0", c.name)), nil
	}
	if addr, err := netip.ParseAddr(c.value); err == nil {
		return accept(i, "from = "+c.name) + neighbor(i, c.name, addr), nil
	}
	return "", fmt.Errorf("%s is no prefix set, number, prefix or address: %q", c.name, c.value)
}

func accept(i int, condition string) string {
	return fmt.Sprintf("filter f%d { if %s then accept; reject; }\n", i, condition)
}

// neighbor is a BGP session with an address, what host addresses are there for: it
// takes an address where a filter would compare anything.
func neighbor(i int, name string, addr netip.Addr) string {
	channel := "ipv4"
	if addr.Is6() {
		channel = "ipv6"
	}
	return fmt.Sprintf("protocol bgp b%d {\n  local as 64512;\n  neighbor %s as 64512;\n  %s { import all; export none; };\n}\n", i, name, channel)
}

// configuration uses every constant of an include file.
func configuration(include string) (string, error) {
	all, err := constants(include)
	if err != nil {
		return "", err
	}
	config := head
	for i, c := range all {
		part, err := c.use(i)
		if err != nil {
			return "", err
		}
		config += part
	}
	return config, nil
}

// judge holds an include file against BIRD: by itself, and with its constants used.
func judge(t *testing.T, bird, include string) {
	t.Helper()
	if err := parse(t, bird, include, head); err != nil {
		t.Fatalf("BIRD refuses the include file: %v\n%s", err, include)
	}
	config, err := configuration(include)
	if err != nil {
		t.Fatal(err)
	}
	if err := parse(t, bird, include, config); err != nil {
		t.Fatalf("BIRD refuses the constants where they are used: %v\n%s\n%s", err, include, config)
	}
}

func TestBirdParses(t *testing.T) {
	bird, judged := binary(t), 0
	for name, v := range artifacttest.Variants() {
		if !strings.HasPrefix(name, "bird_config/") {
			continue
		}
		judged++
		t.Run(name, func(t *testing.T) {
			result, err := v.Render()
			if err != nil {
				t.Fatal(err)
			}
			judge(t, bird, string(result.FragmentText()))
		})
	}
	if judged == 0 {
		t.Error("there is no variant of bird_config to judge")
	}
}

func TestJudgeAccepts(t *testing.T) {
	bird := binary(t)
	for name, include := range map[string]string{
		"table and sets": "define CIDRPLAN_TABLE = 47;\ndefine CIDRPLAN_POD4 = [ 10.16.0.0/16{16,28} ];\ndefine CIDRPLAN_LB4 = [ 10.2.99.0/24+ ];\ndefine CIDRPLAN_NODE4 = 192.168.46.0/24;\n",
		"ipv6":           "# the plan\ndefine P = [ fd12:3456:789a:3000::/56{56,64} ];\ndefine N = fd12:3456:789a:46::/64;\ndefine A = fd12:3456:789a:46::b;\n",
		"several":        "define S = [ 10.0.0.0/8{8,24}, 172.16.0.0/12+ ];\ndefine A = 192.168.46.11;\n",
	} {
		t.Run(name, func(t *testing.T) { judge(t, bird, include) })
	}
}

func TestJudgeRefuses(t *testing.T) {
	bird := binary(t)
	for _, c := range []struct{ name, include, says string }{
		{"unmasked prefix", "define P = 10.0.0.1/8;\n", "Invalid IPv4 prefix 10.0.0.1/8"},
		{"name with a dash", "define NODE-0 = 10.0.0.0/8;\n", "syntax error"},
		{"mixed families", "define P = [ 10.0.0.0/8+, fd00::/8+ ];\n", "Mixed IPv4/IPv6 prefixes"},
		{"defined twice", "define P = 1;\ndefine P = 2;\n", "already defined"},
		{"prefix constant in a set", "define P = 10.0.0.0/8;\ndefine S = [ P ];\n", "set-incompatible"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := parse(t, bird, c.include, head)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("BIRD says %v, not %q, of\n%s", err, c.says, c.include)
			}
		})
	}
}

// TestUseTellsKindsApart shows that a use fails with a constant of another kind, so
// that a use which parses says something about the constant.
func TestUseTellsKindsApart(t *testing.T) {
	bird := binary(t)
	kinds := []constant{{"C", "[ 10.0.0.0/8+ ]"}, {"C", "47"}, {"C", "10.0.0.0/8"}, {"C", "10.0.0.1"}}
	for i, used := range kinds {
		part, err := used.use(0)
		if err != nil {
			t.Fatal(err)
		}
		for j, defined := range kinds {
			err := parse(t, bird, "define C = "+defined.value+";\n", head+part)
			if (err == nil) != (i == j) {
				t.Errorf("%s used as %s: %v", defined.value, used.value, err)
			}
		}
	}
}
