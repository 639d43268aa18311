// SPDX-License-Identifier: MPL-2.0

// Package fleet shares one address space between many sites: a block for each,
// sized from its declaration, and the proof that what must be disjoint across
// sites is.
//
// A fleet's plan is a plan document whose networks are the sites, so that lock,
// digest and growth are those of a site.
package fleet

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// Connection is a way in which sites reach each other. It decides which roles
// must be disjoint across sites.
type Connection string

// The connections.
const (
	// Routing: routers carry packets between the sites, so that nodes, pods,
	// LoadBalancer pools and transit networks must differ.
	Routing Connection = "routing"
	// ClusterMesh is Cilium's; pod and node addresses must be unique (Cilium
	// Documentation/network/clustermesh).
	ClusterMesh Connection = "cluster-mesh"
	// OVNIC connects Kube-OVN's default VPCs; the join network may repeat, since
	// it is never advertised (Kube-OVN docs, advance/with-ovn-ic).
	OVNIC Connection = "ovn-ic"
	// Submariner wants pods, joins and Services disjoint (Kube-OVN docs,
	// advance/with-submariner).
	Submariner Connection = "submariner"
)

// Connections lists the connections.
func Connections() []Connection { return []Connection{Routing, ClusterMesh, OVNIC, Submariner} }

// disjointRoles returns the roles that must differ across sites.
func disjointRoles(connections []Connection) map[site.Role]bool {
	out := map[site.Role]bool{}
	for _, c := range connections {
		var roles []site.Role
		switch c {
		case Routing, ClusterMesh:
			roles = []site.Role{site.RoleNode, site.RolePod, site.RoleLoadBalancer, site.RoleTransit, site.RoleCiliumPool}
		case OVNIC:
			roles = []site.Role{site.RolePod, site.RoleCiliumPool}
		case Submariner:
			roles = []site.Role{site.RolePod, site.RoleJoin, site.RoleService}
		}
		for _, role := range roles {
			out[role] = true
		}
	}
	return out
}

// Declaration is a fleet as the user wrote it.
type Declaration struct {
	Name           string
	AddressSpace   []string
	SharedSpace    []string            // prefixes that every site uses alike
	Reserved       map[string][]string // by whom
	Sites          map[string]string   // declaration of each site as JSON
	Blocks         map[string]string   // given blocks, one of each family joined by a comma
	SharedNetworks map[string]string   // "test/load_balancer" carries that of "prod/load_balancer"
	ConnectedBy    []string
	Growth         *int64
	PlanSites      bool
}

// Fleet is the answer.
type Fleet struct {
	Plan  *plan.Plan            // its networks are the sites, their ranges the blocks
	Sites map[string]*plan.Plan // only if the sites were to be planned
}

// Summaries of the problems of a fleet.
const (
	SummarySiteDeclaration = "Invalid Site Declaration"
	SummarySiteImpossible  = "Site Cannot Be Planned"
	SummaryOverlap         = "Sites Share a Range"
	SummarySharedSpace     = "Range Cannot Be Shared"
)

// Compute plans a fleet. The lock is the fleet's former plan, or nil. All
// problems are returned at once; with any, the fleet must not be published.
func Compute(d Declaration, lock *plan.Plan) (*Fleet, site.Problems) {
	p := &planner{declaration: d, sites: map[string]*site.Site{}}
	p.parse()
	p.sharedSpace()
	p.parseSites()
	blocks := p.blocks(lock)
	out := &Fleet{Plan: blocks, Sites: map[string]*plan.Plan{}}
	if len(p.problems) == 0 && d.PlanSites {
		p.planSites(blocks, out.Sites)
	}
	if len(p.problems) == 0 {
		p.prove(blocks, out.Sites)
	}
	return out, p.problems.Sorted()
}

type planner struct {
	declaration Declaration
	fleet       *site.Site
	shared      []netip.Prefix
	disjoint    map[site.Role]bool
	sites       map[string]*site.Site
	problems    site.Problems
}

// names returns the names of the sites that parsed, sorted.
func (p *planner) names() []string { return slices.Sorted(maps.Keys(p.sites)) }

// parse reads what is said about the fleet as a whole. The fleet is a site of no
// datapath: its networks are the blocks of its sites.
func (p *planner) parse() {
	d := p.declaration
	fleet, problems := site.Parse(site.Declaration{
		Name: d.Name, Datapath: string(site.NodeIPAM), AddressSpace: d.AddressSpace, Reserved: d.Reserved,
		IPFamilies: families(d.AddressSpace), Networks: nil,
	})
	fleet.Datapath = ""
	p.fleet, p.problems = fleet, problems
	var connections []Connection
	for i, text := range d.ConnectedBy {
		if !slices.Contains(Connections(), Connection(text)) {
			hint := ""
			if near := site.Nearest(text, site.Strings(Connections())); near != "" {
				hint = fmt.Sprintf(" Did you mean %q?", near)
			}
			p.problems.Add(site.At("connected_by").Index(i), site.SummaryUnknownValue, "There is no connection %q.%s Known are %s.", text, hint, strings.Join(site.Strings(Connections()), ", "))
			continue
		}
		connections = append(connections, Connection(text))
	}
	if d.ConnectedBy == nil {
		connections = []Connection{Routing}
	}
	p.disjoint = disjointRoles(connections)
}

// families returns the families that an address space holds, IPv4 first.
func families(addressSpace []string) []string {
	var out []string
	for _, f := range []struct {
		name string
		is   func(netip.Addr) bool
	}{{"ipv4", netip.Addr.Is4}, {"ipv6", netip.Addr.Is6}} {
		if slices.ContainsFunc(addressSpace, func(text string) bool {
			prefix, err := space.ParsePrefix(text)
			return err == nil && f.is(prefix.Addr())
		}) {
			out = append(out, f.name)
		}
	}
	if out == nil {
		return []string{"ipv4"} // whatever is wrong is reported on the address space
	}
	return out
}

// sharedSpace reads the prefixes that every site uses alike, which no block may
// touch, and refuses those that must be disjoint.
func (p *planner) sharedSpace() {
	for i, text := range p.declaration.SharedSpace {
		path := site.At("shared_space").Index(i)
		prefix, err := space.ParsePrefix(text)
		if err != nil {
			p.problems.Add(path, site.SummaryInvalidPrefix, "%s.", err)
			continue
		}
		p.shared = append(p.shared, prefix)
		p.fleet.Reserved = append(p.fleet.Reserved, site.Reserved{Name: "what all sites share", Ranges: space.Ranges(prefix), Path: path})
	}
}

func (p *planner) parseSites() {
	for _, name := range slices.Sorted(maps.Keys(p.declaration.Sites)) {
		path := site.At("sites").Key(name)
		d, err := parseDeclaration(name, p.declaration.Sites[name])
		if err != nil {
			p.problems.Add(path, SummarySiteDeclaration, "The declaration of the site %q cannot be read: %s. It is a JSON object with the attributes of cidrplan_site, for example jsonencode({ datapath = \"cilium-kubernetes\", max_nodes = 16 }).", name, err)
			continue
		}
		if d.IPFamilies == nil {
			d.IPFamilies = families(p.declaration.AddressSpace)
		}
		parsed, problems := site.Parse(d)
		for _, problem := range problems {
			p.problems.Add(path, problem.Summary, "In the declaration of the site %q, %s: %s", name, problem.Path, problem.Detail)
		}
		if len(problems) == 0 {
			p.sites[name] = parsed
		}
	}
	p.checkShared()
}

// checkShared refuses a shared prefix that holds the convention of a network
// which must differ across sites.
func (p *planner) checkShared() {
	for _, name := range p.names() {
		s := p.sites[name]
		for _, role := range s.Datapath.Conventional() {
			prefix, _, ok := plan.Convention4(s.Datapath, s.Distribution, role)
			if !ok || !p.disjoint[role] {
				continue
			}
			for i, shared := range p.shared {
				if shared.Bits() <= prefix.Bits() && shared.Overlaps(prefix) {
					p.problems.Add(site.At("shared_space").Index(i), SummarySharedSpace,
						"All sites would use %s for the network %q, but sites that are connected by %s must differ in it. Take %s out of shared_space, so that each site gets a range in its block.", prefix, role, strings.Join(p.connections(), " and "), shared)
					return
				}
			}
		}
	}
}

// blocks places a block for each site, by the planner of a site's networks.
func (p *planner) blocks(lock *plan.Plan) *plan.Plan {
	growth := 0
	if p.declaration.Growth != nil {
		growth = int(*p.declaration.Growth)
	}
	given := p.given()
	for _, name := range p.names() {
		n := site.Network{
			Name: name, Role: site.RoleOther, Allocator: site.AllocatorExternal, Growth: growth,
			Pinned: given[name], Path: site.At("sites").Key(name),
		}
		n.Length4 = p.blockLength(name, space.IPv4)
		n.Length6 = p.blockLength(name, space.IPv6)
		p.fleet.Networks = append(p.fleet.Networks, n)
	}
	computed, problems := plan.Compute(p.fleet, lock)
	p.problems = append(p.problems, problems...)
	computed.Idle = nil
	return computed
}

// blockLength returns the length of the block that a site needs, or that of one
// address where it needs nothing of a family that the fleet has.
func (p *planner) blockLength(name string, f space.Family) int {
	if need := plan.Need(p.sites[name], f, p.shared); need != 0 {
		return need
	}
	return f.Bits()
}
