// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/ansiblevars"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/birdconfig"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/ciliumvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/cozystackvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/fluxsubstitutions"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/k3sconfig"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/kubeadmconfig"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/kubeovnvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/loadbalancerpool"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/nodemovepolicy"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/talmvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/talospatch"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/yamlfields"
)

// consumers is the table of everything that reads facts of the plan from a file.
// The resource, the data source and the documentation of each follow from it.
func consumers() []artifact.Consumer {
	return []artifact.Consumer{
		ansiblevars.Consumer(),
		birdconfig.Consumer(),
		ciliumvalues.Consumer(),
		cozystackvalues.Consumer(),
		fluxsubstitutions.Consumer(),
		k3sconfig.Consumer(),
		kubeadmconfig.Consumer(),
		kubeovnvalues.Consumer(),
		loadbalancerpool.Consumer(),
		nodemovepolicy.Consumer(),
		talmvalues.Consumer(),
		talospatch.Consumer(),
		yamlfields.Consumer(),
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

// writerDataSources makes the data source of each consumer that has one.
func writerDataSources() []func() datasource.DataSource {
	var out []func() datasource.DataSource
	for _, c := range consumers() {
		if c.NoFragment {
			continue
		}
		out = append(out, func() datasource.DataSource { return &writerDataSource{writer{c}} })
	}
	return out
}
