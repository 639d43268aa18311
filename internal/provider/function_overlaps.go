// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

var _ function.Function = (*overlapsFunction)(nil)

// overlapsFunction tells whether any two of its arguments have an address in common.
type overlapsFunction struct{}

// NewOverlapsFunction returns the function overlaps.
func NewOverlapsFunction() function.Function { return &overlapsFunction{} }

// Metadata names the function.
func (*overlapsFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "overlaps"
}

// Definition describes the arguments and the result.
func (*overlapsFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Whether any two of the given prefixes or ranges overlap",
		MarkdownDescription: "Returns `true` if any two of the arguments have an address in common, and `false` otherwise, " +
			"also for fewer than two arguments. Equal arguments overlap; IPv4 and IPv6 never do. A list is passed as `list...`.",
		VariadicParameter: addressesParameter(),
		Return:            function.BoolReturn{},
	}
}

// Run looks for a pair.
func (*overlapsFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var texts []string
	if resp.Error = req.Arguments.Get(ctx, &texts); resp.Error != nil {
		return
	}
	ranges, err := parseRanges(0, texts)
	if resp.Error = err; err != nil {
		return
	}
	pairs, more := space.RangeOverlaps(ranges, 0)
	resp.Error = resp.Result.Set(ctx, len(pairs)+more > 0)
}
