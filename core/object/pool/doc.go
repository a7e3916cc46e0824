// Package pool lays a context out as self-context-manager does: first the metadata
// pool, a catalogue of every object of the session; then the chat, in which each tool
// result is a reference; then the content of the active objects, each in a message of
// its own. Everything keeps the order in which it came.
//
// It decides nothing: a plan of core/prune says which results are active, by the same
// window, the same pins and the same protected results as in the layout "inline". The
// same messages always give the same bytes.
//
// The layout exists for completeness and for comparison: its catalogue grows in front
// of the chat with every call, and active contents move, so that providers' prompt
// caches hold almost none of it.
//
// The package must not know where objects are kept: it is handed what the catalogue
// lists.
package pool
