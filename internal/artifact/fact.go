// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"net/netip"
	"slices"
	"strings"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// Origin says where a fact comes from.
type Origin string

// The origins of a fact of a file.
const (
	// Declared is what the file states.
	Declared Origin = "declared"
	// Implicit is the default of a tool that the file leaves unsaid. It counts like
	// a declared one.
	Implicit Origin = "implicit"
	// Unknown is what a template, a variable or a secret fills in, or what no
	// address range can be read from. It is a finding, never "ok".
	Unknown Origin = "unknown"
)

// Layer says how a file goes together with others of its consumer.
type Layer string

// The layers of facts. The empty one is a file that stands for itself.
const (
	// Patch replaces what a whole file states of the same.
	Patch Layer = "patch"
	// Append adds to the list that a whole file or another patch states.
	Append Layer = "append"
)

// Subject says what of a network a fact states.
type Subject string

// The subjects of facts.
const (
	SubjectCIDRs       Subject = "cidrs"              // a prefix, range or address that the network has
	SubjectNodeLength  Subject = "node_prefix_length" // the length of the range of each node, of one family
	SubjectGateway     Subject = "gateway"            // the gateway of the network
	SubjectExcluded    Subject = "excluded"           // a range that the allocator leaves out
	SubjectMode        Subject = "ipam_mode"          // which allocator Cilium follows
	SubjectRouted      Subject = "routed"             // a source range that a routing rule sends to a table
	SubjectMasqueraded Subject = "native_routing"     // what is reached without masquerading
	SubjectTrusted     Subject = "admitted"           // a range that a policy admits
	SubjectVIP         Subject = "vip"                // a virtual address in the network
	SubjectDNS         Subject = "dns"                // the address of cluster DNS
	SubjectNodeCIDRs   Subject = "node_cidrs"         // whether kube-controller-manager cuts node ranges
	SubjectHostAddress Subject = "host_address"       // an address of a host, with the length of its network
)

// Fact is one thing that a file says about addresses.
type Fact struct {
	Role      site.Role      // what the range is for
	Allocator site.Allocator // who hands out its addresses by this file; empty if the file does not decide it
	Name      string         // object, link or network that the fact belongs to, where there can be several
	Subject   Subject
	Value     string // a prefix or range in canonical form, an address, a number, a word; what stands there if unknown
	Written   string // how the value is written, where it is a range
	Origin    Origin
	Source    string // of an implicit fact whose default it is; of an unknown one why
	Layer     Layer  // what becomes of the fact where files are laid over each other
	Place
}

// Place is where a fact stands.
type Place struct {
	File     string // set by whoever reads the file
	Document string // kind and name of an object, or empty
	Line     int    // from 1; of an implicit fact the line of the document that leaves it unsaid
	KeyPath  string
}

// Facts collects what a file says.
type Facts struct {
	List     []Fact
	document Document
}

// In makes what follows facts of a document.
func (fs *Facts) In(d Document) { fs.document = d }

func (fs *Facts) place(n Node) Place {
	p := Place{Line: n.Line(), KeyPath: n.KeyPath()}
	if fs.document.Kind != "" {
		p.Document = strings.TrimSuffix(fs.document.Kind+"/"+fs.document.Name, "/")
	}
	return p
}

// Add appends a fact that stands at a node, as the file states it.
func (fs *Facts) Add(n Node, fact Fact) {
	if !n.Exists() {
		return
	}
	fact.Origin, fact.Place = Declared, fs.place(n)
	if fact.Value == "" {
		fact.Value = n.Text()
	}
	if reason := n.Unknown(); reason != "" {
		fact.Origin, fact.Source = Unknown, reason
		fact.Value = strings.ReplaceAll(n.Text(), templateMark, "{{…}}")
	}
	fs.List = append(fs.List, fact)
}

// InOrder returns the facts in the order of the file.
func (fs *Facts) InOrder() []Fact {
	slices.SortStableFunc(fs.List, func(a, b Fact) int { return a.Line - b.Line })
	return fs.List
}

// Implicit appends the default of a tool that a document leaves unsaid. Values are
// facts of their own.
func (fs *Facts) Implicit(fact Fact, source string, values ...string) {
	fact.Origin, fact.Source, fact.Place = Implicit, source, fs.place(fs.document.Node)
	for _, value := range values {
		fact.Value = value
		fs.List = append(fs.List, fact)
	}
}

// Ranges appends a fact for each range at a node: a scalar, a list of them, or a
// text that joins them by commas or blanks. It reports whether the file states
// anything there.
func (fs *Facts) Ranges(n Node, fact Fact) bool {
	if !n.Exists() {
		return false
	}
	if n.IsList() {
		for _, item := range n.Items() {
			fs.joined(item, fact)
		}
		return true
	}
	fs.joined(n, fact)
	return n.Text() != ""
}

func (fs *Facts) joined(n Node, fact Fact) {
	if n.Unknown() != "" {
		fs.Add(n, fact)
		return
	}
	for _, text := range strings.FieldsFunc(n.Text(), func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' }) {
		if strings.HasPrefix(text, "!") {
			continue // Talos' negation: what is left out is no range of the network
		}
		fs.Range(n, text, fact)
	}
}

// Range appends the fact of one range, written as text at a node.
func (fs *Facts) Range(n Node, text string, fact Fact) {
	fact.Place, fact.Origin, fact.Written = fs.place(n), Declared, text
	if reason := n.Unknown(); reason != "" {
		fact.Origin, fact.Source, fact.Value = Unknown, reason, strings.ReplaceAll(text, templateMark, "{{…}}")
	} else if r, ok := LooseRange(text); ok {
		fact.Value = formatRange(r)
	} else {
		fact.Origin, fact.Source, fact.Value = Unknown, "it is no address range", text
	}
	fs.List = append(fs.List, fact)
}

// formatRange returns the canonical text of a range. Everything is a prefix too, as
// policies and routes mean it.
func formatRange(r netipx.IPRange) string {
	if prefix, ok := r.Prefix(); ok && !prefix.IsSingleIP() {
		return prefix.String()
	}
	return space.FormatRange(r)
}

// Undecided appends that a file leaves a fact to something that it does not hold.
func (fs *Facts) Undecided(fact Fact, why string) {
	fact.Origin, fact.Source, fact.Place = Unknown, why, fs.place(fs.document.Node)
	fs.List = append(fs.List, fact)
}

// LooseRange reads a range as files write it: a prefix, with host bits as routers
// do, an address, a-b or a..b.
func LooseRange(text string) (netipx.IPRange, bool) {
	text = strings.TrimSpace(text)
	if prefix, err := netip.ParsePrefix(text); err == nil {
		return netipx.RangeOfPrefix(prefix.Masked()), true
	}
	if addr, err := netip.ParseAddr(text); err == nil {
		return netipx.IPRangeFrom(addr.Unmap(), addr.Unmap()), true
	}
	for _, separator := range []string{"..", "-"} {
		from, to, found := strings.Cut(text, separator)
		if !found {
			continue
		}
		first, err1 := netip.ParseAddr(strings.TrimSpace(from))
		last, err2 := netip.ParseAddr(strings.TrimSpace(to))
		if r := netipx.IPRangeFrom(first.Unmap(), last.Unmap()); err1 == nil && err2 == nil && r.IsValid() {
			return r, true
		}
	}
	return netipx.IPRange{}, false
}
