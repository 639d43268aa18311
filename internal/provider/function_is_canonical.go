// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

var _ function.Function = (*isCanonicalFunction)(nil)

// isCanonicalFunction tells whether a text is a prefix in its one canonical form.
type isCanonicalFunction struct{}

// NewIsCanonicalFunction returns the function is_canonical.
func NewIsCanonicalFunction() function.Function { return &isCanonicalFunction{} }

// Metadata names the function.
func (*isCanonicalFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "is_canonical"
}

// Definition describes the arguments and the result.
func (*isCanonicalFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Whether a text is a prefix in canonical form",
		MarkdownDescription: "Returns `true` if the text is a prefix in the one form in which it compares as text: no host bits, no leading zeros, " +
			"the shortest lower-case spelling of IPv6 (RFC 5952), and no IPv4-mapped IPv6. Any other text gives `false` and no error, " +
			"so that it can stand in the `condition` of a `validation` block.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "cidr",
				MarkdownDescription: "Any text.",
			},
		},
		Return: function.BoolReturn{},
	}
}

// Run judges the text.
func (*isCanonicalFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var text string
	if resp.Error = req.Arguments.Get(ctx, &text); resp.Error != nil {
		return
	}
	resp.Error = resp.Result.Set(ctx, space.IsCanonical(text))
}
