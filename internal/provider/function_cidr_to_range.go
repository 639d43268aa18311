// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"go4.org/netipx"
)

var _ function.Function = (*cidrToRangeFunction)(nil)

// cidrToRangeFunction writes a prefix as a range.
type cidrToRangeFunction struct{}

// NewCIDRToRangeFunction returns the function cidr_to_range.
func NewCIDRToRangeFunction() function.Function { return &cidrToRangeFunction{} }

// Metadata names the function.
func (*cidrToRangeFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "cidr_to_range"
}

// Definition describes the arguments and the result.
func (*cidrToRangeFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "The first and the last address of a prefix, as a range",
		MarkdownDescription: "Returns a prefix in the form `first-last`, both addresses included, such as `10.244.248.0-10.244.255.255`, " +
			"for consumers that take ranges. Kube-OVN's `excludeIps` wants `..` instead of `-`: use `replace(range, \"-\", \"..\")`.",
		Parameters: []function.Parameter{
			prefixParameter(),
		},
		Return: function.StringReturn{},
	}
}

// Run formats the bounds.
func (*cidrToRangeFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	if resp.Error = req.Arguments.Get(ctx, &text); resp.Error != nil {
		return
	}
	prefix, err := parsePrefix(0, text)
	if resp.Error = err; err != nil {
		return
	}
	resp.Error = resp.Result.Set(ctx, netipx.RangeOfPrefix(prefix).String())
}
