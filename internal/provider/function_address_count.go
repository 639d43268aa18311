// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

var _ function.Function = (*addressCountFunction)(nil)

// addressCountFunction counts addresses.
type addressCountFunction struct{}

// NewAddressCountFunction returns the function address_count.
func NewAddressCountFunction() function.Function { return &addressCountFunction{} }

// Metadata names the function.
func (*addressCountFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "address_count"
}

// Definition describes the arguments and the result.
func (*addressCountFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "The number of addresses in the given prefixes and ranges",
		MarkdownDescription: "Returns how many different addresses the arguments have together: one in several of them counts once. " +
			"The number is exact for IPv6 too, where it may have 39 digits. All addresses count, also the network and the broadcast address. " +
			"Without arguments it is 0. A list is passed as `list...`.",
		VariadicParameter: addressesParameter(),
		Return:            function.NumberReturn{},
	}
}

// Run counts the union.
func (*addressCountFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var texts []string
	if resp.Error = req.Arguments.Get(ctx, &texts); resp.Error != nil {
		return
	}
	ranges, err := parseRanges(0, texts)
	if resp.Error = err; err != nil {
		return
	}
	resp.Error = resp.Result.Set(ctx, new(big.Float).SetInt(space.Count(ranges...)))
}
