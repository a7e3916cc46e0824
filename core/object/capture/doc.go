// Package capture makes objects of what a session met: tool calls and their results,
// the files that they read, wrote and named, the chat, the session, and the system
// prompt. What it has done once it does not do again: an entry that is captured is
// known by its object, and what did not change makes no version.
//
// A file has the content that it has on the disk, when all of it was read or written;
// of one that was read in part only these lines are kept, and nothing is made up.
// Files that are only named, by a listing or a command, get no content at all.
//
// The package must not know where objects are kept, and it touches no file itself:
// Files does, and says which paths are no business of the project.
package capture
