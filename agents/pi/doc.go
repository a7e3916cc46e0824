// Package pi reads the files of the agent pi: its directory, its settings, the projects
// that it trusts, and its sessions. The rest of the program sees pi's sessions only as
// Sessions, which implements the source of sessions that core/history declares.
//
// A session file is a stream that can be resumed from a byte offset, so that a hook reads
// only what was appended since the last one. Whatever a file contains, reading it neither
// panics nor loses a line silently: a torn last line waits to be completed; a corrupt line
// is reported with its number, and the lines after it are read.
//
// The package must not know stores, policies or commands, nor pi's events, which belong to
// package hooks, nor the fields of a line, which core/message reads. It writes none of pi's
// files. Start with Sessions, then Reader.
package pi
