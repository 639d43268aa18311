// SPDX-License-Identifier: MPL-2.0

package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// siteDocument is the declaration of a site as JSON, with the attribute names of
// cidrplan_site.
type siteDocument struct {
	Datapath     string              `json:"datapath"`
	Distribution string              `json:"distribution"`
	Existing     bool                `json:"existing"`
	GatewayAPI   *bool               `json:"gateway_api"`
	IPFamilies   []string            `json:"ip_families"`
	MaxNodes     *int64              `json:"max_nodes"`
	PodsPerNode  *int64              `json:"pods_per_node"`
	MaxServices  *int64              `json:"max_services"`
	Reserved     map[string][]string `json:"reserved"`
	Network      []networkDocument   `json:"network"`
	Hosts        map[string]int64    `json:"hosts"`
	Versions     map[string]string   `json:"versions"`
}

type networkDocument struct {
	Name                 string            `json:"name"`
	Role                 string            `json:"role"`
	Allocator            string            `json:"allocator"`
	CIDRs                []string          `json:"cidrs"`
	CarvedFrom           string            `json:"carved_from"`
	IPv4PrefixLength     *int64            `json:"ipv4_prefix_length"`
	IPv6PrefixLength     *int64            `json:"ipv6_prefix_length"`
	IPv4NodePrefixLength *int64            `json:"ipv4_node_prefix_length"`
	IPv6NodePrefixLength *int64            `json:"ipv6_node_prefix_length"`
	Gateway              string            `json:"gateway"`
	VLANID               *int64            `json:"vlan_id"`
	Link                 string            `json:"link"`
	DHCP                 []string          `json:"dhcp"`
	VIPs                 map[string]string `json:"vips"`
	Growth               *int64            `json:"growth"`
}

// parseDeclaration reads the declaration of one site. A key that is not known is
// an error, never ignored.
func parseDeclaration(name, text string) (site.Declaration, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	var d siteDocument
	if err := decoder.Decode(&d); err != nil {
		return site.Declaration{}, readable(err)
	}
	if decoder.More() {
		return site.Declaration{}, errors.New("something follows the object")
	}
	out := site.Declaration{
		Name: name, Datapath: d.Datapath, Distribution: d.Distribution, Existing: d.Existing, GatewayAPI: d.GatewayAPI,
		IPFamilies: d.IPFamilies, MaxNodes: d.MaxNodes, PodsPerNode: d.PodsPerNode, MaxServices: d.MaxServices,
		Reserved: d.Reserved, Hosts: d.Hosts, Versions: d.Versions,
	}
	for _, n := range d.Network {
		out.Networks = append(out.Networks, site.NetworkDeclaration{
			Name: n.Name, Role: n.Role, Allocator: n.Allocator, CIDRs: n.CIDRs, CarvedFrom: n.CarvedFrom,
			IPv4PrefixLength: n.IPv4PrefixLength, IPv6PrefixLength: n.IPv6PrefixLength,
			IPv4NodePrefixLength: n.IPv4NodePrefixLength, IPv6NodePrefixLength: n.IPv6NodePrefixLength,
			Gateway: n.Gateway, VLANID: n.VLANID, Link: n.Link, DHCP: n.DHCP, VIPs: n.VIPs, Growth: n.Growth,
		})
	}
	return out, nil
}

// readable says in the user's words what a JSON decoder did not like.
func readable(err error) error {
	if wrongType, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%q is a %s, but must be %s", wrongType.Field, wrongType.Value, plainType(wrongType))
	}
	if field, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("there is no attribute %s", field)
	}
	return err
}

func plainType(err *json.UnmarshalTypeError) string {
	switch err.Type.Kind().String() {
	case "int64", "ptr":
		return "a whole number"
	case "slice":
		return "a list"
	case "map":
		return "an object"
	case "bool":
		return "true or false"
	case "struct":
		return "an object"
	default:
		return "a text"
	}
}

// given reads the blocks that the user gave.
func (p *planner) given() map[string][]netipx.IPRange {
	out := map[string][]netipx.IPRange{}
	for _, name := range slices.Sorted(maps.Keys(p.declaration.Blocks)) {
		path := site.At("blocks").Key(name)
		if _, ok := p.declaration.Sites[name]; !ok {
			hint := ""
			if near := site.Nearest(name, slices.Sorted(maps.Keys(p.declaration.Sites))); near != "" {
				hint = fmt.Sprintf(" Did you mean %q?", near)
			}
			p.problems.Add(path, site.SummaryUnknownValue, "A block is given to the site %q, which the fleet does not have.%s", name, hint)
			continue
		}
		seen := map[space.Family]bool{}
		for text := range strings.SplitSeq(p.declaration.Blocks[name], ",") {
			prefix, err := space.ParsePrefix(strings.TrimSpace(text))
			if err != nil {
				p.problems.Add(path, site.SummaryInvalidPrefix, "%s.", err)
				continue
			}
			if family := space.FamilyOf(prefix.Addr()); seen[family] {
				p.problems.Add(path, site.SummaryTooManyPrefixes, "The site %q is given two %s blocks. Give one for each family, joined by a comma.", name, family)
			} else {
				seen[family] = true
			}
			out[name] = append(out[name], netipx.RangeOfPrefix(prefix))
			p.checkGiven(name, prefix, path)
		}
	}
	return out
}

// checkGiven refuses a given block that is too small for its site.
func (p *planner) checkGiven(name string, prefix netip.Prefix, path site.Path) {
	if p.sites[name] == nil {
		return
	}
	family := space.FamilyOf(prefix.Addr())
	if need := p.blockLength(name, family); prefix.Bits() > need {
		p.problems.Add(path, SummarySiteImpossible, "The block %s is too small for the site %q, whose networks need a /%d. Give a larger block, or ask for less in its declaration.", prefix, name, need)
	}
}
