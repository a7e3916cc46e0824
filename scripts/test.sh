#!/bin/sh
# Runs go test with the arguments it is given, and ends with the number of tests
# that ran, the names of those that did not, and the slowest. What a test prints
# is shown when it fails. Temporary files that tests leave are an error.
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
trap 'rm -rf "$TMPDIR"' EXIT
trap 'exit 130' INT TERM HUP

code=0
{ "${GO:-go}" test -v -exec "env 'GOTMPDIR=$TMPDIR'" "$@" 2>&1 && echo "exit 0" || echo "exit $?"; } | awk '
	# What a test prints is kept line by line: one long text would be copied for each line.
	function keep(test, line) { text[test, lines[test]++] = line }
	function show(test,   i) {
		for (i = 0; i < lines[test]; i++) print text[test, i]
		drop(test)
	}
	function drop(test,   i) {
		for (i = 0; i < lines[test]; i++) delete text[test, i]
		delete lines[test]
	}
	function forget() { split("", text); split("", lines); now = "" }
	function slow(name, took) {
		gsub(/[()s]/, "", took)
		if (name !~ /\// && took + 0 >= 3) slowest[sprintf("%8.1f", took) "  " name] = 1
	}
	/^=== / { now = $3; next }
	/^ *--- (PASS|FAIL): / { slow($3, $4) }
	/^ *--- PASS: / { passed++; drop($3); next }
	/^ *--- SKIP: / { skipped++; names = names "\n  " $3 ": " why[$3]; next }
	/^ *--- FAIL: / { failed++; show($3); print; next }
	/^exit [0-9]+$/ { code = $2; next }
	/^ok  \t/ { print; forget(); next }
	/^\?   \t|^\t.*coverage:/ { forget(); next }
	/^FAIL\t/ { show(""); if (now != "") show(now); print; forget(); next }
	/^(PASS|FAIL)$/ { next }
	/^ +[a-z0-9_]+\.go:[0-9]+: / && !/^ +testscript\.go:/ { why[now] = $0; sub(/^[^:]*:[0-9]+: /, "", why[now]) }
	{ keep(now, $0) }
	END {
		show("")
		sort = "sort -rn | head -20"
		for (line in slowest) print line | sort
		close(sort)
		printf "%d tests passed, %d failed, %d not run%s\n", passed, failed, skipped, names
		exit code == "" ? 1 : code
	}' || code=$?
if [ "$code" = 0 ] && [ -n "$(ls -A "$TMPDIR")" ]; then
	printf 'tests left temporary files:\n'
	ls -A "$TMPDIR"
	code=1
fi
exit "$code"
