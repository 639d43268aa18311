// SPDX-License-Identifier: MPL-2.0

package provider

import "testing"

func TestSubtractFunction(t *testing.T) {
	testFunction(t, NewSubtractFunction, []functionCase{
		{name: "IPv4, tail", args: args("10.244.0.0/16", "10.244.248.0/21"), want: `["10.244.0.0/17","10.244.128.0/18","10.244.192.0/19","10.244.224.0/20","10.244.240.0/21"]`},
		{name: "IPv6, head", args: args("fd00::/62", "fd00::/64"), want: `["fd00:0:0:1::/64","fd00:0:0:2::/63"]`},
		{name: "one address", args: args("192.0.2.0/30", "192.0.2.1"), want: `["192.0.2.0/32","192.0.2.2/31"]`},
		{name: "several", args: args("192.0.2.0/28", "192.0.2.0/29", "192.0.2.8-192.0.2.11"), want: `["192.0.2.12/30"]`},
		{name: "all", args: args("192.0.2.0/28", "192.0.2.0/24"), want: `[]`},
		{name: "nothing", args: args("192.0.2.0/28"), want: `["192.0.2.0/28"]`},
		{name: "outside", args: args("192.0.2.0/28", "10.0.0.0/8", "fd00::/8"), want: `["192.0.2.0/28"]`},
		{name: "host bits", args: args("192.0.2.0/28", "192.0.2.1/29"), err: `use "192.0.2.0/29".`, at: 1},
	})
}
