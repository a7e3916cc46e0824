// Package e2e runs pictx inside a real pi. There is nothing in it but tests: a
// model server on loopback plays the model, pi runs with the extension, and
// pictx is either the program itself or a fake that follows the protocol, or
// breaks it, as a test wants. What they look at is what reached the model and
// what pi wrote down.
//
// The tests need pi, which testdata/record/setup.sh installs; without it they
// are not run. PICTX_REQUIRE_PI=1 makes a missing pi a failure. What is tested is the newest pi, with
// a pictx that serves or with one for each event. One test each of replies, pruning, compaction,
// storing and a broken store runs in 0.73, too, which differs most from it. PICTX_E2E=all is everything
// in everything, and in 0.87: run it when support for a version changes.
//
// Starting a pi takes longer than most scenes: those of a fake are sessions of one pi
// (scenes), and so are the scenarios of bound thinking that need no pi of their own. What pictx does
// with an event is tested without any pi, in hooks and commands.
//
// Models that bind their thinking are those of pi's own catalogue, answered by a server that
// checks what they check: prefixes says what, and finds what was changed. Each session ends in a
// row of a table, which -v prints.
//
// The package must not know how the extension or pictx do their work: it knows
// the protocol of hooks/schema/v1, pi's command line and RPC mode, and the
// commands of pictx.
package e2e
