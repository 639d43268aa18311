// SPDX-License-Identifier: MPL-2.0

// Package artifacttest holds every form in which the consumers are rendered, for
// the tests that compare them with golden files and for those that hand them to
// the consumer's own parser.
package artifacttest

import (
	"errors"
	"maps"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/ciliumvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/cozystackvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/k3sconfig"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/talmvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/talospatch"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

type network = site.NetworkDeclaration

var (
	dual = []string{"ipv4", "ipv6"}
	six  = []string{"ipv6"}
	node = network{Name: "node", Role: "node", CIDRs: []string{"192.168.100.0/24"}, VIPs: map[string]string{"api": "192.168.100.10"}}
	lan  = network{Name: "lan", Role: "node", CIDRs: []string{"192.168.100.0/24", "fd12:3456:789a:64::/64"}}
	lan6 = network{Name: "lan", Role: "node", CIDRs: []string{"fd12:3456:789a:64::/64"}}
)

func cozystack(networks ...network) site.Declaration {
	return site.Declaration{Datapath: "kubeovn-cilium", Distribution: "talos", Networks: networks}
}

// k3sSite is a K3s site, changed.
func k3sSite(change func(*site.Declaration)) site.Declaration {
	d := site.Declaration{Datapath: "cilium-kubernetes", Distribution: "k3s"}
	if change != nil {
		change(&d)
	}
	return d
}

// clusterPool is a site whose pods draw from Cilium's own pool.
func clusterPool() site.Declaration {
	return site.Declaration{Datapath: "cilium-cluster-pool", Distribution: "talos"}
}

// installed is a Cozystack site that is installed with ranges of its own.
func installed() site.Declaration {
	d := cozystack(node, network{Name: "pod", CIDRs: []string{"10.112.0.0/16"}}, network{Name: "service", CIDRs: []string{"10.113.0.0/16"}}, network{Name: "join", CIDRs: []string{"100.72.0.0/16"}})
	d.Existing = true
	return d
}

// Variants is every form in which a consumer is rendered, by consumer/variant,
// which is also the name of its golden file. A new consumer gets its golden files
// and its judges by lines in a table of its own.
func Variants() map[string]Variant {
	out := map[string]Variant{}
	for _, of := range []func() map[string]Variant{
		ciliumVariants, cozystackVariants, k3sVariants, talmVariants, talosVariants,
	} {
		maps.Copy(out, of())
	}
	return out
}

// Variant is one form in which a consumer is rendered.
type Variant struct {
	Consumer    artifact.Consumer
	Declaration site.Declaration
	Options     artifact.Options
}

// Render plans the declaration, which must be sound, and renders it.
func (v Variant) Render() (artifact.Result, error) {
	p, err := Plan(v.Declaration)
	if err != nil {
		return artifact.Result{}, err
	}
	result, problems := v.Consumer.Render(p, v.Options)
	if len(problems) > 0 {
		return artifact.Result{}, errors.New(problems.String())
	}
	return result, nil
}

// Plan plans the declaration of a site named dc1.
func Plan(d site.Declaration) (*plan.Plan, error) {
	d.Name = "dc1"
	s, problems := site.Parse(d)
	if len(problems) > 0 {
		return nil, errors.New(problems.String())
	}
	p, problems := plan.Compute(s, nil)
	if len(problems) > 0 {
		return nil, errors.New(problems.String())
	}
	return p, nil
}

func ciliumVariants() map[string]Variant {
	c := ciliumvalues.Consumer()
	return map[string]Variant{
		"cilium_values/kubernetes":            {c, k3sSite(nil), artifact.Options{}},
		"cilium_values/kubernetes_dual_stack": {c, k3sSite(func(d *site.Declaration) { d.IPFamilies = dual }), artifact.Options{}},
		"cilium_values/cluster_pool":          {c, clusterPool(), artifact.Options{}},
		"cilium_values/native_routing":        {c, clusterPool(), artifact.Options{"native_routing_cidr": true}},
		"cilium_values/cluster_pool_ipv6":     {c, site.Declaration{Datapath: "cilium-cluster-pool", IPFamilies: six}, artifact.Options{}},
		"cilium_values/under_kubeovn":         {c, cozystack(), artifact.Options{"root_key": "cilium"}},
	}
}

func cozystackVariants() map[string]Variant {
	c := cozystackvalues.Consumer()
	return map[string]Variant{
		"cozystack_values/platform":          {c, cozystack(), artifact.Options{"package": "platform"}},
		"cozystack_values/networking":        {c, cozystack(), artifact.Options{"package": "networking"}},
		"cozystack_values/platform_other":    {c, installed(), artifact.Options{"package": "platform"}},
		"cozystack_values/networking_exists": {c, installed(), artifact.Options{"package": "networking"}},
	}
}

func k3sVariants() map[string]Variant {
	c := k3sconfig.Consumer()
	return map[string]Variant{
		"k3s_config/standard":   {c, k3sSite(nil), artifact.Options{}},
		"k3s_config/dual_stack": {c, k3sSite(func(d *site.Declaration) { d.IPFamilies = dual }), artifact.Options{"cluster_dns": true}},
		"k3s_config/node_mask":  {c, k3sSite(func(d *site.Declaration) { d.PodsPerNode = new(int64(60)) }), artifact.Options{"controller_manager_args": []string{"bind-address=0.0.0.0"}}},
	}
}

func talmVariants() map[string]Variant {
	c := talmvalues.Consumer()
	return map[string]Variant{
		"talm_values/standard":   {c, cozystack(node), artifact.Options{}},
		"talm_values/api_vip":    {c, cozystack(node), artifact.Options{"api_vip": "api", "allocate_node_cidrs": false}},
		"talm_values/dual_stack": {c, site.Declaration{Datapath: "cilium-kubernetes", IPFamilies: dual, Networks: []network{lan}}, artifact.Options{}},
	}
}

func talosVariants() map[string]Variant {
	c := talospatch.Consumer()
	return map[string]Variant{
		"talos_patch/controlplane":       {c, cozystack(node), artifact.Options{"machine_type": "controlplane"}},
		"talos_patch/worker":             {c, cozystack(node), artifact.Options{"machine_type": "worker"}},
		"talos_patch/no_node_cidrs":      {c, cozystack(node), artifact.Options{"machine_type": "controlplane", "allocate_node_cidrs": false}},
		"talos_patch/dual_stack":         {c, site.Declaration{Datapath: "cilium-kubernetes", IPFamilies: dual, Networks: []network{lan}}, artifact.Options{"machine_type": "controlplane"}},
		"talos_patch/ipv6":               {c, site.Declaration{Datapath: "node-ipam", IPFamilies: six, Networks: []network{lan6}}, artifact.Options{"machine_type": "controlplane"}},
		"talos_patch/node_mask":          {c, site.Declaration{Datapath: "node-ipam", PodsPerNode: new(int64(60)), Networks: []network{node}}, artifact.Options{"machine_type": "controlplane"}},
		"talos_patch/named_node_network": {c, cozystack(node, network{Name: "storage", Role: "node", CIDRs: []string{"10.9.0.0/24"}}), artifact.Options{"machine_type": "worker", "node_network": "node"}},
		"talos_patch/no_node_network":    {c, clusterPool(), artifact.Options{"machine_type": "controlplane"}},
	}
}
