#!/usr/bin/env bash
# SPDX-License-Identifier: MPL-2.0

# bird.sh: print the path of a BIRD 2 binary, which says whether an include file
# parses: the system's, if it has one, else the one of Debian's package bird2.
#
# Nothing is installed: the package and the shared libraries that the system lacks
# are unpacked outside the tree, which takes no root. The folder is named by the
# distribution, whose libraries the binary runs with. It is made aside and renamed
# into place, as in tool.sh.
set -euo pipefail

# two BINARY: is this BIRD 2?
two() {
	"$1" --version 2>&1 | grep -q '^BIRD version 2\.'
}

for found in "$(command -v bird || true)" /usr/sbin/bird /usr/local/sbin/bird; do
	if [ -x "$found" ] && two "$found"; then
		echo "$found"
		exit
	fi
done

for program in apt-get apt-cache dpkg dpkg-deb ldd; do
	command -v "$program" >/dev/null || {
		echo "bird.sh: there is no BIRD 2 on the PATH, and without $program none can be had from Debian. Install bird 2 with the system's package manager." >&2
		exit 1
	}
done

cache=${CIDRPLAN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/terraform-provider-cidrplan}/tools
distribution=$(. /etc/os-release && echo "${ID:-debian}-${VERSION_CODENAME:-${VERSION_ID:-unknown}}")
home=$cache/bird-2-$distribution-$(dpkg --print-architecture)
binary=$home/unpacked/bird

# apt COMMAND [ARGUMENT...]: apt-get or apt-cache, with the package lists in use.
# Root stays root, since the user that apt downloads as cannot enter the folder.
lists=()
apt() {
	local command=$1
	shift
	"$command" -qq -o APT::Sandbox::User=root ${lists[@]+"${lists[@]}"} "$@"
}

# own_lists: fetch package lists for this script alone, where the system has none
# or has old ones. Those of the system are root's.
own_lists() {
	mkdir -p "$partial/apt/lists/partial" "$partial/apt/cache/archives/partial"
	lists=(-o "Dir::State::lists=$partial/apt/lists" -o "Dir::Cache=$partial/apt/cache")
	apt apt-get update >&2
}

# unpack PACKAGE...: download packages and unpack them side by side.
unpack() {
	(cd "$partial/packages" && apt apt-get download "$@" >&2) || return 1
	for package in "$partial"/packages/*.deb; do
		dpkg-deb -x "$package" "$partial/root"
		rm "$package"
	done
}

# libraries: the folders below the root that hold shared libraries, as a path.
libraries() {
	find "$partial/root" -name '*.so.*' -printf '%h\n' | sort -u | paste -sd :
}

# missing: the shared libraries that the binary does not find.
missing() {
	LD_LIBRARY_PATH=$(libraries) ldd "$partial/root/usr/sbin/bird" | sed -n 's/^[[:space:]]*\(.*\) => not found$/\1/p'
}

# needed PACKAGE...: the library packages that packages depend on, without the C
# library, which has to be the one that the system's loader belongs to.
needed() {
	apt apt-cache depends --important "$@" | sed -n 's/^ *|\{0,1\}\(Pre\)\{0,1\}Depends: \(lib[^:]*\).*/\2/p' |
		grep -v -x -E 'libc6|libgcc-s1|libcrypt1' | sort -u
}

# fill: make unpacked/bird in the partial folder.
fill() {
	mkdir -p "$partial/packages" "$partial/root"
	unpack bird2 2>/dev/null || {
		own_lists
		unpack bird2
	}
	local packages=(bird2)
	while [ -n "$(missing)" ]; do
		mapfile -t packages < <(needed "${packages[@]}")
		[ ${#packages[@]} -gt 0 ] || break
		unpack "${packages[@]}"
	done
	if [ -n "$(missing)" ]; then
		echo "bird.sh: Debian's bird2 does not run here, it lacks $(missing | paste -sd ' '). Install bird 2 with the system's package manager." >&2
		return 1
	fi
	mkdir -p "$partial/unpacked/lib"
	find "$partial/root" -name 'lib*.so.*' -exec mv -t "$partial/unpacked/lib" {} +
	mv "$partial/root/usr/sbin/bird" "$partial/unpacked/bird.bin"
	cat >"$partial/unpacked/bird" <<'END'
#!/bin/sh
here=$(dirname "$0")
LD_LIBRARY_PATH=$here/lib exec "$here/bird.bin" "$@"
END
	chmod +x "$partial/unpacked/bird"
	two "$partial/unpacked/bird" || {
		echo "bird.sh: Debian's bird2 is not BIRD 2: $("$partial/unpacked/bird" --version 2>&1). Install bird 2 with the system's package manager." >&2
		return 1
	}
}

if [ ! -x "$binary" ]; then
	mkdir -p "$home"
	exec 9>"$home/lock"
	if command -v flock >/dev/null; then
		flock 9 # the second of two runs waits for the first one's result
	fi
	if [ ! -x "$binary" ]; then
		echo "unpacking Debian's bird2 (once; kept in $cache)" >&2
		partial=$(mktemp -d "$home/unpack.XXXXXX")
		trap 'rm -rf "$partial"' EXIT
		fill
		mv -T "$partial/unpacked" "$home/unpacked"
	fi
fi
echo "$binary"
