// SPDX-License-Identifier: MPL-2.0

package provider

import "testing"

func TestContainsFunction(t *testing.T) {
	testFunction(t, NewContainsFunction, []functionCase{
		{name: "IPv4", args: args("10.244.0.0/16", "10.244.248.0/21", "10.244.0.1"), want: "true"},
		{name: "IPv6", args: args("fd00::/48", "fd00:0:0:8000::/64"), want: "true"},
		{name: "IPv4, one outside", args: args("10.244.0.0/16", "10.244.248.0/21", "10.245.0.0/24"), want: "false"},
		{name: "IPv6, partly outside", args: args("fd00::/48", "fd00::/47"), want: "false"},
		{name: "itself", args: args("10.244.0.0/16", "10.244.0.0/16"), want: "true"},
		{name: "the other family", args: args("0.0.0.0-255.255.255.255", "::1"), want: "false"},
		{name: "range in a range", args: args("10.2.99.10-10.2.99.50", "10.2.99.49-10.2.99.50"), want: "true"},
		{name: "range beyond a range", args: args("10.2.99.10-10.2.99.50", "10.2.99.49-10.2.99.51"), want: "false"},
		{name: "nothing", args: args("10.244.0.0/16"), want: "true"},
		{name: "container with host bits", args: args("10.244.1.0/16", "10.244.1.0/24"), err: `use "10.244.0.0/16".`, at: 0},
		{name: "part with host bits", args: args("fd00::/48", "fd00::/64", "fd00::1/64"), err: `use "fd00::/64".`, at: 2},
	})
}
