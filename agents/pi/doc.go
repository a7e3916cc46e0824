// Package pi knows the agent pi as files: its directory, what its settings say, whom it
// trusts, and its sessions. Sessions is the source of sessions that it is for the rest of
// the program, which knows of pi only what core/history declares.
//
// A session file is read as a stream that can be resumed from a byte offset, so
// that a hook reads only what was appended since the last one. Whatever is in a
// file, reading it neither panics nor loses a line silently: a torn last line
// waits to be completed, a corrupt line in the middle is reported with its
// number, and the lines after it are read.
//
// The package must not know stores, policies or commands, nor pi's events, which are the
// business of hooks. It writes no file of pi's.
package pi
