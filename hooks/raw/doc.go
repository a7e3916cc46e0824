// Package raw filters events as pi writes them, without the envelope of the extension
// protocol: a person, or another program, hands over an event on standard input and
// gets the whole event back, byte for byte but for the content of the tool results
// that are pruned. pi's requests are cached by their bytes, and what this program
// does not know must pass through it unharmed.
//
// Memory is bounded whatever the size of an event: it is parsed one message at a time,
// and its bytes wait in memory up to a mebibyte and in an unnamed file beyond that.
//
// It must not know sessions, stores, settings or the systems of package hooks.
package raw
