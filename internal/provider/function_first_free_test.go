// SPDX-License-Identifier: MPL-2.0

package provider

import "testing"

func TestFirstFreeFunction(t *testing.T) {
	testFunction(t, NewFirstFreeFunction, []functionCase{
		{name: "IPv4", args: args("10.0.0.0/8", 16, "10.0.0.0/16", "10.1.0.0/24"), want: `"10.2.0.0/16"`},
		{name: "IPv6", args: args("fd00::/48", 64, "fd00::/64"), want: `"fd00:0:0:1::/64"`},
		{name: "nothing taken", args: args("10.0.0.0/8", 16), want: `"10.0.0.0/16"`},
		{name: "all of it", args: args("10.0.0.0/8", 8), want: `"10.0.0.0/8"`},
		{name: "in a range", args: args("192.0.2.10-192.0.2.50", 28), want: `"192.0.2.16/28"`},
		{name: "around ranges and addresses", args: args("192.0.2.0/24", 28, "192.0.2.1", "192.0.2.16..192.0.2.20"), want: `"192.0.2.32/28"`},
		{name: "taken elsewhere", args: args("192.0.2.0/24", 25, "10.0.0.0/8", "fd00::/8", "192.0.3.0/24"), want: `"192.0.2.0/25"`},
		{name: "IPv4, fragmented", args: args("192.0.2.0/24", 25, "192.0.2.1", "192.0.2.129"),
			err: "No /25 is free in 192.0.2.0/24: the largest free block is 192.0.2.64/26, so a length of 26 or more fits.", at: 1},
		{name: "IPv6, larger than the space", args: args("fd00::/48", 40), err: "the largest free block is fd00::/48, so a length of 48 or more fits.", at: 1},
		{name: "full", args: args("192.0.2.0/24", 32, "192.0.2.0/24"), err: "No address is free in 192.0.2.0/24: all of it is taken.", at: 0},
		{name: "length beyond IPv4", args: args("192.0.2.0/24", 64), err: "There is no /64 in 192.0.2.0/24, which is IPv4: the length is a number from 1 to 32.", at: 1},
		{name: "length 0", args: args("fd00::/48", 0), err: "the length is a number from 1 to 128.", at: 1},
		{name: "space with host bits", args: args("192.0.2.1/24", 28), err: `use "192.0.2.0/24".`, at: 0},
		{name: "taken with host bits", args: args("192.0.2.0/24", 28, "192.0.2.0/28", "192.0.2.17/28"), err: `use "192.0.2.16/28".`, at: 3},
	})
}
