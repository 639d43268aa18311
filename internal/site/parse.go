// SPDX-License-Identifier: MPL-2.0

package site

import (
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// Summaries of the problems of a declaration. Each stands for one cause, so that
// people can search for it.
const (
	SummaryInvalidName       = "Invalid Name"
	SummaryDuplicateName     = "Duplicate Name"
	SummaryUnknownValue      = "Unknown Value"
	SummaryOutOfBounds       = "Number Out of Bounds"
	SummaryInvalidPrefix     = "Invalid Prefix"
	SummaryInvalidRange      = "Invalid Range"
	SummaryInvalidAddress    = "Invalid Address"
	SummaryWrongFamily       = "Wrong Address Family"
	SummaryTooManyPrefixes   = "Too Many Prefixes"
	SummaryOverlappingRanges = "Overlapping Ranges"
	SummaryMissingParent     = "Missing Parent Network"
	SummaryNotApplicable     = "Setting Without Effect"
	SummaryContradiction     = "Contradicting Settings"
	SummaryOutsideNetwork    = "Address Outside Its Network"
)

var (
	namePattern    = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
	versionPattern = regexp.MustCompile(`^v?[0-9]+\.[0-9]+(\.[0-9]+)?([-+.][0-9A-Za-z.+-]+)?$`)
)

// Parse turns a declaration into a site. All problems are returned at once, each
// on the attribute that causes it. The site is never nil: it holds what could be
// parsed, so that rules can find more in the same run; with any problem it must
// not become a plan.
func Parse(d Declaration) (*Site, Problems) {
	p := parser{site: &Site{
		Name:        d.Name,
		Existing:    d.Existing,
		MaxNodes:    DefaultMaxNodes,
		PodsPerNode: DefaultPodsPerNode,
		MaxServices: DefaultMaxServices,
		Hosts:       maps.Clone(d.Hosts),
		Versions:    maps.Clone(d.Versions),
		Accept:      maps.Clone(d.Accept),
		AllowMove:   map[string][]netip.Prefix{},
		Broken:      map[string]bool{},
	}}
	p.identity(d)
	p.sizes(d)
	p.addressSpace(d)
	p.reserved(d)
	p.networks(d)
	p.hosts(d)
	p.versions(d)
	p.accept(d)
	p.allowMove(d)
	p.nativeRouting(d)
	return p.site, p.problems.Sorted()
}

type parser struct {
	site     *Site
	problems Problems
}

func (p *parser) identity(d Declaration) {
	if !namePattern.MatchString(d.Name) {
		p.problems.Add(At("name"), SummaryInvalidName,
			"The site name %q is not usable. A name has 1 to 63 letters, digits, dashes, dots or underscores and starts and ends with a letter or digit, for example \"dc1\".", d.Name)
	}
	p.site.Datapath = oneOf(p, At("datapath"), "datapath", d.Datapath, Datapaths())
	if d.Distribution != "" {
		p.site.Distribution = oneOf(p, At("distribution"), "distribution", d.Distribution, Distributions())
	}
	p.site.GatewayAPI = p.site.Datapath == KubeOVNCilium
	if d.GatewayAPI != nil {
		p.site.GatewayAPI = *d.GatewayAPI
		if *d.GatewayAPI && !p.site.Datapath.Cilium() && p.site.Datapath != "" {
			p.problems.Add(At("gateway_api"), SummaryNotApplicable,
				"gateway_api says that Cilium runs Envoy on every node, but the datapath %q runs no Cilium. Leave gateway_api out, or choose one of %s.",
				p.site.Datapath, quoted(Strings(slices.DeleteFunc(Datapaths(), func(d Datapath) bool { return !d.Cilium() }))))
		}
	}
	p.families(d)
}

func (p *parser) families(d Declaration) {
	names := d.IPFamilies
	if names == nil {
		names = []string{"ipv4"}
	}
	if len(names) == 0 {
		p.problems.Add(At("ip_families"), SummaryOutOfBounds, "ip_families is empty. A site has one or two address families: [\"ipv4\"], [\"ipv6\"], [\"ipv4\", \"ipv6\"] or [\"ipv6\", \"ipv4\"]; the first is primary.")
	}
	for i, name := range names {
		path := At("ip_families").Index(i)
		var family space.Family
		switch name {
		case "ipv4":
			family = space.IPv4
		case "ipv6":
			family = space.IPv6
		default:
			p.unknown(path, "address family", name, []string{"ipv4", "ipv6"})
			continue
		}
		if p.site.HasFamily(family) {
			p.problems.Add(path, SummaryDuplicateName, "The address family %q stands in ip_families twice. Name each family once; the first is primary.", name)
			continue
		}
		p.site.Families = append(p.site.Families, family)
	}
}

func (p *parser) sizes(d Declaration) {
	p.bounded(&p.site.MaxNodes, At("max_nodes"), d.MaxNodes, 1, 65536)
	p.bounded(&p.site.PodsPerNode, At("pods_per_node"), d.PodsPerNode, 1, 65536)
	p.bounded(&p.site.MaxServices, At("max_services"), d.MaxServices, 1, 1<<20)
}

// bounded stores a number that lies within its bounds.
func (p *parser) bounded(target *int, path Path, value *int64, low, high int64) {
	if value == nil {
		return
	}
	if *value < low || *value > high {
		p.problems.Add(path, SummaryOutOfBounds, "%s is %d, but must be between %d and %d.", path, *value, low, high)
		return
	}
	*target = int(*value)
}

func (p *parser) addressSpace(d Declaration) {
	if d.AddressSpace == nil {
		p.site.AddressSpace = DefaultAddressSpace(d.Name)
		return
	}
	for i, text := range d.AddressSpace {
		path := At("address_space").Index(i)
		prefix, err := space.ParsePrefix(text)
		if err != nil {
			p.problems.Add(path, SummaryInvalidPrefix, "%s", sentence(err))
			continue
		}
		p.site.AddressSpace = append(p.site.AddressSpace, prefix)
	}
	if len(d.AddressSpace) == 0 {
		p.problems.Add(At("address_space"), SummaryOutOfBounds, "address_space is empty, so that nothing can be placed. Leave it out for the private ranges, or name at least one prefix, for example \"10.0.0.0/8\".")
	}
}

func (p *parser) reserved(d Declaration) {
	for _, name := range slices.Sorted(maps.Keys(d.Reserved)) {
		path := At("reserved").Key(name)
		entry := Reserved{Name: name, Path: path}
		for i, text := range d.Reserved[name] {
			r, err := space.ParseRange(text)
			if err != nil {
				p.problems.Add(path.Index(i), SummaryInvalidRange, "%s", sentence(err))
				continue
			}
			entry.Ranges = append(entry.Ranges, r)
		}
		if len(entry.Ranges) > 0 {
			p.site.Reserved = append(p.site.Reserved, entry)
		}
	}
}

func (p *parser) hosts(d Declaration) {
	owner := map[int64]string{}
	for _, name := range slices.Sorted(maps.Keys(d.Hosts)) {
		path, number := At("hosts").Key(name), d.Hosts[name]
		if !namePattern.MatchString(name) {
			p.problems.Add(path, SummaryInvalidName, "The host name %q is not usable. It must be the name of the node: letters, digits, dashes and dots.", name)
		}
		switch other, taken := owner[number]; {
		case number < 1 || number > 1<<32:
			p.problems.Add(path, SummaryOutOfBounds, "The host number of %q is %d, but must be at least 1: it is added to the first address of each network of role node.", name, number)
			delete(p.site.Hosts, name)
		case taken:
			p.problems.Add(path, SummaryDuplicateName, "The hosts %q and %q both have the number %d, so that they would get the same address in every network of role node. Give %q the next free number, %d.", other, name, number, name, freeNumber(d.Hosts))
			delete(p.site.Hosts, name)
		default:
			owner[number] = name
		}
	}
}

// freeNumber returns the number after the largest one in use.
func freeNumber(hosts map[string]int64) int64 {
	free := int64(1)
	for _, n := range hosts {
		free = max(free, n+1)
	}
	return free
}

func (p *parser) versions(d Declaration) {
	for _, key := range slices.Sorted(maps.Keys(d.Versions)) {
		path := At("versions").Key(key)
		if !slices.Contains(VersionKeys(), key) {
			p.unknown(path, "component", key, VersionKeys())
			delete(p.site.Versions, key)
			continue
		}
		if !versionPattern.MatchString(d.Versions[key]) {
			p.problems.Add(path, SummaryUnknownValue, "The version %q of %s is not understood. Write it as major.minor or major.minor.patch, for example \"1.19\".", d.Versions[key], key)
			delete(p.site.Versions, key)
		}
	}
}

func (p *parser) accept(d Declaration) {
	for _, key := range slices.Sorted(maps.Keys(d.Accept)) {
		if strings.TrimSpace(d.Accept[key]) == "" {
			p.problems.Add(At("accept").Key(key), SummaryContradiction, "The finding %q is accepted without a reason. Say why it is no problem here, so that the next person can judge it.", key)
		}
	}
}

func (p *parser) allowMove(d Declaration) {
	for _, name := range slices.Sorted(maps.Keys(d.AllowMove)) {
		path := At("allow_move").Key(name)
		if _, wellKnown := WellKnown(name); !wellKnown && !p.site.knows(name) {
			p.unknown(path, "network", name, p.site.names())
			continue
		}
		for text := range strings.SplitSeq(d.AllowMove[name], ",") {
			prefix, err := space.ParsePrefix(strings.TrimSpace(text))
			if err != nil {
				p.problems.Add(path, SummaryInvalidPrefix, "%s", sentence(err))
				continue
			}
			p.site.AllowMove[name] = append(p.site.AllowMove[name], prefix)
		}
	}
}

func (p *parser) nativeRouting(d Declaration) {
	for i, text := range d.NativeRouting {
		path := At("native_routing_cidrs").Index(i)
		prefix, err := space.ParsePrefix(text)
		if err != nil {
			p.problems.Add(path, SummaryInvalidPrefix, "%s", sentence(err))
			continue
		}
		p.site.NativeRouting = append(p.site.NativeRouting, prefix)
	}
	if len(d.NativeRouting) > 0 && p.site.Datapath != "" && !p.site.Datapath.Cilium() {
		p.problems.Add(At("native_routing_cidrs"), SummaryNotApplicable, "native_routing_cidrs is a setting of Cilium, but the datapath %q runs none. Leave it out.", p.site.Datapath)
	}
}

// oneOf returns the value if it is in the list, and reports it otherwise.
func oneOf[T ~string](p *parser, path Path, what, value string, list []T) T {
	if slices.Contains(list, T(value)) {
		return T(value)
	}
	p.unknown(path, what, value, Strings(list))
	return ""
}

func (p *parser) unknown(path Path, what, value string, list []string) {
	hint := ""
	if near := Nearest(value, list); near != "" {
		hint = fmt.Sprintf(" Did you mean %q?", near)
	}
	p.problems.Add(path, SummaryUnknownValue, "There is no %s %q.%s Known are %s.", what, value, hint, quoted(list))
}

// quoted joins words for a sentence: "a", "b" and "c".
func quoted(words []string) string {
	q := make([]string, len(words))
	for i, w := range words {
		q[i] = fmt.Sprintf("%q", w)
	}
	if len(q) < 2 {
		return strings.Join(q, "")
	}
	return strings.Join(q[:len(q)-1], ", ") + " and " + q[len(q)-1]
}

// sentence makes a sentence of an error text.
func sentence(err error) string {
	text := err.Error()
	if text == "" {
		return text
	}
	text = strings.ToUpper(text[:1]) + text[1:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

func firstOverlap(ranges []netipx.IPRange) (a, b int, found bool) {
	for j := range ranges {
		for i := range j {
			if ranges[i].Overlaps(ranges[j]) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}
