// SPDX-License-Identifier: MPL-2.0

package provider

import "testing"

func TestCIDRToRangeFunction(t *testing.T) {
	testFunction(t, NewCIDRToRangeFunction, []functionCase{
		{name: "IPv4", args: args("10.244.248.0/21"), want: `"10.244.248.0-10.244.255.255"`},
		{name: "IPv6", args: args("2001:DB8::/32"), want: `"2001:db8::-2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"`},
		{name: "address", args: args("192.0.2.1/32"), want: `"192.0.2.1-192.0.2.1"`},
		{name: "no length", args: args("192.0.2.1"), err: `has no prefix length; use "192.0.2.1/32".`, at: 0},
		{name: "range", args: args("192.0.2.1-192.0.2.9"), err: `is no address. Expected is a prefix`, at: 0},
		{name: "everything", args: args("0.0.0.0/0"), err: "is the whole IPv4 address space", at: 0},
	})
}
