// SPDX-License-Identifier: MPL-2.0

package provider

import "github.com/hashicorp/terraform-plugin-framework/resource"

// resources lists every resource that the provider serves.
func resources() []func() resource.Resource {
	return append([]func() resource.Resource{NewPlanFileResource, func() resource.Resource { return &textBlockResource{} }}, writerResources()...)
}
