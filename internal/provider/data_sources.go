// SPDX-License-Identifier: MPL-2.0

package provider

import "github.com/hashicorp/terraform-plugin-framework/datasource"

// dataSources lists every data source that the provider serves.
func dataSources() []func() datasource.DataSource {
	return append([]func() datasource.DataSource{NewSiteDataSource, NewFleetDataSource, NewPlanDataSource, NewAuditDataSource, NewDiscoveryDataSource}, writerDataSources()...)
}
