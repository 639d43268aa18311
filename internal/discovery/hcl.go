// SPDX-License-Identifier: MPL-2.0

package discovery

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// HCL writes the declaration of the site, for whoever wants to keep it.
func (s *Site) HCL(name string) string {
	var b strings.Builder
	for _, doubt := range s.Doubts {
		fmt.Fprintf(&b, "# %s\n", doubt)
	}
	fmt.Fprintf(&b, "data \"cidrplan_site\" %q {\n", name)
	s.head(&b, name)
	for _, n := range s.Networks {
		if len(n.CIDRs) > 0 {
			n.block(&b)
		}
	}
	if len(s.Hosts) > 0 {
		b.WriteString("\n  hosts = {\n")
		width := longest(s.Hosts)
		for _, host := range slices.Sorted(maps.Keys(s.Hosts)) {
			fmt.Fprintf(&b, "    %-*s = %d\n", width, quotedKey(host), s.Hosts[host])
		}
		b.WriteString("  }\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func (s *Site) head(b *strings.Builder, name string) {
	lines := [][2]string{{"name", strconv.Quote(name)}}
	if s.Datapath != "" {
		lines = append(lines, [2]string{"datapath", strconv.Quote(string(s.Datapath))})
	}
	if s.Distribution != "" {
		lines = append(lines, [2]string{"distribution", strconv.Quote(string(s.Distribution))})
	}
	lines = append(lines, [2]string{"existing", "true"}, [2]string{"lock_file", strconv.Quote(name + ".cidrplan.json")})
	if len(s.Families) > 1 {
		lines = append(lines, [2]string{"ip_families", list(s.Families)})
	}
	aligned(b, lines)
}

func (n Network) block(b *strings.Builder) {
	fmt.Fprintf(b, "\n  # %s: %s\n  network {\n", n.Origin, strings.Join(n.Places, ", "))
	lines := [][2]string{{"name", strconv.Quote(n.Name)}}
	if !wellKnown(n.Name) {
		lines = append(lines, [2]string{"role", strconv.Quote(string(n.Role))})
	}
	if n.Allocator != "" {
		lines = append(lines, [2]string{"allocator", strconv.Quote(string(n.Allocator))})
	}
	lines = append(lines, [2]string{"cidrs", list(n.CIDRs)})
	if n.CarvedFrom != "" {
		lines = append(lines, [2]string{"carved_from", strconv.Quote(n.CarvedFrom)})
	}
	if len(n.Gateways) > 0 && n.Role != site.RoleJoin {
		lines = append(lines, [2]string{"gateway", strconv.Quote(strings.Join(n.Gateways, ","))})
	}
	if n.NodePrefix4 > 0 && n.has("ipv4") {
		lines = append(lines, [2]string{"ipv4_node_prefix_length", strconv.Itoa(n.NodePrefix4)})
	}
	if n.NodePrefix6 > 0 && n.has("ipv6") {
		lines = append(lines, [2]string{"ipv6_node_prefix_length", strconv.Itoa(n.NodePrefix6)})
	}
	var inner strings.Builder
	aligned(&inner, lines)
	for line := range strings.SplitSeq(strings.TrimSuffix(inner.String(), "\n"), "\n") {
		b.WriteString("  " + line + "\n")
	}
	b.WriteString("  }\n")
}

func (n Network) has(family string) bool {
	return slices.ContainsFunc(n.CIDRs, func(text string) bool { return strings.EqualFold(familyOf(text).String(), family) })
}

func wellKnown(name string) bool {
	return slices.Contains([]string{"pod", "service", "cilium_pool", "join", "transit", "load_balancer"}, name)
}

// aligned writes attributes as terraform fmt does.
func aligned(b *strings.Builder, lines [][2]string) {
	width := 0
	for _, line := range lines {
		width = max(width, len(line[0]))
	}
	for _, line := range lines {
		fmt.Fprintf(b, "  %-*s = %s\n", width, line[0], line[1])
	}
}

func list(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = strconv.Quote(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func longest(hosts map[string]int64) int {
	width := 0
	for host := range hosts {
		width = max(width, len(quotedKey(host)))
	}
	return width
}

// quotedKey quotes a key that is no identifier of HCL.
func quotedKey(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	}) || text == "" || text[0] >= '0' && text[0] <= '9' || text[0] == '-' {
		return strconv.Quote(text)
	}
	return text
}
