#!/bin/sh
# Records everything again: ./setup.sh first. Writes testdata/sessions and testdata/hook.
#   PICTX_PI_CACHE=/opt/pi ./all.sh [SCRATCH]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=${1:-$(mktemp -d)}
export PICTX_PI_CACHE="${PICTX_PI_CACHE:-$HOME/.cache/pictx-pi}"
node="$PICTX_PI_CACHE/bin/node"
mkdir -p "$here/../sessions" "$scratch"
for pair in shop-main:0.87.1 notes-0.73:0.73.1 notes-1.5:1.5.2; do
  steps=${pair%%:*} version=${pair##*:}
  "$node" "$here/workspace.mjs" /home/dev/shop
  "$node" "$here/record.mjs" "$here/steps/$steps.mjs" "$scratch/$steps"
  "$node" "$here/stretch.mjs" "$scratch/$steps" "$here/../sessions" "$scratch/events/$version"
done
"$node" "$here/pick.mjs" "$here/../hook" "$scratch/events/0.87.1" "$scratch/events/0.73.1" "$scratch/events/1.5.2"
"$node" "$here/check.mjs"
