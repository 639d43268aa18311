// SPDX-License-Identifier: MPL-2.0

// etcd is the store of the API server that tests start.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
