#!/bin/sh
# Writes what a release holds besides the program to bin/release: the manual, compressed, and the
# licences of everything that is linked into it, on any system.
set -eu
cd "$(dirname "$0")/.."
out=bin/release
rm -rf "$out"
mkdir -p "$out/man"
for page in man/*.[17]; do
	gzip -9nc "$page" >"$out/$page.gz"
done

linked() {
	for os in linux darwin windows; do
		GOOS=$os CGO_ENABLED=0 go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/pictx
	done | sort -u
}
licence() { # licence FILE [NAME]; Debian has a copy of the Apache licence, and wants no other
	if [ "${2:-}" = copyright.debian ] && grep -q 'Version 2.0, January 2004' "$1"; then
		echo 'Apache License 2.0, see /usr/share/common-licenses/Apache-2.0'
	else
		cat "$1"
	fi
}
for name in copyright copyright.debian; do
	{
		cat LICENSE
		find . -name 'LICENSE.*' -not -path "./$out/*" | sort | while read -r file; do
			printf '\n---- %s\n\n' "${file#./}"
			licence "$file" "$name"
		done
		printf '\n---- The Go programming language %s\n\n' "$(go env GOVERSION)"
		licence "$(go env GOROOT)/LICENSE"
		linked | while read -r module version dir; do
			printf '\n---- %s %s\n\n' "$module" "$version"
			found=$(find "$dir" -maxdepth 1 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \) | sort)
			[ -n "$found" ] || { echo "prepare: $module has no licence" >&2; exit 1; }
			printf '%s\n' "$found" | while read -r file; do licence "$file" "$name"; done
		done
	} >"$out/$name"
done

# The changelog as packages of Debian and Fedora have it. What is not released has the date of the commit.
awk -v today="$(TZ=UTC0 git log -1 --date=format-local:%Y-%m-%d --format=%cd)" '
	/^#/ { flush() }
	/^## / {
		version = $2; date = NF > 3 ? $4 : today
		gsub(/[][]/, "", version)
		if (version == "Unreleased") version = "0.0.0"
		printf "- semver: %s\n  date: %sT00:00:00Z\n  packager: the pictx authors <pictx@users.noreply.github.com>\n  deb: { urgency: medium, distributions: [stable] }\n  changes:\n", version, date
	}
	function flush() {
		gsub(/["\\]/, "\\\\&", note)
		if (note != "") printf "    - note: \"%s\"\n", note
		note = ""
	}
	/^- / { flush(); note = substr($0, 3); next }
	note != "" && /^  / { note = note " " substr($0, 3); next }
	{ flush() }
	END { flush() }
' CHANGELOG.md >"$out/changelog.yaml"
