#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0

# tool.sh NAME: print the path of a tool that tools/NAME pins, building it
# with the Go toolchain if this version is not in the cache yet.
#
# A binary is kept outside the tree, so that it survives a fresh clone, and is
# named by all that decides what it is: its version, the Go version and the
# checksums of its dependencies. It is built aside and renamed into place, so
# that a build that is interrupted, or that runs twice at once, leaves nothing
# half-written.
set -euo pipefail

name=${1:?usage: tools/tool.sh NAME, where tools/NAME/go.mod names the tool}
cd "$(dirname "$0")/$name"

cache=${CIDRPLAN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/terraform-provider-cidrplan}/tools
package=$(go list -f '{{.ImportPath}}' tool)
version=$(go list -f '{{.Module.Version}}' tool)
sums=$(cat go.mod go.sum | cksum | cut -d ' ' -f 1)
binary=$cache/$name-$version-$(go env GOVERSION)-$sums/${package##*/}$(go env GOEXE)

if [ ! -x "$binary" ]; then
	mkdir -p "${binary%/*}"
	exec 9>"${binary%/*}/lock"
	if command -v flock >/dev/null; then
		flock 9 # the second of two builds waits for the first one's result
	fi
	if [ ! -x "$binary" ]; then
		echo "building ${package##*/} $version (once; kept in $cache)" >&2
		partial=$(mktemp -d "${binary%/*}/build.XXXXXX")
		trap 'rm -rf "$partial"' EXIT
		# Left alone, OpenTofu built from source calls itself a development version.
		CGO_ENABLED=0 go build -trimpath -o "$partial/" \
			-ldflags '-s -w -X github.com/opentofu/opentofu/version.dev=no' "$package" >&2
		mv -f "$partial/${binary##*/}" "$binary"
	fi
fi
echo "$binary"
