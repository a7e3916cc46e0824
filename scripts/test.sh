#!/bin/sh
# Runs go test with the arguments it is given, and ends with the number of tests
# that ran, the names of those that did not, and the slowest. What a test prints
# is shown when it fails.
set -eu
cd "$(dirname "$0")/.."
{ "${GO:-go}" test -v "$@" 2>&1 && echo "exit 0" || echo "exit $?"; } | awk '
	function forget() { split("", text); now = "" }
	function slow(name, took) {
		gsub(/[()s]/, "", took)
		if (name !~ /\// && took + 0 >= 3) slowest[sprintf("%8.1f", took) "  " name] = 1
	}
	/^=== / { now = $3; next }
	/^ *--- (PASS|FAIL): / { slow($3, $4) }
	/^ *--- PASS: / { passed++; text[$3] = ""; next }
	/^ *--- SKIP: / { skipped++; names = names "\n  " $3 ": " why[$3]; next }
	/^ *--- FAIL: / { failed++; printf "%s%s\n", text[$3], $0; text[$3] = ""; next }
	/^exit [0-9]+$/ { code = $2; next }
	/^ok  \t/ { print; forget(); next }
	/^\?   \t|^\t.*coverage:/ { forget(); next }
	/^FAIL\t/ { printf "%s%s%s\n", text[""], now == "" ? "" : text[now], $0; forget(); next }
	/^(PASS|FAIL)$/ { next }
	/^ +[a-z0-9_]+\.go:[0-9]+: / && !/^ +testscript\.go:/ { why[now] = $0; sub(/^[^:]*:[0-9]+: /, "", why[now]) }
	{ text[now] = text[now] $0 "\n" }
	END {
		printf "%s", text[""]
		sort = "sort -rn | head -20"
		for (line in slowest) print line | sort
		close(sort)
		printf "%d tests passed, %d failed, %d not run%s\n", passed, failed, skipped, names
		exit code == "" ? 1 : code
	}'
