// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"net/netip"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// No function takes null or unknown arguments: Terraform refuses a null, and
// answers unknown for an unknown one, without a call. A check that cannot decide
// must not say "no overlap".

// addressesForm says how a set of addresses is written.
const addressesForm = "a prefix (`10.244.0.0/16`), a range (`10.2.99.10-10.2.99.50`, also with `..`) or a single address, IPv4 or IPv6. " +
	"A prefix with host bits is an error."

// addressesParameter is the variadic parameter of the functions over sets of addresses.
func addressesParameter() function.Parameter {
	return function.StringParameter{
		Name:                "cidr",
		MarkdownDescription: "Any number of address sets, each " + addressesForm,
	}
}

// prefixParameter is the parameter of the functions that take one prefix.
func prefixParameter() function.Parameter {
	return function.StringParameter{
		Name:                "cidr",
		MarkdownDescription: "A prefix such as `10.244.0.0/16` or `fd00:10:244::/56`. Host bits are an error.",
	}
}

// parseRanges reads sets of addresses, of which the first is the argument at
// the given index. All that is wrong is in the one error, whose argument is the
// first wrong one.
func parseRanges(index int64, texts []string) ([]netipx.IPRange, *function.FuncError) {
	ranges := make([]netipx.IPRange, len(texts))
	var problems *function.FuncError
	for i, text := range texts {
		r, err := space.ParseRange(text)
		if err != nil {
			const expected = "Expected is a prefix such as 10.244.0.0/16, a range such as 10.2.99.10-10.2.99.50, or an address."
			problems = function.ConcatFuncErrors(problems, argumentError(index+int64(i), err, expected))
		}
		ranges[i] = r
	}
	return ranges, problems
}

// parsePrefix reads the prefix that is the argument at the given index.
func parsePrefix(index int64, text string) (netip.Prefix, *function.FuncError) {
	prefix, err := space.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, argumentError(index, err, "Expected is a prefix such as 10.244.0.0/16 or fd00:10:244::/56.")
	}
	return prefix, nil
}

// argumentError returns err as the error of an argument. What is expected is
// said only where the error itself does not name a text that is right.
func argumentError(index int64, err error, expected string) *function.FuncError {
	text := sentence(err.Error())
	var syntax *space.SyntaxError
	if !errors.As(err, &syntax) || syntax.Suggestion == "" {
		text += " " + expected
	}
	return function.NewArgumentFuncError(index, text)
}

// formatPrefixes returns the addresses of all ranges as the shortest list of prefixes.
func formatPrefixes(ranges []netipx.IPRange) []string {
	texts := []string{} // not nil, which would be null to Terraform
	for _, p := range space.Prefixes(ranges...) {
		texts = append(texts, p.String())
	}
	return texts
}
