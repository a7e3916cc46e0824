#!/bin/sh
# Runs go test with the arguments it is given, through gotestsum: what failed and what was
# skipped is listed at the end, and then the slowest tests. Temporary files that tests leave are
# an error.
set -eu
cd "$(dirname "$0")/.."

# Tests make thousands of stores, and each commits many times. Where memory is plenty
# their files are in it, unless TMPDIR names a place. What is compiled stays on the disk:
# GOTMPDIR says where that is, but tests take it for the place of their files, too.
memory=/dev/shm
plenty() { # of free KB in memory, both for files and for programs
	df -kP "$memory" 2>/dev/null | awk 'NR == 2 { exit !($4 > 4 * 1024 * 1024) } END { if (NR < 2) exit 1 }' &&
		awk '$1 == "MemAvailable:" { found = $2 > 8 * 1024 * 1024 } END { exit !found }' /proc/meminfo
}
runs() { # programs can be started from there
	probe=$(mktemp "$memory/pictx-XXXXXX") || return 1
	printf '#!/bin/sh\n' >"$probe"
	chmod +x "$probe"
	"$probe" 2>/dev/null && rm -f "$probe" || { rm -f "$probe"; return 1; }
}
if [ -z "${TMPDIR:-}" ] && [ -w "$memory" ] && plenty 2>/dev/null && runs 2>/dev/null; then
	export TMPDIR="$memory" GOTMPDIR="${GOTMPDIR:-/tmp}"
fi
# The directory has the same name each time, or go would run again what it has the result of,
# and can be entered by all, as some tests run programs as another user.
begin=${TMPDIR:-/tmp}/pictx-tests
TMPDIR=$begin-$(pwd | cksum | cut -d ' ' -f 1)
mkdir -m 755 "$TMPDIR" 2>/dev/null || { # another run is under way
	TMPDIR=$(mktemp -d "$begin-XXXXXX")
	chmod 755 "$TMPDIR"
}
export TMPDIR
events=$(mktemp "${GOTMPDIR:-/tmp}/pictx-events-XXXXXX")
trap 'rm -rf "$TMPDIR" "$events"' EXIT
trap 'exit 130' INT TERM HUP

gotestsum() { "${GO:-go}" tool gotestsum "$@"; }
code=0
gotestsum --format pkgname-and-test-fails --format-icons text --jsonfile "$events" -- -exec "env 'GOTMPDIR=$TMPDIR'" "$@" || code=$?
gotestsum tool slowest --jsonfile "$events" --threshold 3s
if [ "$code" = 0 ] && [ -n "$(ls -A "$TMPDIR")" ]; then
	printf 'tests left temporary files:\n'
	ls -A "$TMPDIR"
	code=1
fi
exit "$code"
