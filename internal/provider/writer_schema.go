// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"strings"

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
			MarkdownDescription: "Whether Cilium's IPAM mode or a pool entry that stands in the file may be changed although the site is `existing`. On a live cluster that edit alone does nothing and looks healthy, or cuts pods off: it is one step of a migration. Default: `false`."}
	}
	return resource.Schema{MarkdownDescription: w.consumer.Purpose, Attributes: attributes}
}

func (w writer) documentDefault() string {
	if w.consumer.Guards {
		return "Default: the object that the consumer reads, by kind and name."
	}
	return "Default: the only document."
}

// wholeSchema describes a consumer that owns its file.
func (w writer) wholeSchema() resource.Schema {
	attributes := w.resourceAttributes(onDestroyDelete, onDestroyKeep, onDestroyDelete)
	attributes["content"] = resource.StringAttribute{Computed: true,
		MarkdownDescription: "The content of the file, known at plan time. Its first line names the site and the digest of the facts that it uses."}
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
				"path":      resource.StringAttribute{Computed: true, MarkdownDescription: "Path of the file."},
				"key_paths": resource.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Key paths of the fields; null for the whole file."},
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
		return resource.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: o.Description}
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

// dataSourceSchema describes the data source of a consumer.
func (w writer) dataSourceSchema() datasource.Schema {
	attributes := map[string]datasource.Attribute{
		"plan":    datasource.StringAttribute{Required: true, MarkdownDescription: planDescription},
		"content": datasource.StringAttribute{Computed: true, MarkdownDescription: w.consumer.Fragment},
	}
	for _, o := range w.consumer.Options {
		switch o.Type {
		case artifact.Bool:
			attributes[o.Name] = datasource.BoolAttribute{Optional: true, MarkdownDescription: o.Description}
		case artifact.StringList:
			attributes[o.Name] = datasource.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: o.Description}
		default:
			attributes[o.Name] = datasource.StringAttribute{Required: o.Required, Optional: !o.Required, MarkdownDescription: o.Description, Validators: allowedValues(o)}
		}
	}
	return datasource.Schema{
		MarkdownDescription: "Returns what the resource `cidrplan_" + w.consumer.Name + "` writes, for whoever feeds another provider: " + w.consumer.Fragment,
		Attributes:          attributes,
	}
}
