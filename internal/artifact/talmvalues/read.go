// SPDX-License-Identifier: MPL-2.0

package talmvalues

import (
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// The defaults of talm's Cozystack preset (charts/cozystack/values.yaml).
const (
	presetDefault    = "talm's preset"
	defaultPods4     = "10.244.0.0/16"
	defaultServices4 = "10.96.0.0/16"
)

// Read returns the facts of the values of a talm project, and those of a talhelper
// configuration, which names the same ranges otherwise.
func Read(src []byte) ([]artifact.Fact, error) {
	documents, err := artifact.ReadDocuments(src)
	if err != nil {
		return nil, err
	}
	var facts artifact.Facts
	for _, d := range documents {
		facts.In(d)
		switch {
		case d.Kind != "" || d.Get("machine").Exists() || d.Get("cluster").Exists():
		case d.Get("podSubnets").Exists() || d.Get("serviceSubnets").Exists() || d.Get("advertisedSubnets").Exists():
			readValues(&facts, d)
		case d.Get("clusterPodNets").Exists() || d.Get("clusterSvcNets").Exists():
			readTalhelper(&facts, d)
		}
	}
	return facts.InOrder(), nil
}

func podFact() artifact.Fact {
	return artifact.Fact{Role: site.RolePod, Allocator: site.AllocatorKubeControllerManager, Subject: artifact.SubjectCIDRs}
}

func serviceFact() artifact.Fact {
	return artifact.Fact{Role: site.RoleService, Allocator: site.AllocatorKubeAPIServer, Subject: artifact.SubjectCIDRs}
}

func readValues(facts *artifact.Facts, d artifact.Document) {
	if !facts.Ranges(d.Get("podSubnets"), podFact()) {
		facts.Implicit(podFact(), presetDefault, defaultPods4)
	}
	if !facts.Ranges(d.Get("serviceSubnets"), serviceFact()) {
		facts.Implicit(serviceFact(), presetDefault, defaultServices4)
	}
	facts.Ranges(d.Get("advertisedSubnets"), artifact.Fact{Role: site.RoleNode, Subject: artifact.SubjectCIDRs})
	facts.Add(d.Get("allocateNodeCIDRs"), artifact.Fact{Role: site.RolePod, Allocator: site.AllocatorKubeControllerManager, Subject: artifact.SubjectNodeCIDRs})
	if vip := d.Get("floatingIP"); vip.Text() != "" {
		facts.Add(vip, artifact.Fact{Role: site.RoleNode, Allocator: site.AllocatorStatic, Name: d.Get("vipLink").Text(), Subject: artifact.SubjectVIP})
	}
}

func readTalhelper(facts *artifact.Facts, d artifact.Document) {
	facts.Ranges(d.Get("clusterPodNets"), podFact())
	facts.Ranges(d.Get("clusterSvcNets"), serviceFact())
	for _, node := range d.Get("nodes").Items() {
		facts.Add(node.Get("ipAddress"), artifact.Fact{Role: site.RoleNode, Allocator: site.AllocatorStatic, Name: node.Get("hostname").Text(), Subject: artifact.SubjectHostAddress})
	}
}
