// SPDX-License-Identifier: MPL-2.0

// Command idleclient is the idle provider with the clients of Kubernetes linked in.
// What its start costs beyond idle's is what a provider pays that could read a
// cluster, before it reads any.
package main

import (
	"log"
	"os"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/cidrplan/terraform-provider-cidrplan/tools/bench/internal/nothing"
)

// clients makes the clients that a kubeconfig leads to. That something calls it
// keeps the linker from leaving them out, which an import alone would not.
func clients(kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	if _, err := dynamic.NewForConfig(config); err != nil {
		return err
	}
	_, err = metadata.NewForConfig(config)
	return err
}

func main() {
	if len(os.Args) > 1 { // never, when Terraform starts it
		if err := clients(os.Args[1]); err != nil {
			log.Fatal(err)
		}
	}
	nothing.Serve()
}
