// Package object gives everything an agent came across an identity and versions:
// files, tool calls, chats, sessions and system prompts. The model works with
// references to them and can bring their content back.
//
// An object is known by a short id. Each of its versions is a document, and has
// three hashes: of its content, of the fields that a catalogue shows, and of all fields.
// Every fact has two times: when it is true (valid) and when it became known (the
// transaction). Intervals are half-open, and those of one object never overlap, so
// that for any two times there is at most one version.
//
// Which objects are in a session's context is recorded as events rather than in
// documents, each at an entry of the session: a branch sees the events of its own
// entries.
//
// Four things that objects need are elsewhere, one of each:
//
//	the planner      core/prune/planner.go decides when a text leaves a context
//	the marker       core/prune/marker.go and line.go write the text in its place
//	the pins         core/prune/pin.go, kept by sqlite/marks
//	the content      the table content of sqlite/schema.sql, packed by
//	                 sqlite/texts, holds the texts of history and of objects
//
// The package is pure: it must not know where objects are kept, what time it is, or
// which files exist. Callers hand those in.
package object
