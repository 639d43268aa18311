// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resource "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
)

const planDescription = "The plan document as text: `plan` of `data.cidrplan_plan`, of `data.cidrplan_site`, or best of `cidrplan_plan_file`, so that a refused lock stops this file too."

// fieldsSchema describes a consumer that owns fields of somebody's file.
func (w writer) fieldsSchema() resource.Schema {
	attributes := w.resourceAttributes(onDestroyKeep, onDestroyKeep, onDestroyRestore, onDestroyDelete)
	attributes["document"] = resource.SingleNestedAttribute{Optional: true,
		MarkdownDescription: "Which YAML document of the file holds the fields. Only what is given must match. " + w.documentDefault() + " When another one is selected, the former keeps its fields.",
		Attributes: map[string]resource.Attribute{
			"api_version": resource.StringAttribute{Optional: true, MarkdownDescription: "`apiVersion` of the document. Default: any."},
			"kind":        resource.StringAttribute{Optional: true, MarkdownDescription: "`kind` of the document. Default: any."},
			"name":        resource.StringAttribute{Optional: true, MarkdownDescription: "`metadata.name` of the document. Default: any."},
			"namespace":   resource.StringAttribute{Optional: true, MarkdownDescription: "`metadata.namespace` of the document. Default: any."},
			"index":       resource.Int64Attribute{Optional: true, MarkdownDescription: "Place of the document in the file, from 0; empty documents do not count. Default: any."},
		},
	}
	attributes["create_document"] = resource.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(false),
		MarkdownDescription: "Whether a file or document that is missing is created, with the planned fields alone. Default: `false`, which makes it an error."}
	attributes["fields"] = resource.MapAttribute{Computed: true, ElementType: types.StringType,
		MarkdownDescription: "The owned fields that are set, key path to canonical JSON. A field that somebody else changed shows here as a change of exactly that field."}
	attributes["replaced_fields"] = resource.MapAttribute{Computed: true, ElementType: types.StringType,
		MarkdownDescription: "What stood in the owned fields before, key path to canonical JSON; `on_destroy = \"restore\"` puts it back."}
	if w.consumer.Guards {
		attributes["allow_ipam_change"] = resource.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(false),
			MarkdownDescription: "Whether Cilium's IPAM mode, a pool entry, or the range of a Subnet that stands in the file may be changed although the site is `existing`. On a live cluster that edit alone does nothing and looks healthy, or cuts pods off: it is one step of a migration. Default: `false`."}
	}
	return resource.Schema{MarkdownDescription: w.consumer.Purpose, Attributes: attributes}
}

func (w writer) documentDefault() string {
	if len(w.consumer.Documents) > 0 {
		return "Default: the object that the consumer reads, by kind and name."
	}
	return "Default: the only document."
}

// wholeSchema describes a consumer that owns its file.
func (w writer) wholeSchema() resource.Schema {
	attributes := w.resourceAttributes(onDestroyDelete, onDestroyKeep, onDestroyDelete)
	attributes["content"] = resource.StringAttribute{Computed: true,
		MarkdownDescription: "The content of the file, known at plan time. Its first line names the site and the digest of the facts that it uses."}
	if w.consumer.PerHost {
		attributes["path"] = resource.StringAttribute{Optional: true, CustomType: filePathType{}, PlanModifiers: []planmodifier.String{keepSpelling{}},
			MarkdownDescription: "Path of the file. It is kept as written; relative paths start in the folder that Terraform runs in. A new path replaces the resource. Exactly one of `path` and `host_paths` is given."}
		attributes["host_paths"] = resource.MapAttribute{Optional: true, ElementType: types.StringType,
			Validators:          []validator.Map{mapvalidator.SizeAtLeast(1)},
			MarkdownDescription: "Path of a file for each host of the plan, host to path: one resource instance writes them all, each with what is that host's own. A host that goes takes its file along, as `on_destroy` says."}
		attributes["host_contents"] = resource.MapAttribute{Computed: true, ElementType: types.StringType,
			MarkdownDescription: "The content of each host's file, known at plan time; null with `path`."}
	}
	return resource.Schema{MarkdownDescription: w.consumer.Purpose, Attributes: attributes}
}

func (w writer) resourceAttributes(onDestroy string, allowed ...string) map[string]resource.Attribute {
	attributes := map[string]resource.Attribute{
		"plan": resource.StringAttribute{Required: true, MarkdownDescription: planDescription},
		"path": resource.StringAttribute{Required: true, CustomType: filePathType{}, PlanModifiers: []planmodifier.String{keepSpelling{}},
			MarkdownDescription: "Path of the file. It is kept as written; relative paths start in the folder that Terraform runs in. A new path replaces the resource."},
		"on_destroy": resource.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString(onDestroy),
			Validators:          []validator.String{stringvalidator.OneOf(allowed...)},
			MarkdownDescription: onDestroyDescription(onDestroy, allowed)},
		"owned_fields": resource.SingleNestedAttribute{Computed: true,
			MarkdownDescription: "What this resource owns, so that a scan can tell it from a copy by hand.",
			Attributes: map[string]resource.Attribute{
				"paths":     resource.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Paths of the files."},
				"key_paths": resource.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Key paths of the fields; null for whole files."},
			}},
	}
	for _, o := range w.consumer.Options {
		attributes[o.Name] = resourceOption(o)
	}
	return attributes
}

func onDestroyDescription(onDestroy string, allowed []string) string {
	texts := map[string]string{
		onDestroyKeep:    "`keep` leaves the file as it is",
		onDestroyRestore: "`restore` puts back what stood in the fields before",
		onDestroyDelete:  "`delete` takes out what is owned",
	}
	choices := make([]string, len(allowed))
	for i, value := range allowed {
		choices[i] = texts[value]
	}
	return fmt.Sprintf("What happens when the resource is destroyed: %s. Default: `%s`.", strings.Join(choices, ", "), onDestroy)
}

func resourceOption(o artifact.Option) resource.Attribute {
	switch o.Type {
	case artifact.Bool:
		return resource.BoolAttribute{Optional: true, MarkdownDescription: o.Description}
	case artifact.StringList:
		return resource.ListAttribute{Required: o.Required, Optional: !o.Required, ElementType: types.StringType, MarkdownDescription: o.Description}
	case artifact.Int:
		return resource.Int64Attribute{Required: o.Required, Optional: !o.Required, MarkdownDescription: o.Description}
	case artifact.StringMap:
		return resource.MapAttribute{Required: o.Required, Optional: !o.Required, ElementType: types.StringType, MarkdownDescription: o.Description}
	case artifact.AnyMap:
		return resource.DynamicAttribute{Required: o.Required, Optional: !o.Required, MarkdownDescription: o.Description}
	default:
		a := resource.StringAttribute{Required: o.Required, Optional: !o.Required, MarkdownDescription: o.Description, Validators: allowedValues(o)}
		if o.Default != "" {
			a.Computed, a.Default = true, stringdefault.StaticString(o.Default)
		}
		return a
	}
}

func allowedValues(o artifact.Option) []validator.String {
	if len(o.Allowed) == 0 {
		return nil
	}
	return []validator.String{stringvalidator.OneOf(o.Allowed...)}
}

func dataSourceOption(o artifact.Option) datasource.Attribute {
	switch o.Type {
	case artifact.Bool:
		return datasource.BoolAttribute{Required: o.Required, Optional: !o.Required, MarkdownDescription: o.Description}
	case artifact.StringList:
		return datasource.ListAttribute{Required: o.Required, Optional: !o.Required, ElementType: types.StringType, MarkdownDescription: o.Description}
	case artifact.Int:
		return datasource.Int64Attribute{Required: o.Required, Optional: !o.Required, MarkdownDescription: o.Description}
	case artifact.StringMap:
		return datasource.MapAttribute{Required: o.Required, Optional: !o.Required, ElementType: types.StringType, MarkdownDescription: o.Description}
	default:
		return datasource.StringAttribute{Required: o.Required, Optional: !o.Required, MarkdownDescription: o.Description, Validators: allowedValues(o)}
	}
}

// dataSourceSchema describes the data source of a consumer.
func (w writer) dataSourceSchema() datasource.Schema {
	attributes := map[string]datasource.Attribute{
		"plan":    datasource.StringAttribute{Required: true, MarkdownDescription: planDescription},
		"content": datasource.StringAttribute{Computed: true, MarkdownDescription: w.consumer.Fragment},
	}
	for _, o := range w.consumer.Options {
		attributes[o.Name] = dataSourceOption(o)
	}
	if w.consumer.PerHost {
		attributes["hosts"] = datasource.ListAttribute{Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Hosts of the plan for which `host_contents` is computed. Default: none."}
		attributes["host_contents"] = datasource.MapAttribute{Computed: true, ElementType: types.StringType,
			MarkdownDescription: "What is each host's own, host to content."}
	}
	return datasource.Schema{
		MarkdownDescription: "Returns what the resource `cidrplan_" + w.consumer.Name + "` writes, for whoever feeds another provider: " + w.consumer.Fragment,
		Attributes:          attributes,
	}
}
