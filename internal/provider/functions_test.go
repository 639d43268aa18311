// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
)

// functionCase is one call of a function. Arguments are texts, or numbers for
// a parameter that is one.
type functionCase struct {
	name string
	args []any
	want string // the result as the framework prints it
	err  string // part of the error text, if an error is expected
	at   int64  // the argument that the error is about
}

// args makes arguments.
func args(values ...any) []any { return values }

// testFunction calls the function as the framework would, for each case.
func testFunction(t *testing.T, constructor func() function.Function, cases []functionCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			got, err := call(t, constructor(), tc.args)
			switch {
			case tc.err != "" && err == nil:
				t.Errorf("got %s, want the error %q", got, tc.err)
			case tc.err != "" && (!strings.Contains(err.Text, tc.err) || err.FunctionArgument == nil || *err.FunctionArgument != tc.at):
				t.Errorf("got the error %q at %v, want %q at %d", err.Text, argument(err), tc.err, tc.at)
			case tc.err == "" && err != nil:
				t.Errorf("got the error %q, want %s", err.Text, tc.want)
			case tc.err == "" && got != tc.want:
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func argument(err *function.FuncError) string {
	if err.FunctionArgument == nil {
		return "no argument"
	}
	return fmt.Sprint(*err.FunctionArgument)
}

func call(t *testing.T, f function.Function, values []any) (string, *function.FuncError) {
	t.Helper()
	var definition function.DefinitionResponse
	f.Definition(t.Context(), function.DefinitionRequest{}, &definition)
	var fixed, variadic []attr.Value
	var variadicTypes []attr.Type
	for i, value := range values {
		if i < len(definition.Definition.Parameters) {
			fixed = append(fixed, argumentValue(t, definition.Definition.Parameters[i].GetType(), value))
			continue
		}
		variadic = append(variadic, argumentValue(t, types.StringType, value))
		variadicTypes = append(variadicTypes, types.StringType)
	}
	if definition.Definition.VariadicParameter != nil {
		fixed = append(fixed, types.TupleValueMust(variadicTypes, variadic))
	}
	result, err := definition.Definition.Return.NewResultData(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	resp := function.RunResponse{Result: result}
	f.Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData(fixed)}, &resp)
	if number, ok := resp.Result.Value().(types.Number); ok && resp.Error == nil {
		return number.ValueBigFloat().Text('f', 0), nil // the framework prints ten digits
	}
	return resp.Result.Value().String(), resp.Error
}

func argumentValue(t *testing.T, kind attr.Type, value any) attr.Value {
	t.Helper()
	switch value := value.(type) {
	case string:
		return types.StringValue(value)
	case int:
		if kind.Equal(types.Int64Type) {
			return types.Int64Value(int64(value))
		}
		return types.NumberValue(big.NewFloat(float64(value)))
	case *big.Float:
		return types.NumberValue(value)
	default:
		t.Fatalf("no argument: %v", value)
		return nil
	}
}

// Each function has a name, a summary and a description of itself and of each
// of its parameters, and refuses null and unknown arguments, so that Terraform
// answers for them.
func TestFunctions_definitions(t *testing.T) {
	names := map[string]bool{}
	for _, constructor := range functions() {
		f := constructor()
		var metadata function.MetadataResponse
		f.Metadata(t.Context(), function.MetadataRequest{}, &metadata)
		if names[metadata.Name] {
			t.Errorf("%s is there twice", metadata.Name)
		}
		names[metadata.Name] = true
		var resp function.DefinitionResponse
		f.Definition(t.Context(), function.DefinitionRequest{}, &resp)
		if resp.Definition.Summary == "" || !strings.HasSuffix(resp.Definition.MarkdownDescription, ".") {
			t.Errorf("%s is not described", metadata.Name)
		}
		parameters := resp.Definition.Parameters
		if variadic := resp.Definition.VariadicParameter; variadic != nil {
			parameters = append(parameters, variadic)
		}
		for _, p := range parameters {
			if p.GetName() == "" || !strings.HasSuffix(p.GetMarkdownDescription(), ".") {
				t.Errorf("%s: parameter %q is not described", metadata.Name, p.GetName())
			}
			if p.GetAllowNullValue() || p.GetAllowUnknownValues() {
				t.Errorf("%s: parameter %q accepts null or unknown", metadata.Name, p.GetName())
			}
		}
	}
}

// functionCalls is a call of each function with one argument from outside,
// which is written %s, and its result when that is "10.244.0.0/16".
var functionCalls = []struct {
	name, call string
	want       knownvalue.Check
}{
	{"address_count", `address_count(%s, "fd00::/64")`, knownvalue.NumberExact(integer("18446744073709617152"))},
	{"cidr_to_range", `cidr_to_range(%s)`, knownvalue.StringExact("10.244.0.0-10.244.255.255")},
	{"contains", `contains("10.0.0.0/8", [%s, "10.1.0.0/16"]...)`, knownvalue.Bool(true)},
	{"first_free", `first_free("10.240.0.0/12", 16, "10.240.0.0/14", %s)`, knownvalue.StringExact("10.245.0.0/16")},
	{"is_canonical", `is_canonical(%s)`, knownvalue.Bool(true)},
	{"nth_address", `nth_address(%s, -2)`, knownvalue.StringExact("10.244.255.254")},
	{"overlaps", `overlaps([%s, "10.244.248.0/21"]...)`, knownvalue.Bool(true)},
	{"range_to_cidrs", `range_to_cidrs(%s)`, knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("10.244.0.0/16")})},
	{"subtract", `subtract(%s, "10.244.128.0/17")`, knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("10.244.0.0/17")})},
	{"union", `union(%s, "10.245.0.0/16")`, knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("10.244.0.0/15")})},
}

// integer returns the number that the digits are, as Terraform holds it.
func integer(digits string) *big.Float {
	n, _, err := big.ParseFloat(digits, 10, 512, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return n
}

// outputs calls each function with the given argument in an output of its name.
func outputs(argument string) string {
	var config strings.Builder
	for _, f := range functionCalls {
		fmt.Fprintf(&config, "output %q {\n  value = provider::cidrplan::%s\n}\n", f.name, fmt.Sprintf(f.call, argument))
	}
	return config.String()
}

var functionVersions = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)}

func TestFunctions_known(t *testing.T) {
	var planned []plancheck.PlanCheck
	var applied []statecheck.StateCheck
	for _, f := range functionCalls {
		planned = append(planned, plancheck.ExpectKnownOutputValue(f.name, f.want))
		applied = append(applied, statecheck.ExpectKnownOutputValue(f.name, f.want))
	}
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		TerraformVersionChecks:   functionVersions,
		Steps: []resource.TestStep{{
			Config:            outputs(`"10.244.0.0/16"`),
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: planned},
			ConfigStateChecks: applied,
		}},
	})
}

func TestFunctions_unknown(t *testing.T) {
	var planned []plancheck.PlanCheck
	var applied []statecheck.StateCheck
	for _, f := range functionCalls {
		planned = append(planned, plancheck.ExpectUnknownOutputValue(f.name))
		applied = append(applied, statecheck.ExpectKnownOutputValue(f.name, f.want))
	}
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		TerraformVersionChecks:   functionVersions,
		Steps: []resource.TestStep{{
			Config: `
resource "terraform_data" "cidr" {
  input = "10.244.0.0/16"
}
` + outputs("terraform_data.cidr.output"),
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: planned},
			ConfigStateChecks: applied,
		}},
	})
}

func TestFunctions_null(t *testing.T) {
	var steps []resource.TestStep
	for _, f := range functionCalls {
		steps = append(steps, resource.TestStep{
			Config:      fmt.Sprintf("output %q {\n  value = provider::cidrplan::%s\n}\n", f.name, fmt.Sprintf(f.call, "null")),
			ExpectError: regexp.MustCompile(`(?s)Invalid\s+function\s+argument.*must\s+not\s+be\s+null`),
		})
	}
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		TerraformVersionChecks:   functionVersions,
		Steps:                    steps,
	})
}

// An error names the parameter and the right text.
func TestFunctions_error(t *testing.T) {
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		TerraformVersionChecks:   functionVersions,
		Steps: []resource.TestStep{{
			Config:      `output "x" { value = provider::cidrplan::overlaps("10.0.0.0/8", "10.244.1.0/16") }`,
			ExpectError: regexp.MustCompile(`(?s)Invalid\s+value\s+for\s+"cidr"\s+parameter:\s+"10\.244\.1\.0/16"\s+has\s+host\s+bits\s+set;\s+use\s+"10\.244\.0\.0/16"\.`),
		}},
	})
}
