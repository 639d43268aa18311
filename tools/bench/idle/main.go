// SPDX-License-Identifier: MPL-2.0

// Command idle is a Terraform provider that does nothing. What a plan costs with
// it is what Terraform itself and the start of any provider cost, the floor that
// the benchmarks compare with.
package main

import "github.com/cidrplan/terraform-provider-cidrplan/tools/bench/internal/nothing"

func main() { nothing.Serve() }
