// SPDX-License-Identifier: MPL-2.0

package provider

import "testing"

func TestOverlapsFunction(t *testing.T) {
	testFunction(t, NewOverlapsFunction, []functionCase{
		{name: "IPv4, nested", args: args("10.244.0.0/16", "10.244.248.0/21"), want: "true"},
		{name: "IPv6, nested", args: args("fd00::/48", "fd00:0:0:8000::/64"), want: "true"},
		{name: "IPv4, neighbours", args: args("10.244.0.0/17", "10.244.128.0/17"), want: "false"},
		{name: "IPv6, neighbours", args: args("fd00::/64", "fd00:0:0:1::/64"), want: "false"},
		{name: "two families", args: args("0.0.0.0/1", "::/1"), want: "false"},
		{name: "equal", args: args("10.0.0.0/8", "10.0.0.0/8"), want: "true"},
		{name: "the last of many", args: args("10.0.0.0/16", "fd00::/64", "10.1.0.0/16", "fd00::9"), want: "true"},
		{name: "range and address", args: args("10.2.99.10-10.2.99.50", "10.2.99.50"), want: "true"},
		{name: "range in Kube-OVN's form", args: args("10.2.99.10..10.2.99.50", "10.2.99.51"), want: "false"},
		{name: "one", args: args("10.0.0.0/8"), want: "false"},
		{name: "none", args: args(), want: "false"},
		{name: "host bits", args: args("10.0.0.0/8", "10.244.1.0/16"), err: `"10.244.1.0/16" has host bits set; use "10.244.0.0/16".`, at: 1},
		{name: "mapped", args: args("::ffff:10.0.0.0/104"), err: `use "10.0.0.0/8".`, at: 0},
		{name: "no address", args: args("10.0.0.0/8", "fd00::/8", "pod"), err: `"pod" is no address. Expected is a prefix`, at: 2},
		{name: "all that is wrong", args: args("10.0.0.0/8", "fd00::1/8", "10.0.0.9-10.0.0.1"), err: `use "10.0.0.1-10.0.0.9".`, at: 1},
	})
}
