#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0

# demo.sh: the main job on real input. Two sites, with the repositories that
# people have before their first install, get one plan each, and the plan is
# written into every file that repeats it. A third, wrong declaration is refused.
#
# The provider is used as anybody would use it, through init from a mirror. The
# demo checks what it shows: it fails if a plan, a file or a refusal is not what
# it promises.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${TF_ACC_TERRAFORM_PATH:-}" ]; then
	exec tools/cli.sh tools/demo.sh
fi

cli=$TF_ACC_TERRAFORM_PATH
name=$(basename "$cli")
scratch=$(mktemp -d "${TMPDIR:-/tmp}/cidrplan-demo.XXXXXX")

bold='' plain=''
if [ -t 1 ]; then bold=$'\033[1m' plain=$'\033[0m'; fi

say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }

# promise FILE TEXT: fail if a file does not hold a text.
promise() {
	if ! grep -qF -- "$2" "$1"; then
		echo "demo: '$2' is missing in $1" >&2
		exit 1
	fi
}

mirror() {
	local version=0.0.1 platform
	platform=$(go env GOOS)_$(go env GOARCH)
	local folder=$scratch/mirror/$TF_ACC_PROVIDER_HOST/cidrplan/cidrplan/$version/$platform
	mkdir -p "$folder"
	go build -o "$folder/terraform-provider-cidrplan_v$version$(go env GOEXE)" .
	cat >"$scratch/cli.tfrc" <<-END
		provider_installation {
		  filesystem_mirror {
		    path    = "$scratch/mirror"
		    include = ["cidrplan/cidrplan"]
		  }
		  direct {
		    exclude = ["cidrplan/cidrplan"]
		  }
		}
	END
	export TF_CLI_CONFIG_FILE=$scratch/cli.tfrc
}

# run WHAT ARGUMENT...: the command as typed, its chatter kept in a log.
run() {
	printf '%s$ %s %s%s\n' "$bold" "$name" "$*" "$plain"
	if ! "$cli" "$@" >"$scratch/log" 2>&1; then
		cat "$scratch/log" >&2
		exit 1
	fi
}

# plan_site FOLDER PLAN_FILE: init, apply, and what came of it.
plan_site() {
	cp -R "examples/$1" "$scratch/$1"
	cp -R "examples/$1/repositories" "$scratch/$1.before"
	cd "$scratch/$1"
	run init -no-color
	run apply -no-color -auto-approve
	grep '^Apply complete' "$scratch/log"
	run output -raw summary
	cat "$scratch/log"
	printf '%s$ diff -ruN ../%s.before repositories%s\n' "$bold" "$1" "$plain"
	# Differing files are what is to be seen; only trouble (2) is a failure.
	diff -ruN "$scratch/$1.before" repositories >"$scratch/diff" || [ $? -eq 1 ]
	sed -n -e "s|^+++ \([^[:space:]]*\).*|+++ \1|" -e '/^---/!{/^diff/!p;}' "$scratch/diff"
	run plan -no-color -detailed-exitcode
	grep '^No changes' "$scratch/log"
	cd - >/dev/null
}

say "One plan for a site, and in every file. (the work folder stays: $scratch)"
mirror

say "Site one: Cozystack on Talos. Both repositories say 10.244.0.0/16, as the guide wants it: Kube-OVN hands it out to pods, and every Cilium agent takes addresses out of it."
plan_site cozystack
promise "$scratch/cozystack/dc1.cidrplan.json" '"10.244.248.0/21"'
promise "$scratch/cozystack/dc1.cidrplan.json" '"100.66.0.0/16"'
promise "$scratch/cozystack/repositories/talos/values.yaml" 'advertisedSubnets:'
promise "$scratch/cozystack/repositories/platform/cozystack-networking.yaml" 'EXCLUDE_IPS: 10.244.248.0..10.244.255.255'
promise "$scratch/cozystack/repositories/platform/cozystack-networking.yaml" 'clusterPoolIPv4MaskSize: 29'
promise "$scratch/cozystack/repositories/platform/cozystack-platform.yaml" '# must match the cluster, says the guide'

say "Site two: K3s with Flux. Cilium runs the chart's default pool 10.0.0.0/8, which covers the office network 10.2.0.0/16 and is not what the Nodes say."
plan_site k3s-flux
promise "$scratch/k3s-flux/repositories/k3s/config.yaml" 'cluster-cidr: 10.42.0.0/16'
promise "$scratch/k3s-flux/repositories/k3s/config.yaml" 'service-cidr: 10.43.0.0/16'
promise "$scratch/k3s-flux/repositories/flux/cilium.yaml" 'requireIPv4PodCIDR: true'
if grep -q clusterPool "$scratch/k3s-flux/repositories/flux/cilium.yaml"; then
	echo "demo: a pool entry is left in the HelmRelease" >&2
	exit 1
fi

say "A wrong declaration: Cilium's pool outside the ranges that Kube-OVN masquerades, with Gateway API on."
cp -R examples/cozystack-wrong "$scratch/cozystack-wrong"
cd "$scratch/cozystack-wrong"
printf '%s$ cat main.tf%s\n' "$bold" "$plain"
sed -n '/^data/,$p' main.tf
run init -no-color
printf '%s$ %s plan%s\n' "$bold" "$name" "$plain"
if "$cli" plan -no-color >"$scratch/log" 2>&1; then
	echo "demo: the wrong declaration was planned" >&2
	exit 1
fi
sed -n '/Error:/,$p' "$scratch/log"
promise "$scratch/log" '100.65.0.0/16'
promise "$scratch/log" '503'
promise "$scratch/log" '10.244.248.0/21'

say "Look around: $scratch/cozystack and $scratch/k3s-flux are as the commands left them."
