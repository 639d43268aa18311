// SPDX-License-Identifier: MPL-2.0

// Command terraform-provider-cidrplan is the Terraform provider for network
// address planning of Kubernetes sites. Terraform and OpenTofu start it; a
// person only starts it with -debug, to attach a debugger.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/provider"
)

// version is set by the release build.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "wait for a debugger and print how Terraform reaches this process")
	flag.Parse()

	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address: "registry.terraform.io/cidrplan/cidrplan",
		Debug:   *debug,
	})
	if err != nil {
		log.Fatal(err)
	}
}
