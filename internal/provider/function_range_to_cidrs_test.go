// SPDX-License-Identifier: MPL-2.0

package provider

import "testing"

func TestRangeToCIDRsFunction(t *testing.T) {
	testFunction(t, NewRangeToCIDRsFunction, []functionCase{
		{name: "IPv4, one prefix", args: args("10.244.248.0-10.244.255.255"), want: `["10.244.248.0/21"]`},
		{name: "IPv4, several", args: args("10.2.99.10-10.2.99.17"), want: `["10.2.99.10/31","10.2.99.12/30","10.2.99.16/31"]`},
		{name: "IPv6", args: args("fd00::1..fd00::4"), want: `["fd00::1/128","fd00::2/127","fd00::4/128"]`},
		{name: "IPv6, across half of the bits", args: args("fd00::-fd00:0:0:1:ffff:ffff:ffff:ffff"), want: `["fd00::/63"]`},
		{name: "address", args: args("192.0.2.1"), want: `["192.0.2.1/32"]`},
		{name: "prefix", args: args("192.0.2.0/24"), want: `["192.0.2.0/24"]`},
		{name: "backwards", args: args("192.0.2.9-192.0.2.1"), err: `ends before it starts; use "192.0.2.1-192.0.2.9".`, at: 0},
		{name: "two families", args: args("192.0.2.9-fd00::"), err: "starts in one address family and ends in the other. Expected", at: 0},
	})
}
