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
{
	cat LICENSE
	find . -name 'LICENSE.*' | sort | while read -r file; do
		printf '\n---- %s\n\n' "${file#./}"
		cat "$file"
	done
	printf '\n---- The Go programming language %s\n\n' "$(go env GOVERSION)"
	cat "$(go env GOROOT)/LICENSE"
	linked | while read -r module version dir; do
		printf '\n---- %s %s\n\n' "$module" "$version"
		found=$(find "$dir" -maxdepth 1 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \) | sort)
		[ -n "$found" ] || { echo "prepare: $module has no licence" >&2; exit 1; }
		printf '%s\n' "$found" | while read -r file; do cat "$file"; done
	done
} >"$out/copyright"
