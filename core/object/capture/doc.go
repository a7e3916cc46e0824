// Package capture makes objects from a session: tool calls with their results, the files
// that they read, wrote and named, the chat, the session, and the system prompt. Nothing is
// captured twice: a captured entry has an object, and an unchanged file gets no new
// version. Start reading at Capture.Turn.
//
// A file that was read or written as a whole gets its content on disk. Of a file that was
// read in part, only those lines are kept. Files that are only named, by a listing or a
// command, get no content.
//
// The package must not know where objects are kept, and does not access files itself: Files
// does, and says which paths are outside of the project.
package capture
