// SPDX-License-Identifier: MPL-2.0

package provider

import "testing"

func TestIsCanonicalFunction(t *testing.T) {
	testFunction(t, NewIsCanonicalFunction, []functionCase{
		{name: "IPv4", args: args("10.244.0.0/16"), want: "true"},
		{name: "IPv6", args: args("2001:db8::/32"), want: "true"},
		{name: "IPv4, host bits", args: args("10.244.1.0/16"), want: "false"},
		{name: "IPv6, host bits", args: args("2001:db8::1/32"), want: "false"},
		{name: "IPv6, upper case", args: args("2001:DB8::/32"), want: "false"},
		{name: "mapped", args: args("::ffff:10.0.0.0/104"), want: "false"},
		{name: "address", args: args("10.244.0.0"), want: "false"},
		{name: "nothing", args: args(""), want: "false"},
	})
}
