// Package browse searches and reads sessions on a full screen: a list that is searched while
// the user types, and a reader for conversations. It changes nothing.
//
// A model receives key presses and the results of a library, and returns what to draw; it must
// not know stores, files or flags. The library reads them from the stores, as texts that are
// safe for a terminal. Start with Command and the library's methods.
package browse
