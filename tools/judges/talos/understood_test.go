// SPDX-License-Identifier: MPL-2.0

package talos

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/machine"
	"go.yaml.in/yaml/v3"

	interfaces "github.com/siderolabs/talos/pkg/machinery/config/config"
)

// understanding is what Talos acts upon. It is read from a patch as plain YAML, and
// from a configuration by the accessors that Talos' controllers use, so that a value
// that stands in the text and that no controller would read is found as well.
type understanding struct {
	PodSubnets, ServiceSubnets      []string
	ValidSubnets, AdvertisedSubnets []string
	ControllerManagerArgs           map[string][]string
	Annotations                     map[string]string
	Rules                           map[string]rule
	Links                           map[string]link
}

type (
	rule struct {
		Src   string `yaml:"src"`
		Dst   string `yaml:"dst"`
		Table string `yaml:"table"`
	}
	link struct {
		VLAN      uint16    `yaml:"vlanID"`
		Parent    string    `yaml:"parent"`
		Up        bool      `yaml:"up"`
		MTU       uint32    `yaml:"mtu"`
		Addresses []address `yaml:"addresses"`
		Routes    []route   `yaml:"routes"`
	}
	address struct {
		Address string `yaml:"address"`
	}
	route struct {
		Destination string `yaml:"destination"`
		Gateway     string `yaml:"gateway"`
		Source      string `yaml:"source"`
		Metric      uint32 `yaml:"metric"`
		Table       string `yaml:"table"`
	}
	// machineConfig is the part of the v1alpha1 document that is understood.
	machineConfig struct {
		Machine struct {
			Annotations map[string]string `yaml:"nodeAnnotations"`
			Kubelet     struct {
				NodeIP struct {
					ValidSubnets []string `yaml:"validSubnets"`
				} `yaml:"nodeIP"`
			} `yaml:"kubelet"`
		} `yaml:"machine"`
		Cluster struct {
			Network struct {
				PodSubnets     []string `yaml:"podSubnets"`
				ServiceSubnets []string `yaml:"serviceSubnets"`
			} `yaml:"network"`
			ControllerManager struct {
				ExtraArgs map[string]string `yaml:"extraArgs"`
			} `yaml:"controllerManager"`
			Etcd struct {
				AdvertisedSubnets []string `yaml:"advertisedSubnets"`
			} `yaml:"etcd"`
		} `yaml:"cluster"`
	}
)

// understood fails unless Talos understands the patched configuration as it does the
// unpatched one, with what the patch holds in its place.
func understood(t *testing.T, machineType machine.Type, patched config.Provider, patch string) {
	t.Helper()
	unpatched, err := base(machineType)
	if err != nil {
		t.Fatal(err)
	}
	want := byAccessors(unpatched)
	if err := want.replace(patch); err != nil {
		t.Fatal(err)
	}
	got := byAccessors(patched)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: Talos understands\n%+v, want\n%+v", machineType, got, want)
	}
	if err := got.sound(patched); err != nil {
		t.Errorf("%s: %v in\n%s", machineType, err, patch)
	}
}

// byAccessors reads a configuration as Talos' controllers do.
func byAccessors(c config.Provider) understanding {
	u := understanding{
		PodSubnets:            c.Cluster().Network().PodCIDRs(),
		ServiceSubnets:        c.Cluster().Network().ServiceCIDRs(),
		ValidSubnets:          c.Machine().Kubelet().NodeIP().ValidSubnets(),
		AdvertisedSubnets:     c.Cluster().Etcd().AdvertisedSubnets(),
		ControllerManagerArgs: map[string][]string{},
		Annotations:           map[string]string{},
		Rules:                 map[string]rule{},
		Links:                 map[string]link{},
	}
	maps.Copy(u.ControllerManagerArgs, c.Cluster().ControllerManager().ExtraArgs())
	maps.Copy(u.Annotations, c.Machine().NodeAnnotations())
	for _, r := range c.NetworkRoutingRuleConfigs() {
		u.Rules[r.Name()] = rule{text(r.Src().Get()), text(r.Dst().Get()), r.Table().String()}
	}
	for _, l := range c.NetworkCommonLinkConfigs() {
		u.Links[l.Name()] = linkOf(l)
	}
	return u
}

func linkOf(l interfaces.NetworkCommonLinkConfig) link {
	out := link{Up: l.Up().ValueOrZero(), MTU: l.MTU().ValueOrZero()}
	if vlan, ok := l.(interfaces.NetworkVLANConfig); ok {
		out.VLAN, out.Parent = vlan.VLANID(), vlan.ParentLink()
	}
	for _, a := range l.Addresses() {
		out.Addresses = append(out.Addresses, address{a.Address().String()})
	}
	for _, r := range l.Routes() {
		out.Routes = append(out.Routes, route{
			text(r.Destination().Get()), text(r.Gateway().Get()), text(r.Source().Get()), r.Metric().ValueOrZero(), text(r.Table().Get()),
		})
	}
	return out
}

// text is a value that may be missing.
func text(value fmt.Stringer, present bool) string {
	if !present {
		return ""
	}
	return value.String()
}

// replace puts what a patch holds in the place of what is understood: lists anew,
// and never appended to, which is what the patches promise.
func (u *understanding) replace(patch string) error {
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(patch)))
	for {
		var node yaml.Node
		if err := decoder.Decode(&node); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := u.replaceDocument(&node); err != nil {
			return err
		}
	}
}

func (u *understanding) replaceDocument(node *yaml.Node) error {
	var head struct {
		Kind string `yaml:"kind"`
		Name string `yaml:"name"`
	}
	if err := node.Decode(&head); err != nil {
		return err
	}
	switch head.Kind {
	case "RoutingRuleConfig":
		var r rule
		err := node.Decode(&r)
		u.Rules[head.Name] = r
		return err
	case "LinkConfig", "VLANConfig":
		var l link
		err := node.Decode(&l)
		u.Links[head.Name] = l
		return err
	case "":
		var c machineConfig
		err := node.Decode(&c)
		u.replaceMachineConfig(c)
		return err
	}
	return nil // a document of another kind is compared by its text alone
}

func (u *understanding) replaceMachineConfig(c machineConfig) {
	for list, written := range map[*[]string][]string{
		&u.PodSubnets:        c.Cluster.Network.PodSubnets,
		&u.ServiceSubnets:    c.Cluster.Network.ServiceSubnets,
		&u.ValidSubnets:      c.Machine.Kubelet.NodeIP.ValidSubnets,
		&u.AdvertisedSubnets: c.Cluster.Etcd.AdvertisedSubnets,
	} {
		if written != nil {
			*list = written
		}
	}
	for key, value := range c.Cluster.ControllerManager.ExtraArgs {
		u.ControllerManagerArgs[key] = []string{value}
	}
	maps.Copy(u.Annotations, c.Machine.Annotations)
}

// sound reports what Talos takes without a word and what would not work for all that.
// It looks at no range of the v1alpha1 document, accepts a rule that comes after
// the main table, and leaves host bits where they stand.
func (u *understanding) sound(c config.Provider) error {
	ranges := kubeNetworkConfig{PodSubnets: u.PodSubnets, ServiceSubnets: u.ServiceSubnets}
	var errs []error
	for flag, mask := range map[string]*int{"node-cidr-mask-size-ipv4": &ranges.NodeCIDRMaskSizeIPv4, "node-cidr-mask-size-ipv6": &ranges.NodeCIDRMaskSizeIPv6} {
		for _, value := range u.ControllerManagerArgs[flag] {
			var err error
			*mask, err = strconv.Atoi(value)
			errs = append(errs, err)
		}
	}
	errs = append(errs, ranges.check())
	errs = append(errs, onePerSubnet("API server", u.ServiceSubnets, c.Cluster().Network().APIServerIPs))
	errs = append(errs, onePerSubnet("cluster DNS", u.ServiceSubnets, c.Cluster().Network().DNSServiceIPs))
	for name, r := range u.Rules {
		errs = append(errs, r.sound(name))
	}
	return errors.Join(errs...)
}

// onePerSubnet fails unless Talos derives one address from each service subnet.
func onePerSubnet(what string, subnets []string, derive func() ([]netip.Addr, error)) error {
	addresses, err := derive()
	if err != nil {
		return fmt.Errorf("%s addresses: %w", what, err)
	}
	for _, subnet := range subnets {
		prefix, err := netip.ParsePrefix(subnet)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(addresses, prefix.Contains) {
			return fmt.Errorf("Talos derives no %s address from %s: %v", what, subnet, addresses)
		}
	}
	return nil
}

func (r rule) sound(name string) error {
	priority, err := strconv.Atoi(name)
	if err != nil {
		return err
	}
	if priority < 1 || priority > 32765 || priority == 32500 || priority == 32501 {
		return fmt.Errorf("rule %s: this priority is not free", name)
	}
	if strconv.Itoa(priority) != name {
		return fmt.Errorf("rule %s is not named %d, so that Talos takes the two for different rules", name, priority)
	}
	return r.selects(name)
}

// selects fails unless a rule selects packets of one family. Without a source and a
// destination it would be one rule for all packets of each.
func (r rule) selects(name string) error {
	families := map[bool]bool{}
	for _, text := range []string{r.Src, r.Dst} {
		if text == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return fmt.Errorf("rule %s: %w", name, err)
		}
		if prefix != prefix.Masked() {
			return fmt.Errorf("rule %s: %s has host bits", name, prefix)
		}
		families[prefix.Addr().Is4()] = true
	}
	if len(families) != 1 {
		return fmt.Errorf("rule %s selects packets of %d families", name, len(families))
	}
	return nil
}

// TestAccessors: the judge tells what was merged from what was written.
func TestAccessors(t *testing.T) {
	first := "machine:\n  kubelet:\n    nodeIP:\n      validSubnets: [192.168.100.0/24]\ncluster:\n  network:\n    podSubnets: [10.3.0.0/16]\n"
	patched, err := merged(machine.TypeWorker, first)
	if err != nil {
		t.Fatal(err)
	}
	for name, patch := range map[string]string{
		"another range":         "cluster:\n  network:\n    podSubnets: [10.4.0.0/16]\n",
		"a range more":          "cluster:\n  network:\n    podSubnets: [10.3.0.0/16, fd00:3::/56]\n",
		"a list that was kept":  "machine:\n  kubelet:\n    nodeIP:\n      validSubnets: [192.168.101.0/24]\n",
		"an argument":           "cluster:\n  controllerManager:\n    extraArgs:\n      allocate-node-cidrs: \"false\"\n",
		"an annotation":         "machine:\n  nodeAnnotations:\n    example.com/a: b\n",
		"an advertised subnet":  "cluster:\n  etcd:\n    advertisedSubnets: [192.168.100.0/24]\n",
		"a rule":                "kind: RoutingRuleConfig\nname: \"1000\"\nsrc: 10.3.0.0/16\ntable: \"47\"\n",
		"a link":                "kind: LinkConfig\nname: eth0\nup: true\n",
		"a VLAN with a gateway": "kind: VLANConfig\nname: pod0\nroutes:\n  - gateway: 10.2.48.1\n",
	} {
		want := byAccessors(patched)
		if err := want.replace(patch); err != nil {
			t.Fatal(err)
		}
		if reflect.DeepEqual(byAccessors(patched), want) {
			t.Errorf("%s: not told apart", name)
		}
	}
	same := byAccessors(patched)
	if err := same.replace(first); err != nil || !reflect.DeepEqual(byAccessors(patched), same) {
		t.Errorf("the same patch is told apart: %v", err)
	}
}

// TestUnsound: what Talos accepts in silence is found.
func TestUnsound(t *testing.T) {
	rule := func(rest string) string {
		return "apiVersion: v1alpha1\nkind: RoutingRuleConfig\n" + rest + "table: \"47\"\n"
	}
	pods := func(list string) string { return "cluster:\n  network:\n    podSubnets: " + list + "\n" }
	mask := func(value string) string {
		return "cluster:\n  controllerManager:\n    extraArgs:\n      node-cidr-mask-size-ipv4: \"" + value + "\"\n"
	}
	tests := []struct{ name, patch, words string }{
		{"a range that is none", pods("[here]"), "invalid subnet here"},
		{"a range more", pods("[10.3.0.0/16, fd00:3::/56]"), "must match the number of service subnets"},
		{"a mask that is none", mask("wide"), "invalid syntax"},
		{"a mask that is too far away", mask("33"), "between 1 and 32"},
		{"a mask that is too near", mask("15"), "smaller than the per-node"},
		{"a rule after the main table", rule("name: \"40000\"\nsrc: 10.3.0.0/16\n"), "not free"},
		{"a rule of KubeSpan for IPv6", rule("name: \"32501\"\nsrc: fd00:3::/56\n"), "not free"},
		{"a priority with a zero before it", rule("name: \"01000\"\nsrc: 10.3.0.0/16\n"), "not named 1000"},
		{"a source with host bits", rule("name: \"1000\"\nsrc: 10.3.0.1/16\n"), "host bits"},
		{"a rule for all packets", rule("name: \"1000\"\n"), "0 families"},
		{"a rule for no packet", rule("name: \"1000\"\nsrc: 10.3.0.0/16\ndst: fd00:3::/56\n"), "2 families"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			patched, err := merged(machine.TypeControlPlane, test.patch)
			if err != nil {
				t.Fatalf("Talos refuses it by now: %v", err)
			}
			u := byAccessors(patched)
			if err := u.sound(patched); err == nil || !strings.Contains(err.Error(), test.words) {
				t.Errorf("got %v, want %s", err, test.words)
			}
		})
	}
}
