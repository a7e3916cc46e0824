#!/bin/sh
# Runs the commands that README.md shows, on the sessions recorded in testdata, and
# prints what README.md shows of them. Everything it makes is in a temporary directory
# that is removed at the end. PICTX names another program than bin/pictx.
set -eu
cd "$(dirname "$0")/.."
PICTX=${PICTX:-$PWD/bin/pictx}
PI_CODING_AGENT_DIR=$(mktemp -d)
TZ=UTC
export PI_CODING_AGENT_DIR TZ
trap 'rm -rf "$PI_CODING_AGENT_DIR"' EXIT
trap 'exit 130' INT TERM

# A command and how many lines README.md shows of it, 0 for all: the last one is an
# ellipsis where the rest is left out.
awk '
	function flush() { if (command != "") print cut ? lines : 0, command; command = "" }
	/^```console$/ { shown = 1; next }
	/^```$/ { flush(); shown = 0; next }
	!shown { next }
	/^\$ pictx / { flush(); command = substr($0, 9); lines = 0; cut = 0; next }
	{ if ($0 == "…") cut = 1; else lines++ }
	END { flush() }
' README.md | while read -r lines command; do
	printf '$ pictx %s\n' "$command"
	if [ "$lines" = 0 ]; then
		eval "$PICTX $command"
	else
		eval "$PICTX $command" | head -n "$lines"
		echo "…"
	fi
done
