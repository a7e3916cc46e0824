// Package screen shows sessions on the whole terminal: a list that is searched while the
// user types, and a reader for conversations.
//
// A Model receives key presses and the results of a Library, and returns what to draw. It
// must not know stores, files or flags. The texts that it gets are already safe for a
// terminal. Start with Model.Update and Library.
package screen
