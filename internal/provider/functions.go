// SPDX-License-Identifier: MPL-2.0

package provider

import "github.com/hashicorp/terraform-plugin-framework/function"

// functions lists every function that the provider serves.
func functions() []func() function.Function {
	return []func() function.Function{
		NewAddressCountFunction,
		NewCIDRToRangeFunction,
		NewContainsFunction,
		NewFirstFreeFunction,
		NewIsCanonicalFunction,
		NewNthAddressFunction,
		NewOverlapsFunction,
		NewRangeToCIDRsFunction,
		NewSubtractFunction,
		NewUnionFunction,
	}
}
