// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

var _ function.Function = (*subtractFunction)(nil)

// subtractFunction takes sets of addresses out of another.
type subtractFunction struct{}

// NewSubtractFunction returns the function subtract.
func NewSubtractFunction() function.Function { return &subtractFunction{} }

// Metadata names the function.
func (*subtractFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "subtract"
}

// Definition describes the arguments and the result.
func (*subtractFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "What is left of a prefix or range without the others",
		MarkdownDescription: "Returns the addresses of `from` that are in none of `cidr...`, as the shortest list of prefixes in ascending order: " +
			"what a carve-out leaves. The list is empty if nothing is left. Parts outside `from` are ignored. A list is passed as `list...`.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "from",
				MarkdownDescription: "What the others are taken out of: " + addressesForm,
			},
		},
		VariadicParameter: addressesParameter(),
		Return:            function.ListReturn{ElementType: types.StringType},
	}
}

// Run subtracts the sets.
func (*subtractFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var from string
	var texts []string
	if resp.Error = req.Arguments.Get(ctx, &from, &texts); resp.Error != nil {
		return
	}
	whole, wholeErr := parseRanges(0, []string{from})
	ranges, rangesErr := parseRanges(1, texts)
	if resp.Error = function.ConcatFuncErrors(wholeErr, rangesErr); resp.Error != nil {
		return
	}
	resp.Error = resp.Result.Set(ctx, formatPrefixes(space.Subtract(whole, ranges)))
}
