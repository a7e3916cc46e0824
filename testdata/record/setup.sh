#!/bin/sh
# Installs what the recordings need, from npm and Debian only, into ${PICTX_PI_CACHE:-$HOME/.cache/pictx-pi}:
# node 22.23.3, pi 0.73.1, 0.87.1 and 1.6.0, and rg and fd for pi's grep and find. Run it again to complete it.
# `setup.sh record` adds pi 1.5.2, with which one of the sessions was recorded.
# pi writes its own location into the sessions; record with PICTX_PI_CACHE=/opt/pi.
# Several may run at once: one installs, the others wait. What is in its place is complete: it is installed beside it
# and renamed.
set -eu
CACHE=${PICTX_PI_CACHE:-$HOME/.cache/pictx-pi}
NODE22=22.23.3 PI073=0.73.1 PI087=0.87.1 PI160=1.6.0 PI152=1.5.2

have() { command -v "$1" >/dev/null 2>&1; }
missing=
[ -x "$CACHE/node22/node_modules/.bin/node" ] || missing="$missing node@$NODE22"
[ -d "$CACHE/pi073/node_modules/@mariozechner/pi-coding-agent" ] || missing="$missing pi@$PI073"
[ -d "$CACHE/pi087/node_modules/@earendil-works/pi-coding-agent" ] || missing="$missing pi@$PI087"
[ -d "$CACHE/pi160/node_modules/@earendil-works/pi-coding-agent" ] || missing="$missing pi@$PI160"
if [ -n "$missing" ] && ! have npm; then
  echo "setup: npm is not installed; still missing:$missing" >&2
  exit 1
fi
if { [ ! -x "$CACHE/bin/rg" ] || [ ! -x "$CACHE/bin/fd" ]; } && ! { have rg && have fd; } && ! { have apt-get && have dpkg; }; then
  echo "setup: neither rg and fd nor apt-get and dpkg are installed; still missing: rg fd" >&2
  exit 1
fi

mkdir -p "$CACHE/bin"
tmp=$CACHE/.installing-$$ owner=
trap 'rm -rf "$tmp" ${owner:+"$owner"}' EXIT
trap 'exit 130' INT TERM
if have flock; then # its lock is free when its owner was killed
  exec 9>"$CACHE/.lock"
  flock 9
else
  until ln -s $$ "$CACHE/.owner" 2>/dev/null; do
    if mkdir "$CACHE/.judging" 2>/dev/null; then # one at a time takes a lock away from a process that has ended
      if other=$(readlink "$CACHE/.owner") && ! kill -0 "$other" 2>/dev/null && [ "$(readlink "$CACHE/.owner")" = "$other" ]; then
        rm "$CACHE/.owner"
      fi
      rmdir "$CACHE/.judging"
    fi
    sleep 1
  done
  owner=$CACHE/.owner
fi
rm -rf "$CACHE"/.installing-* # of those that were killed
mkdir "$tmp"

place() { # place NAME: instead of what was left incomplete
  rm -rf "${CACHE:?}/$1"
  mv "$tmp/$1" "$CACHE/$1"
}
npmi() { # npmi NAME PACKAGE
  mkdir "$tmp/$1"
  (cd "$tmp/$1" && echo '{"private":true}' >package.json && npm install --no-audit --no-fund --loglevel=error "$2" 9>&-)
  place "$1"
}
[ -x "$CACHE/node22/node_modules/.bin/node" ] || npmi node22 "node@$NODE22"
[ -d "$CACHE/pi073/node_modules/@mariozechner/pi-coding-agent" ] || npmi pi073 "@mariozechner/pi-coding-agent@$PI073"
[ -d "$CACHE/pi087/node_modules/@earendil-works/pi-coding-agent" ] || npmi pi087 "@earendil-works/pi-coding-agent@$PI087"
[ -d "$CACHE/pi160/node_modules/@earendil-works/pi-coding-agent" ] || npmi pi160 "@earendil-works/pi-coding-agent@$PI160"
[ "${1:-}" != record ] || [ -d "$CACHE/pi152/node_modules/@earendil-works/pi-coding-agent" ] || npmi pi152 "@earendil-works/pi-coding-agent@$PI152"
ln -sfn ../node22/node_modules/.bin/node "$CACHE/bin/node"
if [ ! -x "$CACHE/bin/rg" ] || [ ! -x "$CACHE/bin/fd" ]; then
  if have rg && have fd; then
    ln -sfn "$(command -v rg)" "$CACHE/bin/rg"; ln -sfn "$(command -v fd)" "$CACHE/bin/fd"
  else
    (cd "$tmp" && apt-get update -qq && apt-get download -qq ripgrep fd-find && for d in *.deb; do dpkg -x "$d" x; done)
    cp "$tmp/x/usr/bin/rg" "$CACHE/bin/rg"; cp "$tmp/x/usr/lib/cargo/bin/fd" "$CACHE/bin/fd-real"
    # Debian's fd lacks --no-require-git
    printf '#!/bin/bash\na=(); for x in "$@"; do [ "$x" = "--no-require-git" ] || a+=("$x"); done\nexec "$(dirname "$0")/fd-real" "${a[@]}"\n' >"$CACHE/bin/fd"
    chmod +x "$CACHE/bin/fd"
  fi
fi
echo "ready: $CACHE"
