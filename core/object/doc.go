// Package object gives everything that an agent met an identity and versions: files, tool
// calls, chats, sessions and system prompts. The model works with references to objects and
// can bring their content back.
//
// An object has a short id. Each of its versions is a document with three hashes: of its
// content, of the fields that a catalogue shows, and of all fields. A version is in force
// from the time when it became known until the next one did.
//
// Which objects are in a session's context is not part of documents. It is recorded as
// events, each at an entry of the session: a branch has the events of its own entries.
// Start reading at Document, Event and Store.
//
// Objects share four mechanisms with the rest of the program:
//
//	the planner      core/prune decides when a text leaves a context
//	the marker       core/prune/marker writes the text in its place
//	the pins         core/prune/pin.go, kept by sqlite/marks
//	the content      the table content of sqlite/schema.sql, packed by
//	                 sqlite/texts, holds the entries of history and the contents of
//	                 files; tool calls and chats name their entries
//
// The package is pure: it must not know where objects are kept, what time it is, or which
// files exist.
package object
