// Package session is the one walk over a session: which requests it made, on all branches,
// what each consisted of as it was sent and as plain pi would have sent it, what it shared
// with the one before, when it was sent, what it was billed, and what was compacted before
// it. Everything that counts, prices or replays requests folds over this. Start reading at
// Load and Request.
//
// The package must not know files, stores or policies, nor how a figure is shown. It reads
// the text of entries through a function of its caller.
package session
