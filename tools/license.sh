#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0

# license.sh: fail if a Go file does not begin with the licence line and an
# empty line. The empty line keeps it out of the package's documentation.
set -euo pipefail
cd "$(dirname "$0")/.."

git ls-files --cached --others --exclude-standard '*.go' | while IFS= read -r file; do
	[ -f "$file" ] || continue # deleted, but still in the index
	if [ "$(head -n 2 "$file")" != '// SPDX-License-Identifier: MPL-2.0' ]; then
		echo "$file: must begin with the line '// SPDX-License-Identifier: MPL-2.0' and an empty line"
	fi
done | {
	! grep .
}
