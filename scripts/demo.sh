#!/bin/sh
# Shows what pictx does, on the sessions recorded in testdata. Everything it makes
# is in a temporary directory that is removed at the end.
set -eu
cd "$(dirname "$0")/.."
PATH=$PWD/bin:$PATH
PI_CODING_AGENT_DIR=$(mktemp -d)
export PATH PI_CODING_AGENT_DIR
trap 'rm -rf "$PI_CODING_AGENT_DIR"' EXIT
trap 'exit 130' INT TERM

say() { printf '\n# %s\n' "$*"; }
run() { printf '$ %s\n' "$*" && sh -c "$*"; }

say "Read recorded sessions of pi into a store, made for this demo."
run "pictx import testdata/sessions"
run "pictx sessions"
say "Find what was said, by anybody, in any of them."
run "pictx grep --limit 3 --context 60 duplicate charge"
say "Regular expressions work too, and look only where they are told to."
run "pictx grep --limit 2 --context 60 --regex 'ENOENT|not ok' --role tool"
id=$(pictx grep --limit 1 --tool read --json duplicate charge 2>/dev/null | sed 's/.*"entry":"\([^"]*\)".*/\1/')
say "Get the original of anything found back, whole or in part."
run "pictx expand $id --grep duplicate --head 3"
say "See what pruning takes out of the context of a session, and what that saves."
run "pictx prune testdata/sessions/shop-main.jsonl | head -7"
say "The output above is among it; expand would still find it."
run "pictx prune testdata/sessions/shop-main.jsonl | grep $id"
say "Write the pruned session: bytes before and after. The file itself stays as it is."
run "wc -c < testdata/sessions/shop-main.jsonl"
run "pictx prune --apply testdata/sessions/shop-main.jsonl | wc -c"
say "What would these sessions have cost under each policy?"
run "pictx replay testdata/sessions | head -8"
