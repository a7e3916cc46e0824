// Package history stores every entry of every session, finds entries, and returns their
// original bytes. Its use cases are Ingest, Search and Expand, over small interfaces to a
// store and a session file; start reading there.
//
// The session file is the source of truth and the store is derived from it. Ingest may be
// killed at any point and repeated any number of times: the store ends up the same. An
// entry is identified by its session and entry id, its text by a hash, so that forks share
// what they have in common.
//
// The package must not know SQL, files, pi's events or how results are printed.
package history
