// Package history stores every entry of every session, finds entries and returns their
// original bytes: the use cases Ingest, Search and Expand, over the small interfaces
// that they need of a store and a session file.
//
// The session file is the truth and the store is derived from it: Ingest may be
// killed at any byte and run again any number of times, and what it stores is
// the same. An entry is identified by its session and entry id, its text by its
// hash, so that forks share what they have in common.
//
// The package must not know SQL, files, pi's events or how results are printed.
package history
