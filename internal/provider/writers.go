// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/ciliumvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/cozystackvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/k3sconfig"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/talmvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/talospatch"
)

// consumers is the table of everything that reads facts of the plan from a file.
// The resource, the data source and the documentation of each follow from it.
func consumers() []artifact.Consumer {
	return []artifact.Consumer{
		ciliumvalues.Consumer(),
		cozystackvalues.Consumer(),
		k3sconfig.Consumer(),
		talmvalues.Consumer(),
		talospatch.Consumer(),
	}
}

// writerResources makes the resource of each consumer.
func writerResources() []func() resource.Resource {
	var out []func() resource.Resource
	for _, c := range consumers() {
		if c.Whole {
			out = append(out, func() resource.Resource { return &wholeFileResource{writer{c}} })
			continue
		}
		out = append(out, func() resource.Resource { return &ownedFieldsResource{writer{c}} })
	}
	return out
}

// writerDataSources makes the data source of each consumer.
func writerDataSources() []func() datasource.DataSource {
	var out []func() datasource.DataSource
	for _, c := range consumers() {
		out = append(out, func() datasource.DataSource { return &writerDataSource{writer{c}} })
	}
	return out
}
