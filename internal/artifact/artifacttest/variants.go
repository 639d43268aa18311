// SPDX-License-Identifier: MPL-2.0

// Package artifacttest holds every form in which the consumers are rendered, for
// the tests that compare them with golden files and for those that hand them to
// the consumer's own parser.
package artifacttest

import (
	"errors"
	"maps"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

type network = site.NetworkDeclaration

func dual() []string { return []string{"ipv4", "ipv6"} }

func six() []string { return []string{"ipv6"} }

func node() network {
	return network{Name: "node", Role: "node", CIDRs: []string{"192.168.100.0/24"}, VIPs: map[string]string{"api": "192.168.100.10"}}
}

func lan() network {
	return network{Name: "lan", Role: "node", CIDRs: []string{"192.168.100.0/24", "fd12:3456:789a:64::/64"}}
}

func lan6() network {
	return network{Name: "lan", Role: "node", CIDRs: []string{"fd12:3456:789a:64::/64"}}
}

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
	d := cozystack(node(), network{Name: "pod", CIDRs: []string{"10.112.0.0/16"}}, network{Name: "service", CIDRs: []string{"10.113.0.0/16"}}, network{Name: "join", CIDRs: []string{"100.72.0.0/16"}})
	d.Existing = true
	return d
}

// Variants is every form in which a consumer is rendered, by consumer/variant,
// which is also the name of its golden file. A new consumer gets its golden files
// and its judges by lines in a table of its own.
func Variants() map[string]Variant {
	out := map[string]Variant{}
	for _, of := range []func() map[string]Variant{
		ansibleVariants, birdVariants, ciliumVariants, cozystackVariants, fluxVariants, k3sVariants, kubeadmVariants,
		kubeovnVariants, nodeMoveVariants, poolVariants, talmVariants, talosVariants, yamlFieldsVariants,
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
