// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

var _ function.Function = (*containsFunction)(nil)

// containsFunction tells whether its first argument holds all the others.
type containsFunction struct{}

// NewContainsFunction returns the function contains.
func NewContainsFunction() function.Function { return &containsFunction{} }

// Metadata names the function.
func (*containsFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "contains"
}

// Definition describes the arguments and the result.
func (*containsFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Whether a prefix or range contains all of the others",
		MarkdownDescription: "Returns `true` if each address of `cidr...` lies in `container`, and `false` otherwise. " +
			"An address of the other family never does; without `cidr` the result is `true`. A list is passed as `list...`.",
		Parameters: []function.Parameter{
			function.StringParameter{
				Name:                "container",
				MarkdownDescription: "What the others should lie in: " + addressesForm,
			},
		},
		VariadicParameter: addressesParameter(),
		Return:            function.BoolReturn{},
	}
}

// Run compares the sets.
func (*containsFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var container string
	var texts []string
	if resp.Error = req.Arguments.Get(ctx, &container, &texts); resp.Error != nil {
		return
	}
	whole, wholeErr := parseRanges(0, []string{container})
	ranges, rangesErr := parseRanges(1, texts)
	if resp.Error = function.ConcatFuncErrors(wholeErr, rangesErr); resp.Error != nil {
		return
	}
	resp.Error = resp.Result.Set(ctx, space.ContainsAll(whole, ranges))
}
