// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ function.Function = (*unionFunction)(nil)

// unionFunction joins sets of addresses.
type unionFunction struct{}

// NewUnionFunction returns the function union.
func NewUnionFunction() function.Function { return &unionFunction{} }

// Metadata names the function.
func (*unionFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "union"
}

// Definition describes the arguments and the result.
func (*unionFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "The shortest list of prefixes with the addresses of all arguments",
		MarkdownDescription: "Returns the addresses of all arguments as the shortest list of prefixes, ascending, IPv4 first. " +
			"Overlaps and duplicates disappear, and neighbours are joined where they form a larger prefix. A list is passed as `list...`.",
		VariadicParameter: addressesParameter(),
		Return:            function.ListReturn{ElementType: types.StringType},
	}
}

// Run joins the sets.
func (*unionFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var texts []string
	if resp.Error = req.Arguments.Get(ctx, &texts); resp.Error != nil {
		return
	}
	ranges, err := parseRanges(0, texts)
	if resp.Error = err; err != nil {
		return
	}
	resp.Error = resp.Result.Set(ctx, formatPrefixes(ranges))
}
