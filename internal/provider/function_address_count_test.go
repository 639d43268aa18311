// SPDX-License-Identifier: MPL-2.0

package provider

import "testing"

func TestAddressCountFunction(t *testing.T) {
	testFunction(t, NewAddressCountFunction, []functionCase{
		{name: "IPv4", args: args("10.244.0.0/16"), want: "65536"},
		{name: "IPv4, overlapping", args: args("10.244.0.0/16", "10.244.248.0/21"), want: "65536"},
		{name: "address and range", args: args("192.0.2.1", "192.0.2.2-192.0.2.4"), want: "4"},
		{name: "IPv6, 64 bits", args: args("fd00::/64"), want: "18446744073709551616"},
		{name: "IPv6, beyond 64 bits", args: args("fd00::/64", "fd00:0:0:1::/128"), want: "18446744073709551617"},
		{name: "IPv6, nearly everything", args: args("::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe"), want: "340282366920938463463374607431768211455"},
		{name: "both families", args: args("10.0.0.0/24", "fd00::/120"), want: "512"},
		{name: "none", args: args(), want: "0"},
		{name: "host bits", args: args("10.0.0.0/24", "10.0.0.1/24"), err: `use "10.0.0.0/24".`, at: 1},
	})
}
