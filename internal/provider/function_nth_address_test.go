// SPDX-License-Identifier: MPL-2.0

package provider

import "testing"

func TestNthAddressFunction(t *testing.T) {
	testFunction(t, NewNthAddressFunction, []functionCase{
		{name: "IPv4, first", args: args("10.244.0.0/16", 0), want: `"10.244.0.0"`},
		{name: "IPv4, gateway", args: args("10.244.0.0/16", 1), want: `"10.244.0.1"`},
		{name: "IPv4, last", args: args("10.244.0.0/16", -1), want: `"10.244.255.255"`},
		{name: "IPv4, first from the end", args: args("10.244.0.0/16", -65536), want: `"10.244.0.0"`},
		{name: "IPv6, last", args: args("fd00::/48", -1), want: `"fd00::ffff:ffff:ffff:ffff:ffff"`},
		{name: "IPv6, beyond 64 bits", args: args("fd00::/48", integer("18446744073709551617")), want: `"fd00:0:0:1::1"`},
		{name: "IPv4, too far", args: args("192.0.2.0/24", 256), err: "position 256 is outside: 192.0.2.0/24 has positions 0 to 255, or -1 to -256 from its end.", at: 1},
		{name: "IPv4, too far from the end", args: args("192.0.2.0/24", -257), err: "position -257 is outside", at: 1},
		{name: "IPv6, too far", args: args("fd00::/64", integer("18446744073709551616")), err: "positions 0 to 18446744073709551615,", at: 1},
		{name: "a fraction", args: args("192.0.2.0/24", integer("1.5")), err: "The position 1.5 is no whole number.", at: 1},
		{name: "host bits", args: args("192.0.2.1/24", 1), err: `use "192.0.2.0/24".`, at: 0},
	})
}
