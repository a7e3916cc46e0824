// Package jsonl reads the line-delimited JSON files that are the truth behind
// everything pictx stores: pi's session files. It also keeps a file of that kind
// itself, the log of the hooks, and it appends to the log of decisions, which people,
// git and other programs write too.
//
// A session file is read as a stream that can be resumed from a byte offset, so
// that a hook reads only what was appended since the last one. Whatever is in a
// file, reading it neither panics nor loses a line silently: a torn last line
// waits to be completed, a corrupt line in the middle is reported with its
// number, and the lines after it are read.
//
// The log of decisions is written under a lock, in one write that the disk has
// before it counts, and after a line that was torn one begins anew. What a line says
// is the business of core/decision.
//
// The package must not know databases, policies or commands; it turns bytes into
// core/message values and back into positions.
package jsonl
