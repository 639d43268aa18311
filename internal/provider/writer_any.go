// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// anyMap turns an object or map of any values into values of the editor. known is
// false while a part of it is not known.
func anyMap(ctx context.Context, at path.Path, value types.Dynamic, diags *diag.Diagnostics) (out map[string]any, known bool) {
	if value.IsUnknown() || value.IsUnderlyingValueUnknown() {
		return nil, false
	}
	if value.IsNull() {
		return nil, true
	}
	converted, known := anyValue(ctx, value.UnderlyingValue())
	if !known {
		return nil, false
	}
	out, ok := converted.(map[string]any)
	if !ok {
		diags.AddAttributeError(at, "Not an Object", fmt.Sprintf("Here stands %s, but what is set is an object of field paths with their values: { \"spec.values.trustedProxies\" = … }.", value.UnderlyingValue().Type(ctx)))
	}
	return out, true
}

// anyValue converts a value of any type; numbers keep every digit.
func anyValue(ctx context.Context, value attr.Value) (out any, known bool) {
	if value.IsUnknown() {
		return nil, false
	}
	if value.IsNull() {
		return nil, true
	}
	switch v := value.(type) {
	case basetypes.DynamicValue:
		return anyValue(ctx, v.UnderlyingValue())
	case basetypes.StringValue:
		return v.ValueString(), true
	case basetypes.BoolValue:
		return v.ValueBool(), true
	case basetypes.NumberValue:
		return json.Number(v.ValueBigFloat().Text('f', -1)), true
	case basetypes.ObjectValue:
		return anyMembers(ctx, v.Attributes())
	case basetypes.MapValue:
		return anyMembers(ctx, v.Elements())
	case interface{ Elements() []attr.Value }: // lists, sets and tuples
		list := []any{}
		for _, element := range v.Elements() {
			item, itemKnown := anyValue(ctx, element)
			if !itemKnown {
				return nil, false
			}
			list = append(list, item)
		}
		return list, true
	}
	return nil, true
}

func anyMembers(ctx context.Context, members map[string]attr.Value) (any, bool) {
	out := map[string]any{}
	for key, member := range members {
		value, known := anyValue(ctx, member)
		if !known {
			return nil, false
		}
		out[key] = value
	}
	return out, true
}
