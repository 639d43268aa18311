// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

var _ function.Function = (*firstFreeFunction)(nil)

// firstFreeFunction finds room in a prefix.
type firstFreeFunction struct{}

// NewFirstFreeFunction returns the function first_free.
func NewFirstFreeFunction() function.Function { return &firstFreeFunction{} }

// Metadata names the function.
func (*firstFreeFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "first_free"
}

// Definition describes the arguments and the result.
func (*firstFreeFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "The lowest free prefix of a given length",
		MarkdownDescription: "Returns the lowest prefix of the given length in `space` that has no address in common with `taken...`. " +
			"It is an error if there is none; the error names the largest block that is left. The result depends on the arguments alone, so a prefix that becomes free " +
			"below moves it: what must stay belongs into the plan of a `cidrplan_site`, or into a literal. A list is passed as `list...`.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "space",
				MarkdownDescription: "Where to look: " + addressesForm,
			},
			function.Int64Parameter{
				Name:                "length",
				MarkdownDescription: "The prefix length of the result: 1 to 32 in IPv4, 1 to 128 in IPv6.",
			},
		},
		VariadicParameter: function.StringParameter{
			Name:                "taken",
			MarkdownDescription: "What is in use: " + addressesForm + " Parts outside `space` are ignored.",
		},
		Return: function.StringReturn{},
	}
}

// Run reserves what is taken and allocates.
func (*firstFreeFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var spaceText string
	var length int64
	var takenTexts []string
	if resp.Error = req.Arguments.Get(ctx, &spaceText, &length, &takenTexts); resp.Error != nil {
		return
	}
	whole, wholeErr := parseRanges(0, []string{spaceText})
	taken, takenErr := parseRanges(2, takenTexts)
	if resp.Error = function.ConcatFuncErrors(wholeErr, takenErr); resp.Error != nil {
		return
	}
	prefix, err := firstFree(whole[0], length, taken)
	if resp.Error = err; err != nil {
		return
	}
	resp.Error = resp.Result.Set(ctx, prefix.String())
}

// firstFree returns the lowest prefix of the given length in whole that has
// nothing of taken.
func firstFree(whole netipx.IPRange, length int64, taken []netipx.IPRange) (netip.Prefix, *function.FuncError) {
	family := space.FamilyOf(whole.From())
	if length < 1 || length > int64(family.Bits()) {
		return netip.Prefix{}, function.NewArgumentFuncError(1, fmt.Sprintf(
			"There is no /%d in %s, which is %s: the length is a number from 1 to %d.", length, space.FormatRange(whole), family, family.Bits()))
	}
	free := space.NewFree(space.Prefixes(whole)...)
	for _, r := range taken {
		free.Reserve(r)
	}
	prefix, err := free.Allocate(family, int(length))
	var exhausted *space.ExhaustedError
	switch {
	case err == nil:
		return prefix, nil
	case errors.As(err, &exhausted) && exhausted.Largest.IsValid():
		return netip.Prefix{}, function.NewArgumentFuncError(1, fmt.Sprintf(
			"No /%d is free in %s: the largest free block is %s, so a length of %d or more fits.",
			length, space.FormatRange(whole), exhausted.Largest, exhausted.Largest.Bits()))
	default:
		return netip.Prefix{}, function.NewArgumentFuncError(0, fmt.Sprintf("No address is free in %s: all of it is taken.", space.FormatRange(whole)))
	}
}
