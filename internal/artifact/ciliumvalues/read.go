// SPDX-License-Identifier: MPL-2.0

package ciliumvalues

import (
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// The defaults of Cilium's chart, 1.15 to 1.20 (install/kubernetes/cilium/values.yaml).
const (
	chartDefault     = "Cilium's chart"
	defaultMode      = "cluster-pool"
	defaultPool4     = "10.0.0.0/8"
	defaultPool6     = "fd00::/104"
	defaultPoolMask4 = "24"
	defaultPoolMask6 = "120"
)

// Read returns the facts of Cilium's values wherever they stand: a HelmRelease, a
// ConfigMap, an Argo CD Application, a helmfile, or a plain values file.
func Read(src []byte) ([]artifact.Fact, error) {
	documents, err := artifact.ReadDocuments(src)
	if err != nil {
		return nil, err
	}
	var facts artifact.Facts
	for _, d := range documents {
		facts.In(d)
		for _, values := range artifact.HelmValues(d, "cilium", recognised) {
			ReadValues(&facts, values.Node, Chart{Mode: defaultMode, Source: chartDefault, Layered: values.Layered})
		}
	}
	return facts.InOrder(), nil
}

// recognised finds Cilium's values: at the top, or below keys, where the chart is a
// dependency of another one.
func recognised(values artifact.Node) (artifact.Node, bool) {
	if found, ok := find(values, 3); ok {
		return found, true
	}
	if below := values.Get("cilium"); below.Exists() {
		return below, true
	}
	return values, false
}

func find(values artifact.Node, depth int) (artifact.Node, bool) {
	for _, key := range [][]string{{"ipam", "mode"}, {"ipam", "operator"}, {"ipv4NativeRoutingCIDR"}, {"k8s", "requireIPv4PodCIDR"}, {"kubeProxyReplacement"}} {
		if values.Get(key...).Exists() {
			return values, true
		}
	}
	if depth == 0 || values.IsAlias() {
		return values, false
	}
	for _, key := range values.Keys() {
		if found, ok := find(values.Get(key), depth-1); ok {
			return found, true
		}
	}
	return values, false
}

// Chart says what values leave to the chart.
type Chart struct {
	Mode    string // the IPAM mode where none is stated
	Source  string // whose default that is
	Layered bool   // other values lie below, which may state what these leave unsaid
}

// ReadValues reads the facts of Cilium's values. The mode decides which keys count
// at all: a pool list is no fact under kubernetes.
func ReadValues(facts *artifact.Facts, values artifact.Node, chart Chart) {
	read(facts, values, chart, chainedBehindAnother(values))
}

// ReadChained reads values of a Cilium that is chained behind another CNI, which
// values below these say.
func ReadChained(facts *artifact.Facts, values artifact.Node, chart Chart) {
	read(facts, values, chart, true)
}

func read(facts *artifact.Facts, values artifact.Node, chart Chart, chained bool) {
	mode := values.Get("ipam", "mode")
	readNativeRouting(facts, values)
	stated := mode.Text()
	fact := artifact.Fact{Subject: artifact.SubjectMode}
	switch {
	case mode.Unknown() != "":
		facts.Add(mode, fact)
		return
	case stated != "":
		facts.Add(mode, fact)
	case chart.Layered:
		// What a pool list means depends on the mode, so that it is no fact either.
		facts.Undecided(fact, "the mode stands in another layer of values, or nowhere")
		return
	default:
		stated = chart.Mode
		facts.Implicit(fact, chart.Source, stated)
	}
	switch stated {
	case "cluster-pool":
		readPool(facts, values, poolFact(chained), chart)
	case "multi-pool":
		readMultiPool(facts, values.Get("ipam", "operator", "autoCreateCiliumPodIPPools"), chained)
	}
}

// chainedBehindAnother reports whether another CNI gives pods their addresses, so
// that Cilium takes infrastructure addresses only.
func chainedBehindAnother(values artifact.Node) bool {
	mode := values.Get("cni", "chainingMode").Text()
	return mode != "" && mode != "none" && mode != "portmap" || mode == "" && values.Get("cni", "chainingTarget").Exists()
}

func poolFact(chained bool) artifact.Fact {
	role := site.RolePod
	if chained {
		role = site.RoleCiliumPool
	}
	return artifact.Fact{Role: role, Allocator: site.AllocatorCiliumOperator, Subject: artifact.SubjectCIDRs}
}

// readPool reads the pools of each family that is switched on.
func readPool(facts *artifact.Facts, values artifact.Node, pool artifact.Fact, chart Chart) {
	operator := values.Get("ipam", "operator")
	for _, f := range []struct{ family, list, mask, defaultList, defaultMask string }{
		{"ipv4", "clusterPoolIPv4PodCIDRList", "clusterPoolIPv4MaskSize", defaultPool4, defaultPoolMask4},
		{"ipv6", "clusterPoolIPv6PodCIDRList", "clusterPoolIPv6MaskSize", defaultPool6, defaultPoolMask6},
	} {
		stated := operator.Get(f.list).Exists()
		switched := values.Get(f.family, "enabled")
		if switched.IsFalse() || f.family == "ipv6" && !switched.IsTrue() && !stated {
			continue
		}
		if !facts.Ranges(operator.Get(f.list), pool) && !chart.Layered {
			facts.Implicit(pool, chart.Source, f.defaultList)
		}
		length := artifact.Fact{Role: pool.Role, Allocator: pool.Allocator, Name: f.family, Subject: artifact.SubjectNodeLength}
		if mask := operator.Get(f.mask); mask.Exists() {
			facts.Add(mask, length)
		} else if !chart.Layered {
			facts.Implicit(length, chart.Source, f.defaultMask)
		}
	}
}

func readMultiPool(facts *artifact.Facts, pools artifact.Node, chained bool) {
	for _, name := range pools.Keys() {
		for _, family := range []string{"ipv4", "ipv6"} {
			fact := poolFact(chained)
			fact.Name = name
			facts.Ranges(pools.Get(name, family, "cidrs"), fact)
			facts.Add(pools.Get(name, family, "maskSize"), artifact.Fact{Role: fact.Role, Allocator: fact.Allocator, Name: name + " " + family, Subject: artifact.SubjectNodeLength})
		}
	}
}

func readNativeRouting(facts *artifact.Facts, values artifact.Node) {
	for _, key := range []string{"ipv4NativeRoutingCIDR", "ipv6NativeRoutingCIDR"} {
		if n := values.Get(key); strings.TrimSpace(n.Text()) != "" {
			facts.Ranges(n, artifact.Fact{Role: site.RolePod, Subject: artifact.SubjectMasqueraded})
		}
	}
}
