#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0

# cli.sh: print the path of the Terraform or OpenTofu binary that this project
# is tested with.
#
# cli.sh COMMAND [ARGUMENT...]: run a command in the environment in which the
# acceptance tests and the documentation reach that binary, and nothing else of
# the developer's own set-up.
#
# CIDRPLAN_CLI chooses the binary: a path, "terraform" or "tofu". Unset, it is
# terraform on the PATH, else tofu on the PATH, else OpenTofu built from source
# with the Go toolchain. A binary that is too old for provider functions counts
# as absent, unless it was asked for by its path.
set -euo pipefail

tools=$(cd "$(dirname "$0")" && pwd)

# usable BINARY OLDEST: is the binary on the PATH, in a version of at least OLDEST?
usable() {
	local found
	found=$(CHECKPOINT_DISABLE=1 "$1" version -json 2>/dev/null |
		sed -n 's/.*"terraform_version": *"\([0-9.]*\).*/\1/p') || return 1
	[ -n "$found" ] && printf '%s\n%s\n' "$2" "$found" | sort -C -t . -k 1,1n -k 2,2n
}

binary() {
	case ${CIDRPLAN_CLI:-} in
	'')
		if usable terraform 1.8; then
			command -v terraform
		elif usable tofu 1.7; then
			command -v tofu
		else
			"$tools/tool.sh" tofu
		fi
		;;
	terraform)
		usable terraform 1.8 || {
			echo "CIDRPLAN_CLI=terraform: no terraform 1.8 or newer on the PATH" >&2
			return 1
		}
		command -v terraform
		;;
	tofu)
		if usable tofu 1.7; then command -v tofu; else "$tools/tool.sh" tofu; fi
		;;
	*)
		command -v "$CIDRPLAN_CLI" || {
			echo "CIDRPLAN_CLI=$CIDRPLAN_CLI: no such program" >&2
			return 1
		}
		;;
	esac
}

cli=$(binary)
if [ $# -eq 0 ]; then
	echo "$cli"
	exit
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# An existing empty file keeps a developer's dev_overrides out. A missing file
# would be a warning, and with OpenTofu the test harness cannot read past it.
: >"$scratch/cli.tfrc"
export TF_CLI_CONFIG_FILE=$scratch/cli.tfrc
export CHECKPOINT_DISABLE=1
export TF_ACC_TERRAFORM_PATH=$cli
unset TF_ACC_TERRAFORM_VERSION # would make the harness download that version

# Terraform and OpenTofu complete a provider address without a host each with a
# host of its own, and the harness must use the same one. The binary tells it.
mkdir "$scratch/probe"
cat >"$scratch/probe/main.tf" <<'END'
terraform {
  required_providers {
    probe = { source = "probe/probe" }
  }
}
END
TF_ACC_PROVIDER_HOST=$("$cli" -chdir="$scratch/probe" providers |
	sed -n 's/.*provider\[\([^/]*\)\/probe\/probe\].*/\1/p' | head -n 1)
export TF_ACC_PROVIDER_HOST

"$@"
