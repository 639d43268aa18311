// SPDX-License-Identifier: MPL-2.0

package provider

import "testing"

func TestUnionFunction(t *testing.T) {
	testFunction(t, NewUnionFunction, []functionCase{
		{name: "IPv4, neighbours", args: args("10.244.128.0/17", "10.244.0.0/17"), want: `["10.244.0.0/16"]`},
		{name: "IPv6, neighbours", args: args("fd00:0:0:1::/64", "fd00::/64"), want: `["fd00::/63"]`},
		{name: "unaligned neighbours", args: args("10.1.0.0/16", "10.2.0.0/16"), want: `["10.1.0.0/16","10.2.0.0/16"]`},
		{name: "both families", args: args("fd00::/64", "10.0.0.0/8", "fd00::1", "10.9.0.0/16"), want: `["10.0.0.0/8","fd00::/64"]`},
		{name: "range", args: args("192.0.2.1-192.0.2.2"), want: `["192.0.2.1/32","192.0.2.2/32"]`},
		{name: "none", args: args(), want: `[]`},
		{name: "spaces", args: args("10.0.0.0/8", " fd00::/8"), err: `use "fd00::/8".`, at: 1},
	})
}
