// SPDX-License-Identifier: MPL-2.0

package talospatch

import (
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// The defaults of a whole configuration that leaves a range unsaid
// (pkg/machinery/constants/constants.go).
const (
	talosDefault     = "Talos"
	defaultPods4     = "10.244.0.0/16"
	defaultServices4 = "10.96.0.0/12"
)

// Read returns the facts of a Talos configuration or patch, in either shape. A
// patch states only what stands in it; a whole configuration that leaves the
// ranges of pods or Services unsaid has Talos' own.
func Read(src []byte) ([]artifact.Fact, error) {
	documents, err := artifact.ReadDocuments(src)
	if err != nil {
		return nil, err
	}
	var facts artifact.Facts
	multi := hasKind(documents, "KubeNetworkConfig")
	for _, d := range documents {
		facts.In(d)
		switch {
		case d.IsList():
			readOperations(&facts, d)
		case d.Kind == "" && d.APIVersion == "" && (d.Get("machine").Exists() || d.Get("cluster").Exists()):
			readV1Alpha1(&facts, d, !multi)
		case d.APIVersion == "v1alpha1":
			readDocument(&facts, d)
		}
	}
	return facts.InOrder(), nil
}

func hasKind(documents []artifact.Document, kind string) bool {
	for _, d := range documents {
		if d.Kind == kind {
			return true
		}
	}
	return false
}

// What the lists of ranges are facts of: kube-controller-manager cuts node ranges
// out of the pods', the API server hands out the Services'.
func podFact() artifact.Fact {
	return artifact.Fact{Role: site.RolePod, Allocator: site.AllocatorKubeControllerManager, Subject: artifact.SubjectCIDRs}
}

func serviceFact() artifact.Fact {
	return artifact.Fact{Role: site.RoleService, Allocator: site.AllocatorKubeAPIServer, Subject: artifact.SubjectCIDRs}
}

// readV1Alpha1 reads the one document that Talos had up to 1.13. ranges says that
// no document of its own states the ranges.
func readV1Alpha1(facts *artifact.Facts, d artifact.Document, ranges bool) {
	before := len(facts.List)
	network := d.Get("cluster", "network")
	whole := d.Get("version").Text() == "v1alpha1" || d.Get("machine", "type").Exists() || d.Get("cluster", "controlPlane", "endpoint").Exists()
	if !facts.Ranges(network.Get("podSubnets"), podFact()) && whole && ranges {
		facts.Implicit(podFact(), talosDefault, defaultPods4)
	}
	if !facts.Ranges(network.Get("serviceSubnets"), serviceFact()) && whole && ranges {
		facts.Implicit(serviceFact(), talosDefault, defaultServices4)
	}
	readArguments(facts, d.Get("cluster", "controllerManager", "extraArgs"))
	readNodeNetwork(facts, d.Get("machine", "kubelet", "nodeIP", "validSubnets"))
	readNodeNetwork(facts, d.Get("cluster", "etcd", "advertisedSubnets"))
	if !whole {
		layers(facts, before)
	}
	for _, link := range d.Get("machine", "network", "interfaces").Items() {
		readInterface(facts, link)
	}
}

// layers says of what a patch states that Talos replaces the ranges of pods and
// Services when it merges, and appends to every other list.
func layers(facts *artifact.Facts, from int) {
	for i := from; i < len(facts.List); i++ {
		f := &facts.List[i]
		f.Layer = artifact.Patch
		if f.Role == site.RoleNode && f.Subject == artifact.SubjectCIDRs {
			f.Layer = artifact.Append
		}
	}
}

// readOperations reads a patch of RFC 6902, which Talos takes for configurations of
// one document.
func readOperations(facts *artifact.Facts, d artifact.Document) {
	for _, operation := range d.Items() {
		target := operation.Get("path").Text()
		var fact artifact.Fact
		switch {
		case strings.HasPrefix(target, "/cluster/network/podSubnets"):
			fact = podFact()
		case strings.HasPrefix(target, "/cluster/network/serviceSubnets"):
			fact = serviceFact()
		default:
			continue
		}
		before := len(facts.List)
		if op := operation.Get("op").Text(); op == "add" || op == "replace" {
			facts.Ranges(operation.Get("value"), fact)
		}
		for i := before; i < len(facts.List); i++ {
			facts.List[i].Layer = artifact.Patch
			if strings.HasSuffix(target, "/-") {
				facts.List[i].Layer = artifact.Append
			}
		}
	}
}

func readNodeNetwork(facts *artifact.Facts, n artifact.Node) {
	facts.Ranges(n, artifact.Fact{Role: site.RoleNode, Subject: artifact.SubjectCIDRs})
}

// readArguments reads what arguments of kube-controller-manager decide. A value
// may be a text or a list of them, of which the last counts.
func readArguments(facts *artifact.Facts, arguments artifact.Node) {
	for _, a := range []struct {
		name, family string
		subject      artifact.Subject
	}{
		{"node-cidr-mask-size-ipv4", "ipv4", artifact.SubjectNodeLength},
		{"node-cidr-mask-size-ipv6", "ipv6", artifact.SubjectNodeLength},
		{"node-cidr-mask-size", "", artifact.SubjectNodeLength},
		{"allocate-node-cidrs", "", artifact.SubjectNodeCIDRs},
	} {
		value := arguments.Get(a.name)
		if items := value.Items(); len(items) > 0 {
			value = items[len(items)-1]
		}
		facts.Add(value, artifact.Fact{Role: site.RolePod, Allocator: site.AllocatorKubeControllerManager, Name: a.family, Subject: a.subject})
	}
	facts.Ranges(arguments.Get("cluster-cidr"), podFact())
	facts.Ranges(arguments.Get("service-cluster-ip-range"), serviceFact())
}

// readInterface reads the addresses of a link of the old shape, and its VLANs'.
func readInterface(facts *artifact.Facts, link artifact.Node) {
	name := link.Get("interface").Text()
	readAddresses(facts, link.Get("addresses"), name)
	readVIP(facts, link.Get("vip", "ip"), name)
	for _, vlan := range link.Get("vlans").Items() {
		tagged := name + "." + vlan.Get("vlanId").Text()
		readAddresses(facts, vlan.Get("addresses"), tagged)
		readVIP(facts, vlan.Get("vip", "ip"), tagged)
	}
}

func readVIP(facts *artifact.Facts, n artifact.Node, link string) {
	facts.Add(n, artifact.Fact{Role: site.RoleNode, Allocator: site.AllocatorStatic, Name: link, Subject: artifact.SubjectVIP})
}

// readAddresses reads addresses of a host: texts, or mappings with an address.
func readAddresses(facts *artifact.Facts, list artifact.Node, link string) {
	for _, item := range list.Items() {
		if address := item.Get("address"); address.Exists() {
			item = address
		}
		facts.Add(item, artifact.Fact{Role: site.RoleNode, Allocator: site.AllocatorStatic, Name: link, Subject: artifact.SubjectHostAddress})
	}
}

// readDocument reads a document of its own.
func readDocument(facts *artifact.Facts, d artifact.Document) {
	name := d.Get("name").Text()
	switch d.Kind {
	case "KubeNetworkConfig":
		facts.Ranges(d.Get("podSubnets"), podFact())
		facts.Ranges(d.Get("serviceSubnets"), serviceFact())
		for _, family := range []string{"ipv4", "ipv6"} {
			facts.Add(d.Get("nodeCIDRMaskSizeIPv"+family[3:]), artifact.Fact{Role: site.RolePod, Allocator: site.AllocatorKubeControllerManager, Name: family, Subject: artifact.SubjectNodeLength})
		}
	case "KubeNodeConfig":
		readNodeNetwork(facts, d.Get("nodeIP", "validSubnets"))
	case "KubeControllerManagerConfig":
		readArguments(facts, d.Get("extraArgs"))
	case "RoutingRuleConfig":
		facts.Ranges(d.Get("src"), artifact.Fact{Name: strings.TrimPrefix(d.Get("table").Text(), "table "), Subject: artifact.SubjectRouted})
	case "LinkConfig", "VLANConfig", "BondConfig", "BridgeConfig", "DummyLinkConfig":
		readAddresses(facts, d.Get("addresses"), name)
		for _, route := range d.Get("routes").Items() {
			if !route.Get("destination").Exists() {
				facts.Add(route.Get("gateway"), artifact.Fact{Role: site.RoleNode, Name: name, Subject: artifact.SubjectGateway})
			}
		}
	case "Layer2VIPConfig":
		readVIP(facts, d.Get("name"), d.Get("link").Text())
	}
}
