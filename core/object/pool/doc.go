// Package pool lays a context out as self-context-manager does: first the metadata pool, a
// catalogue of every object of the session; then the chat, in which each tool result is a
// reference; then the content of the active objects, each in its own message. Everything
// stays in its original order.
//
// The package decides nothing. A plan of core/prune says which results are active, with the
// same window, pins and protections as in the layout "inline". The same messages always
// yield the same bytes.
//
// The layout exists for completeness and comparison: its catalogue grows in front of the
// chat with every call, and active contents move, so prompt caches hold almost none of it.
//
// The package must not know where objects are kept; its caller provides the items of the
// catalogue.
package pool
