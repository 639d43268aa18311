// SPDX-License-Identifier: MPL-2.0

package plan

import (
	"fmt"
	"net/netip"
	"strings"
	"text/tabwriter"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// Summary returns the plan as a table for people.
func (p *Plan) Summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Site %s: %s", p.Site, p.Datapath)
	if p.Distribution != "" {
		fmt.Fprintf(&b, " on %s", p.Distribution)
	}
	fmt.Fprintf(&b, ", room for %d nodes\n\n", p.MaxNodes)
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NETWORK\tRANGES\tALLOCATOR\tNODE RANGE\tEXCLUDED\tWHY")
	for _, n := range p.Networks {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", n.Name, join(n.Ranges), dash(string(n.Allocator)), dash(nodePrefixes(n)), dash(strings.Join(n.ExcludedTexts(), ", ")), n.Reason)
	}
	_ = table.Flush() // a strings.Builder does not fail
	for _, idle := range p.Idle {
		fmt.Fprintf(&b, "\nIdle: %s on %q: %s. Switch it off with %s.\n", idle.Allocator, idle.Network, idle.Reason, idle.SwitchOff)
	}
	return trimLines(b.String())
}

// trimLines removes the blanks that a table leaves at the end of its lines.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}

func nodePrefixes(n Network) string {
	var parts []string
	if n.NodePrefix4 != 0 {
		parts = append(parts, fmt.Sprintf("/%d", n.NodePrefix4))
	}
	if n.NodePrefix6 != 0 {
		parts = append(parts, fmt.Sprintf("/%d", n.NodePrefix6))
	}
	return strings.Join(parts, ", ")
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// HostAddresses returns the static addresses of a host, by network, with the
// length of the network's prefix, families in the order of the site.
func (p *Plan) HostAddresses(host string) map[string][]string {
	number, ok := p.Hosts[host]
	out := map[string][]string{}
	if !ok {
		return out
	}
	for _, n := range p.Role(site.RoleNode) {
		for _, f := range p.Families {
			prefix, hasPrefix := n.First(f)
			addr, ok := n.HostAddress(f, number)
			if hasPrefix && ok {
				out[n.Name] = append(out[n.Name], netip.PrefixFrom(addr, prefix.Bits()).String())
			}
		}
	}
	return out
}
