#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0

# fuzz.sh TIME: run each fuzz target of the project for that long, one after
# the other, since go test takes a single target at a time.
set -euo pipefail

time=${1:?usage: tools/fuzz.sh TIME, such as 10s or 1000x}
cd "$(dirname "$0")/.."

go list ./internal/... | while IFS= read -r package; do
	go test -list '^Fuzz' "$package" | { grep '^Fuzz' || true; } | while IFS= read -r target; do
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package"
	done
done
