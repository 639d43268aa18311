// SPDX-License-Identifier: MPL-2.0

package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// Errors that a reader of a plan document tells apart.
var (
	// ErrNewerVersion means that a newer provider wrote the document.
	ErrNewerVersion = errors.New("the plan document is of a newer version")
	// ErrDigest means that the document was changed after it was written.
	ErrDigest = errors.New("the plan document does not match its digest")
	// ErrNotAPlan means that the text is no plan document at all.
	ErrNotAPlan = errors.New("this is no plan document")
)

// document is the plan as JSON. Keys that say nothing are left out.
type document struct {
	Schema       string                     `json:"$schema"`
	Version      int                        `json:"version"`
	Site         string                     `json:"site"`
	Datapath     string                     `json:"datapath,omitempty"`
	Distribution string                     `json:"distribution,omitempty"`
	Existing     bool                       `json:"existing,omitempty"`
	GatewayAPI   bool                       `json:"gateway_api,omitempty"`
	IPFamilies   []string                   `json:"ip_families"`
	MaxNodes     int                        `json:"max_nodes,omitempty"`
	PodsPerNode  int                        `json:"pods_per_node,omitempty"`
	MaxServices  int                        `json:"max_services,omitempty"`
	AddressSpace []string                   `json:"address_space"`
	Reserved     map[string][]string        `json:"reserved,omitempty"`
	Networks     map[string]networkDocument `json:"networks"`
	Hosts        map[string]int64           `json:"hosts,omitempty"`
	Versions     map[string]string          `json:"versions,omitempty"`
	Accepted     map[string]string          `json:"accepted,omitempty"`
	Idle         []idleDocument             `json:"idle,omitempty"`
	Parent       string                     `json:"parent,omitempty"`
	Digest       string                     `json:"digest,omitempty"`
}

type networkDocument struct {
	Role        string            `json:"role"`
	Allocator   string            `json:"allocator,omitempty"`
	CIDRs       []string          `json:"cidrs"`
	CarvedFrom  string            `json:"carved_from,omitempty"`
	Excluded    []string          `json:"excluded,omitempty"`
	NodePrefix4 int               `json:"ipv4_node_prefix_length,omitempty"`
	NodePrefix6 int               `json:"ipv6_node_prefix_length,omitempty"`
	Gateway4    string            `json:"ipv4_gateway,omitempty"`
	Gateway6    string            `json:"ipv6_gateway,omitempty"`
	VPC         string            `json:"vpc,omitempty"`
	VLAN        int               `json:"vlan_id,omitempty"`
	Link        string            `json:"link,omitempty"`
	Default     bool              `json:"default_route,omitempty"`
	DHCP        []string          `json:"dhcp,omitempty"`
	VIPs        map[string]string `json:"vips,omitempty"`
	Origin      string            `json:"origin"`
	Reason      string            `json:"reason"`
}

type idleDocument struct {
	Allocator string `json:"allocator"`
	Network   string `json:"network"`
	Reason    string `json:"reason"`
	SwitchOff string `json:"switch_off"`
}

// Text returns the document in its one byte form: keys sorted, indented by two
// spaces, a newline at the end.
func (p *Plan) Text() string {
	return string(encode(p.document(), "  "))
}

// seal names the lock that a plan came from and computes its digest. A plan that
// says the same as its lock is the lock.
func (p *Plan) seal(lock *Plan) *Plan {
	if lock != nil {
		p.Parent = lock.Parent
		if p.digest() == lock.Digest {
			p.Digest = lock.Digest
			return p
		}
		p.Parent = lock.Digest
	}
	p.Digest = p.digest()
	return p
}

// digest is the SHA-256 of the document without its digest, keys sorted, without
// white space. `jq -cSj 'del(.digest)' FILE | sha256sum` gives the same.
func (p *Plan) digest() string {
	d := p.document()
	d.Digest = ""
	sum := sha256.Sum256(bytes.TrimSuffix(encode(d, ""), []byte("\n")))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// encode sorts the keys by going through a map, which encoding/json sorts.
func encode(d document, indent string) []byte {
	structured, err := json.Marshal(d)
	if err != nil {
		panic("plan: a document of strings and numbers did not encode, which is a bug: " + err.Error())
	}
	decoder := json.NewDecoder(bytes.NewReader(structured))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		panic("plan: an encoded document did not decode, which is a bug: " + err.Error())
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(tree); err != nil {
		panic("plan: a decoded document did not encode, which is a bug: " + err.Error())
	}
	return out.Bytes()
}

func (p *Plan) document() document {
	d := document{
		Schema: SchemaURL, Version: Version,
		Site: p.Site, Datapath: string(p.Datapath), Distribution: string(p.Distribution),
		Existing: p.Existing, GatewayAPI: p.GatewayAPI,
		IPFamilies: []string{}, AddressSpace: []string{},
		MaxNodes: p.MaxNodes, PodsPerNode: p.PodsPerNode, MaxServices: p.MaxServices,
		Networks: map[string]networkDocument{},
		Hosts:    p.Hosts, Versions: p.Versions, Accepted: p.Accepted,
		Parent: p.Parent, Digest: p.Digest,
	}
	for _, f := range p.Families {
		d.IPFamilies = append(d.IPFamilies, familyKey(f))
	}
	for _, prefix := range p.AddressSpace {
		d.AddressSpace = append(d.AddressSpace, prefix.String())
	}
	for _, r := range p.Reserved {
		if d.Reserved == nil {
			d.Reserved = map[string][]string{}
		}
		d.Reserved[r.Name] = rangeTexts(r.Ranges)
	}
	for _, n := range p.Networks {
		d.Networks[n.Name] = n.document()
	}
	for _, i := range p.Idle {
		d.Idle = append(d.Idle, idleDocument{Allocator: string(i.Allocator), Network: i.Network, Reason: i.Reason, SwitchOff: i.SwitchOff})
	}
	return d
}

func familyKey(f space.Family) string {
	if f == space.IPv6 {
		return "ipv6"
	}
	return "ipv4"
}

func rangeTexts(ranges []Range) []string {
	out := []string{}
	for _, r := range ranges {
		out = append(out, r.String())
	}
	return out
}

func (n Network) document() networkDocument {
	d := networkDocument{
		Role: string(n.Role), Allocator: string(n.Allocator), CIDRs: rangeTexts(n.Ranges), CarvedFrom: n.CarvedFrom,
		Excluded: rangeTexts(n.Excluded), NodePrefix4: n.NodePrefix4, NodePrefix6: n.NodePrefix6,
		VPC: n.VPC, VLAN: n.VLAN, Link: n.Link, Default: n.DefaultRoute, DHCP: rangeTexts(n.DHCP), Origin: string(n.Origin), Reason: n.Reason,
	}
	for _, gateway := range n.Gateways {
		if gateway.Is4() {
			d.Gateway4 = gateway.String()
		} else {
			d.Gateway6 = gateway.String()
		}
	}
	for name, addr := range n.VIPs {
		if d.VIPs == nil {
			d.VIPs = map[string]string{}
		}
		d.VIPs[name] = addr.String()
	}
	return d
}

// Parse reads a plan document. It verifies version and digest, and returns an
// error that wraps [ErrNewerVersion], [ErrDigest] or [ErrNotAPlan].
func Parse(text []byte) (*Plan, error) {
	var head struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, fmt.Errorf("%w: it is no JSON object: %v", ErrNotAPlan, err)
	}
	switch {
	case head.Version == nil:
		return nil, fmt.Errorf("%w: it has no \"version\"", ErrNotAPlan)
	case *head.Version > Version:
		return nil, fmt.Errorf("%w: it is version %d and this provider reads up to %d; upgrade the provider", ErrNewerVersion, *head.Version, Version)
	case *head.Version < 1:
		return nil, fmt.Errorf("%w: there is no version %d", ErrNotAPlan, *head.Version)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var d document
	if err := decoder.Decode(&d); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotAPlan, err)
	}
	if decoder.More() {
		return nil, fmt.Errorf("%w: something follows the document", ErrNotAPlan)
	}
	p, err := d.plan()
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotAPlan, err)
	}
	if digest := p.digest(); digest != p.Digest {
		return nil, fmt.Errorf("%w: it says %s, but its content has %s; it was edited by hand or damaged", ErrDigest, orNone(p.Digest), digest)
	}
	return p, nil
}

func orNone(digest string) string {
	if digest == "" {
		return "no digest"
	}
	return digest
}

// plan parses every text of the document once.
func (d document) plan() (*Plan, error) {
	p := &Plan{
		Site: d.Site, Datapath: site.Datapath(d.Datapath), Distribution: site.Distribution(d.Distribution),
		Existing: d.Existing, GatewayAPI: d.GatewayAPI,
		MaxNodes: d.MaxNodes, PodsPerNode: d.PodsPerNode, MaxServices: d.MaxServices,
		Hosts: d.Hosts, Versions: d.Versions, Accepted: d.Accepted, Parent: d.Parent, Digest: d.Digest,
	}
	var r reader
	for _, key := range d.IPFamilies {
		p.Families = append(p.Families, r.family(key))
	}
	for _, text := range d.AddressSpace {
		p.AddressSpace = append(p.AddressSpace, r.prefix(text))
	}
	for _, name := range slices.Sorted(maps.Keys(d.Reserved)) {
		p.Reserved = append(p.Reserved, Reserved{Name: name, Ranges: r.ranges(d.Reserved[name])})
	}
	for _, name := range slices.Sorted(maps.Keys(d.Networks)) {
		p.Networks = append(p.Networks, r.network(name, d.Networks[name], p.Families))
	}
	for _, i := range d.Idle {
		p.Idle = append(p.Idle, Idle{Allocator: site.Allocator(i.Allocator), Network: i.Network, Reason: i.Reason, SwitchOff: i.SwitchOff})
	}
	if d.Datapath != "" { // a fleet has none
		r.known("datapath", d.Datapath, site.Strings(site.Datapaths()))
	}
	if d.Distribution != "" {
		r.known("distribution", d.Distribution, site.Strings(site.Distributions()))
	}
	return p, errors.Join(r.errs...)
}

// reader collects what does not parse.
type reader struct{ errs []error }

func (r *reader) fail(err error) { r.errs = append(r.errs, err) }

func (r *reader) known(what, value string, values []string) {
	if !slices.Contains(values, value) {
		r.fail(fmt.Errorf("there is no %s %q", what, value))
	}
}

func (r *reader) family(key string) space.Family {
	switch key {
	case "ipv4":
		return space.IPv4
	case "ipv6":
		return space.IPv6
	default:
		r.fail(fmt.Errorf("there is no address family %q", key))
		return space.IPv4
	}
}

func (r *reader) prefix(text string) netip.Prefix {
	prefix, err := space.ParsePrefix(text)
	if err != nil {
		r.fail(err)
	}
	return prefix
}

func (r *reader) ranges(texts []string) []Range {
	var out []Range
	for _, text := range texts {
		parsed, err := space.ParseRange(text)
		if err != nil {
			r.fail(err)
			continue
		}
		out = append(out, Range{parsed})
	}
	return out
}

func (r *reader) address(text string) netip.Addr {
	addr, err := space.ParseAddr(text)
	if err != nil {
		r.fail(err)
	}
	return addr
}

func (r *reader) network(name string, d networkDocument, families []space.Family) Network {
	n := Network{
		Name: name, Role: site.Role(d.Role), Allocator: site.Allocator(d.Allocator),
		Ranges: r.ranges(d.CIDRs), CarvedFrom: d.CarvedFrom, Excluded: r.ranges(d.Excluded),
		NodePrefix4: d.NodePrefix4, NodePrefix6: d.NodePrefix6, VPC: d.VPC, VLAN: d.VLAN, Link: d.Link, DefaultRoute: d.Default, DHCP: r.ranges(d.DHCP),
		Origin: Origin(d.Origin), Reason: d.Reason,
	}
	r.known("role", d.Role, site.Strings(site.Roles()))
	if d.Allocator != "" {
		r.known("allocator", d.Allocator, site.Strings(site.Allocators()))
	}
	r.known("origin", d.Origin, []string{string(OriginDeclared), string(OriginConvention), string(OriginPlanned)})
	if len(n.Ranges) == 0 {
		r.fail(fmt.Errorf("the network %q has no range", name))
	}
	for _, f := range families {
		text := d.Gateway4
		if f == space.IPv6 {
			text = d.Gateway6
		}
		if text != "" {
			n.Gateways = append(n.Gateways, r.address(text))
		}
	}
	for vip, text := range d.VIPs {
		if n.VIPs == nil {
			n.VIPs = map[string]netip.Addr{}
		}
		n.VIPs[vip] = r.address(text)
	}
	return n
}

// Equal reports whether two sets of ranges hold the same addresses.
func Equal(a, b []Range) bool {
	var x, y netipx.IPSetBuilder
	for _, r := range a {
		x.AddRange(r.IPRange)
	}
	for _, r := range b {
		y.AddRange(r.IPRange)
	}
	return build(&x).Equal(build(&y))
}
