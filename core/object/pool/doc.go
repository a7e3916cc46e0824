// Package pool lays a context out as self-context-manager does: first the metadata
// pool, a catalogue of every object that the session met; then the chat, in which
// each tool result is a reference; then the content of the objects that are active,
// each in a message of its own. Everything stands in the order in which it came.
//
// It decides nothing: which results are active is what a plan of core/prune says, by
// the same window, the same pins and the same things that are never taken away as in
// the layout "inline". The same messages give the same bytes, always.
//
// The layout is there to be complete, and to be compared with: its catalogue grows
// before the chat with every call, and what is active moves, so that providers'
// prompt caches hold next to nothing of it.
//
// The package must not know where objects are kept: it is handed what the catalogue
// lists.
package pool
