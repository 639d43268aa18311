#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0

# docs.sh generate: write docs/ from the provider's schema, templates/ and
# examples/.
# docs.sh check: fail if docs/ is not what generate would write, or not what
# the registry accepts.
#
# Neither needs a network: the schema comes from the provider built here, by
# way of dev_overrides, which need no init. docs/ is replaced as a whole, so
# that a page goes when its template or its resource does.
set -euo pipefail

mode=${1:?usage: tools/docs.sh generate|check}
cd "$(dirname "$0")/.."

if [ -z "${TF_ACC_TERRAFORM_PATH:-}" ]; then
	exec tools/cli.sh "$0" "$mode"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# schema FILE: write the schema of the provider as it is in this tree.
schema() {
	go build -o "$work/bin/terraform-provider-cidrplan$(go env GOEXE)" .

	# Without a host the address means cidrplan/cidrplan for either CLI.
	cat >"$work/dev.tfrc" <<-END
		provider_installation {
		  dev_overrides { "cidrplan/cidrplan" = "$work/bin" }
		  direct {}
		}
	END
	mkdir "$work/config"
	cat >"$work/config/main.tf" <<-'END'
		terraform {
		  required_providers {
		    cidrplan = { source = "cidrplan/cidrplan" }
		  }
		}
	END

	# tfplugindocs looks for the provider by its bare name.
	TF_CLI_CONFIG_FILE=$work/dev.tfrc "$TF_ACC_TERRAFORM_PATH" -chdir="$work/config" providers schema -json \
		2>"$work/schema.log" | sed 's|"[^"]*/cidrplan/cidrplan":|"cidrplan":|' >"$1" || {
		cat "$work/schema.log" >&2
		return 1
	}
}

# render DIRECTORY SCHEMA: lay out a provider directory there, with its docs.
render() {
	mkdir "$1"
	cp -R templates examples "$1/"
	"$tfplugindocs" generate --provider-dir "$1" --provider-name cidrplan --providers-schema "$2" >"$work/render.log" 2>&1 || {
		cat "$work/render.log" >&2
		return 1
	}
}

tfplugindocs=$(tools/tool.sh docs)
schema "$work/schema.json"
render "$work/tree" "$work/schema.json"

case $mode in
generate)
	rm -rf docs
	cp -R "$work/tree/docs" docs
	;;
check)
	"$tfplugindocs" validate --provider-dir "$work/tree" --provider-name cidrplan --providers-schema "$work/schema.json" >"$work/validate.log" 2>&1 || {
		cat "$work/validate.log" >&2
		exit 1
	}
	diff -ru docs "$work/tree/docs" || {
		echo "docs/ differs from its sources: run 'make generate' and commit the result" >&2
		exit 1
	}
	"$TF_ACC_TERRAFORM_PATH" fmt -check -recursive -diff examples || {
		echo "examples/ is not formatted: run 'make fmt'" >&2
		exit 1
	}
	;;
*)
	echo "usage: tools/docs.sh generate|check" >&2
	exit 2
	;;
esac
