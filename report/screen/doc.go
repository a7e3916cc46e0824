// Package screen draws sessions on the whole terminal: a list that searches as one types,
// and a reader for what was found.
//
// A Model hears of key presses and of a Library's finds, and says what to draw. It must
// not know stores, files or flags; texts come to it safe for a terminal.
package screen
