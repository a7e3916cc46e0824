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
// Capture makes objects from a session; nothing is captured twice. A file that was read or
// written as a whole gets its content on disk. Of a file that was read in part, only those
// lines are kept. Files that are only named, by a listing or a command, get no content.
//
// See says which objects a model sees at the end of a branch, and Control carries out its requests
// about them: to list, activate, deactivate and pin. Arrange lays a context out in pools, the
// layout of self-context-manager: first a catalogue of every object of the session; then the
// chat, in which each tool result is a reference; then the content of the active objects, each in
// its own message. It exists for completeness: its catalogue grows in front of the chat with every
// call, so prompt caches hold almost none of it.
//
// Objects share four mechanisms with the rest of the program:
//
//	the planner      core/prune decides when a text leaves a context
//	the marker       core/prune/marker writes the text in its place
//	the pins         core/prune/pin.go, kept by sqlite/store
//	the content      the table content of sqlite/schema.sql holds the entries of history
//	                 and the contents of files, packed; tool calls and chats name their entries
//
// The package must not know where objects are kept or what time it is, and does not access
// files itself: Files does, and says which paths are outside of the project. It does not know
// how an agent gets an answer either.
package object
