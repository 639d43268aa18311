// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

var _ function.Function = (*nthAddressFunction)(nil)

// nthAddressFunction picks an address of a prefix by its position.
type nthAddressFunction struct{}

// NewNthAddressFunction returns the function nth_address.
func NewNthAddressFunction() function.Function { return &nthAddressFunction{} }

// Metadata names the function.
func (*nthAddressFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "nth_address"
}

// Definition describes the arguments and the result.
func (*nthAddressFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "The address at a position of a prefix",
		MarkdownDescription: "Returns the address at position `n` of a prefix, where 0 is its first address. A negative `n` counts from the end: " +
			"-1 is the last address. The position may be as large as the prefix, in IPv6 too. " +
			"It is an error if the prefix has no such position.",
		Parameters: []function.Parameter{
			prefixParameter(),
			function.NumberParameter{
				Name:                "n",
				MarkdownDescription: "The position, a whole number: 0 is the first address, -1 the last.",
			},
		},
		Return: function.StringReturn{},
	}
}

// Run counts from the start or the end.
func (*nthAddressFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	var number types.Number
	if resp.Error = req.Arguments.Get(ctx, &text, &number); resp.Error != nil {
		return
	}
	prefix, funcErr := parsePrefix(0, text)
	if resp.Error = funcErr; funcErr != nil {
		return
	}
	position, accuracy := number.ValueBigFloat().Int(nil)
	if accuracy != big.Exact {
		resp.Error = function.NewArgumentFuncError(1, "The position "+number.ValueBigFloat().Text('g', 10)+" is no whole number.")
		return
	}
	addr, err := space.Nth(prefix, position)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(1, sentence(err.Error()))
		return
	}
	resp.Error = resp.Result.Set(ctx, addr.String())
}
