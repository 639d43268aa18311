// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ function.Function = (*rangeToCIDRsFunction)(nil)

// rangeToCIDRsFunction writes a range as prefixes.
type rangeToCIDRsFunction struct{}

// NewRangeToCIDRsFunction returns the function range_to_cidrs.
func NewRangeToCIDRsFunction() function.Function { return &rangeToCIDRsFunction{} }

// Metadata names the function.
func (*rangeToCIDRsFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "range_to_cidrs"
}

// Definition describes the arguments and the result.
func (*rangeToCIDRsFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "The shortest list of prefixes for a range",
		MarkdownDescription: "Returns the addresses of a range as the shortest list of prefixes in ascending order, " +
			"for consumers that take no ranges. The inverse of `cidr_to_range`.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "range",
				MarkdownDescription: "The range: " + addressesForm,
			},
		},
		Return: function.ListReturn{ElementType: types.StringType},
	}
}

// Run splits the range.
func (*rangeToCIDRsFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	if resp.Error = req.Arguments.Get(ctx, &text); resp.Error != nil {
		return
	}
	ranges, err := parseRanges(0, []string{text})
	if resp.Error = err; err != nil {
		return
	}
	resp.Error = resp.Result.Set(ctx, formatPrefixes(ranges))
}
