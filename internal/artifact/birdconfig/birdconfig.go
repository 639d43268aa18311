// SPDX-License-Identifier: MPL-2.0

// Package birdconfig renders an include file of BIRD 2: the plan as constants and
// prefix sets, which filters and protocols of a hand-written configuration use.
package birdconfig

import (
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// Summaries of what BIRD would not parse.
const (
	SummaryConstantName  = "Invalid Constant Name"
	SummaryConstantTwice = "Constant Twice"
)

const defaultPrefix = "CIDRPLAN_"

// Consumer returns the consumer. What parses is what BIRD 2.0.12 and 2.19 parse.
func Consumer() artifact.Consumer {
	return artifact.Consumer{
		Name: "bird_config",
		Purpose: "Writes an include file of BIRD 2 with the plan as constants, so that no address stands in a filter by hand. A network of role `node` is a prefix (`CIDRPLAN_NODE0_IPV4`) with its gateway (`…_GATEWAY_IPV4`) and the address of each host (`CIDRPLAN_HOST_K8S_1_NODE0_IPV4`); every other network is a prefix set (`CIDRPLAN_POD_IPV4`): with the lengths from the network's own to that of a node where nodes get ranges of it, and with everything longer otherwise, so that host routes of LoadBalancer addresses match. " +
			"A set is of one family, as BIRD wants it. With `host`, or for many hosts with `host_paths`, the file has what is one node's own: its addresses as `CIDRPLAN_SELF_NODE0_IPV4`.\n\n" +
			"Include it at the start of a line before it is used: `include \"cidrplan.conf\";`. A constant cannot stand inside a prefix set, nor a text constant in `interface`, so neither is written.",
		Fragment: "The include file.",
		Whole:    true,
		PerHost:  true,
		Options: []artifact.Option{
			{Name: "prefix", Type: artifact.String, Description: "What each constant starts with. Default: `" + defaultPrefix + "`."},
			{Name: "routing_table", Type: artifact.Int, Description: "Kernel routing table that BIRD owns, written as the constant `CIDRPLAN_TABLE`: the same number as in `cidrplan_talos_patch`. Default: not written."},
			{Name: "networks", Type: artifact.StringList, Description: "Networks that become constants. Default: all."},
			{Name: artifact.HostOption, Type: artifact.String, Description: "Host of the plan: the file holds what is its own, and nothing of the site's. Default: the file is the site's."},
		},
		Render: render,
		Read:   Read,
	}
}

func render(p *plan.Plan, o artifact.Options) (artifact.Result, site.Problems) {
	var problems site.Problems
	prefix := o.Text("prefix")
	if prefix == "" {
		prefix = defaultPrefix
	}
	if !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(prefix) {
		problems.Add(site.At("prefix"), SummaryConstantName, "No constant of BIRD can start with %q: it takes letters, digits and '_', and no digit in front. Write a prefix such as %q.", prefix, defaultPrefix)
		return artifact.Result{Text: []byte{}}, problems
	}
	c := constants{prefix: prefix, of: map[string]string{}, problems: &problems}
	networks := networks(p, o, &problems)
	if host := o.Text(artifact.HostOption); host != "" {
		if _, given := o.Number("routing_table"); given {
			problems.Add(site.At("routing_table"), artifact.SummaryNoEffect, "The table is a constant of the site's file, and BIRD refuses a constant that is defined twice. Leave routing_table out of a host's.")
		}
		if artifact.KnownHost(p, host, &problems) {
			c.self(p, host, networks)
		}
		return artifact.Result{Text: c.text.bytes()}, problems
	}
	c.table(o)
	for _, n := range networks {
		c.network(p, n)
	}
	for _, host := range slices.Sorted(maps.Keys(p.Hosts)) {
		c.host(p, host, networks)
	}
	return artifact.Result{Text: c.text.bytes()}, problems
}

func networks(p *plan.Plan, o artifact.Options, problems *site.Problems) []plan.Network {
	names := o.List("networks")
	if names == nil {
		return p.Networks
	}
	var out []plan.Network
	for i, name := range names {
		n, ok := p.Network(name)
		if !ok {
			problems.Add(site.At("networks").Index(i), artifact.SummaryUnknownNetwork, "%s", artifact.UnknownNetwork(p, name))
			continue
		}
		out = append(out, n)
	}
	return out
}

// lines is the text of the file.
type lines struct{ strings.Builder }

func (l *lines) bytes() []byte { return []byte(l.String()) }

// constants writes definitions and sees to it that none comes twice, which BIRD
// refuses.
type constants struct {
	prefix   string
	text     lines
	of       map[string]string // what a constant says
	problems *site.Problems
}

func identifier(text string) string {
	return strings.ToUpper(regexp.MustCompile(`[^A-Za-z0-9_]`).ReplaceAllString(text, "_"))
}

func (c *constants) define(name, says, value string) {
	name = c.prefix + name
	if other, taken := c.of[name]; taken {
		c.problems.Add(site.At("networks"), SummaryConstantTwice, "%s and %s would both be the constant %s, and BIRD refuses a constant that is defined twice. Name the networks that become constants in networks, or rename one with formerly, which moves nothing.", other, says, name)
		return
	}
	c.of[name] = says
	fmt.Fprintf(&c.text, "define %s = %s;\n", name, value)
}

func family(f space.Family) string { return strings.ToUpper(f.String()) }

func (c *constants) table(o artifact.Options) {
	table, given := o.Number("routing_table")
	if !given {
		return
	}
	if table < 1 || table > 252 {
		c.problems.Add(site.At("routing_table"), artifact.SummaryUnsuitable, "The table %d cannot be BIRD's: 1 to 252 are free to use, 253 to 255 are the kernel's default, main and local. Choose another one, such as 47.", table)
		return
	}
	c.define("TABLE", "the routing table", fmt.Sprint(table))
}

// network defines a node network as a prefix, and any other one as a prefix set.
func (c *constants) network(p *plan.Plan, n plan.Network) {
	name := identifier(n.Name)
	says := fmt.Sprintf("the network %q", n.Name)
	for _, f := range p.Families {
		prefixes := n.Family(f)
		if len(prefixes) == 0 {
			continue
		}
		if n.Role == site.RoleNode && len(prefixes) == 1 {
			c.define(name+"_"+family(f), says, prefixes[0].String())
		} else {
			c.define(name+"_"+family(f), says, prefixSet(prefixes, n.NodePrefix(f)))
		}
		if gateway, ok := n.Gateway(f); ok && n.Role == site.RoleNode {
			c.define(name+"_GATEWAY_"+family(f), "the gateway of "+says, gateway.String())
		}
	}
}

// prefixSet writes prefixes with the lengths that match: down to a node's range, or
// everything longer. Elements are written out, since BIRD takes no constant there.
func prefixSet(prefixes []netip.Prefix, nodeLength int) string {
	elements := make([]string, len(prefixes))
	for i, prefix := range prefixes {
		elements[i] = prefix.String() + "+"
		if nodeLength > prefix.Bits() {
			elements[i] = fmt.Sprintf("%s{%d,%d}", prefix, prefix.Bits(), nodeLength)
		}
	}
	return "[ " + strings.Join(elements, ", ") + " ]"
}

// host defines the addresses of a host in the site's file.
func (c *constants) host(p *plan.Plan, host string, networks []plan.Network) {
	c.addresses(p, host, networks, "HOST_"+identifier(host)+"_")
}

// self defines the addresses of a host in its own file.
func (c *constants) self(p *plan.Plan, host string, networks []plan.Network) {
	c.addresses(p, host, networks, "SELF_")
}

func (c *constants) addresses(p *plan.Plan, host string, networks []plan.Network, start string) {
	for _, n := range networks {
		for _, f := range p.Families {
			if addr, ok := artifact.HostAddress(p, host, n, f); ok {
				c.define(start+identifier(n.Name)+"_"+family(f), fmt.Sprintf("the address of the host %q in the network %q", host, n.Name), addr.String())
			}
		}
	}
}
