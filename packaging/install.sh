#!/bin/sh
# Installs pictx from its latest release, without root and without anything but curl or wget:
#
#   curl -fsSL https://raw.githubusercontent.com/coctostan/pictx/main/packaging/install.sh | sh
#
# PICTX_VERSION names another release, PICTX_DIR another directory than ~/.local/bin, and
# PICTX_RELEASES another place of the releases. What was downloaded is compared with checksums.txt.
set -eu

repository=https://github.com/coctostan/pictx
releases=${PICTX_RELEASES:-$repository/releases}
dir=${PICTX_DIR:-$HOME/.local/bin}

fail() {
	printf 'install.sh: %s\n' "$1" >&2
	exit 1
}

get() { # get URL FILE
	if command -v curl >/dev/null; then
		curl -fsSL "$1" -o "$2"
	elif command -v wget >/dev/null; then
		wget -q "$1" -O "$2"
	else
		fail 'it needs curl or wget'
	fi || fail "cannot download $1"
}

sha256() {
	if command -v sha256sum >/dev/null; then
		sha256sum "$1"
	else
		shasum -a 256 "$1"
	fi | cut -d ' ' -f 1
}

# A script that is cut off on its way runs nothing: the last line calls this.
main() {
	case $(uname -s) in
	Linux) system=linux ;;
	Darwin) system=darwin ;;
	*) fail "there is no release for $(uname -s); on Windows use Scoop or npm" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) processor=amd64 ;;
	aarch64 | arm64) processor=arm64 ;;
	*) fail "there is no release for $(uname -m); with Go: go install github.com/coctostan/pictx/cmd/pictx@latest" ;;
	esac

	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM HUP
	at=$releases/latest/download
	[ -z "${PICTX_VERSION:-}" ] || at=$releases/download/v${PICTX_VERSION#v}
	get "$at/checksums.txt" "$work/checksums.txt"
	line=$(grep "_${system}_${processor}\.tar\.gz\$" "$work/checksums.txt") || fail "$at has nothing for $system on $processor"
	archive=${line##* }
	get "$at/$archive" "$work/$archive"
	[ "$(sha256 "$work/$archive")" = "${line%% *}" ] || fail "$archive is not what checksums.txt says; nothing was installed"

	tar -xzf "$work/$archive" -C "$work"
	"$work/pictx" version >/dev/null || fail "$archive does not run here; nothing was installed"
	mkdir -p "$dir"
	# A pictx that runs keeps its file.
	cp "$work/pictx" "$dir/.pictx.$$"
	chmod 755 "$dir/.pictx.$$"
	mv -f "$dir/.pictx.$$" "$dir/pictx"

	share=${XDG_DATA_HOME:-$HOME/.local/share}
	mkdir -p "$share/man/man1" "$share/man/man7" "$share/bash-completion/completions"
	cp "$work"/man/*.1 "$share/man/man1"
	cp "$work"/man/*.7 "$share/man/man7"
	cp "$work/completions/pictx.bash" "$share/bash-completion/completions/pictx"

	"$dir/pictx" version
	case :$PATH: in
	*:"$dir":*) printf 'installed in %s; next: pictx replay --all, then pictx setup\n' "$dir" ;;
	*) echo "installed in $dir, which is not on the PATH: export PATH=\"$dir:\$PATH\"" ;;
	esac
}
main "$@"
