// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"path/filepath"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

var (
	_ basetypes.StringTypable                    = filePathType{}
	_ basetypes.StringValuableWithSemanticEquals = filePathValue{}
)

// filePathType is the type of a path of a file: a string that is kept as it is
// written, never made absolute, and that equals another spelling of itself.
type filePathType struct{ basetypes.StringType }

// filePathValue is a path of a file.
type filePathValue struct{ basetypes.StringValue }

func newFilePath(path string) filePathValue {
	return filePathValue{types.StringValue(path)}
}

// Equal reports whether another type is the same.
func (t filePathType) Equal(o attr.Type) bool {
	other, ok := o.(filePathType)
	return ok && t.StringType.Equal(other.StringType)
}

// String names the type.
func (t filePathType) String() string { return "filePathType" }

// ValueFromString makes a path of a string.
func (t filePathType) ValueFromString(_ context.Context, in basetypes.StringValue) (basetypes.StringValuable, diag.Diagnostics) {
	return filePathValue{in}, nil
}

// ValueFromTerraform makes a path of a value of the protocol.
func (t filePathType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.StringType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	text, ok := value.(basetypes.StringValue)
	if !ok {
		return filePathValue{types.StringUnknown()}, nil
	}
	return filePathValue{text}, nil
}

// ValueType returns the empty value of the type.
func (t filePathType) ValueType(context.Context) attr.Value { return filePathValue{} }

// Type returns the type of the value.
func (v filePathValue) Type(context.Context) attr.Type { return filePathType{} }

// Equal reports whether another value is the same, letter by letter.
func (v filePathValue) Equal(o attr.Value) bool {
	other, ok := o.(filePathValue)
	return ok && v.StringValue.Equal(other.StringValue)
}

// StringSemanticEquals reports whether both spell the same path: ./a and a.
func (v filePathValue) StringSemanticEquals(_ context.Context, other basetypes.StringValuable) (bool, diag.Diagnostics) {
	o, ok := other.(filePathValue)
	return ok && samePath(v.ValueString(), o.ValueString()), nil
}

func samePath(a, b string) bool { return filepath.Clean(a) == filepath.Clean(b) }

// keepSpelling is a plan modifier for a path that identifies a resource: another
// path replaces the resource, another spelling of the same path is no change.
type keepSpelling struct{}

// Description says what the modifier does.
func (keepSpelling) Description(context.Context) string {
	return "A new path replaces the resource; another spelling of the same path changes nothing."
}

// MarkdownDescription says what the modifier does.
func (m keepSpelling) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

// PlanModifyString keeps the spelling in the state where it means the same.
func (keepSpelling) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	if req.StateValue.IsNull() || req.PlanValue.IsUnknown() || req.PlanValue.IsNull() {
		return
	}
	if samePath(req.StateValue.ValueString(), req.PlanValue.ValueString()) {
		resp.PlanValue = req.StateValue
		return
	}
	resp.RequiresReplace = true
}
