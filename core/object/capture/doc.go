// Package capture makes objects from a session: tool calls and their
// results, the files that they read, wrote and named, the chat, the session, and the
// system prompt. Nothing is captured twice: an entry that was captured is known by its
// object, and a file that did not change gets no new version.
//
// A file that was read or written as a whole gets the content that it has on disk; of
// a file that was read in part only those lines are kept, and nothing is made up. Files
// that are only named, by a listing or a command, get no content at all.
//
// The package must not know where objects are kept, and it touches no file itself:
// Files does, and says which paths are outside of the project.
package capture
