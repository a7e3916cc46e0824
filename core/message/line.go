package message

import "errors"

// ErrTorn is the error of a last line that was cut short, as by a crash in the
// middle of a write. A reader's position stays before it.
var ErrTorn = errors.New("the last line is incomplete")

// Position is a place between two lines of a session file, from which reading
// can be resumed.
type Position struct {
	Offset  int64 // bytes from the start of the file
	Lines   int   // lines before it
	Entries int   // of them, those that are entries, the header included
}

// Line is one line of a session file.
type Line struct {
	Entry  Entry
	Raw    []byte // the line without its end; valid until the next line is read
	Offset int64  // where Raw starts
	Number int    // counted from 1
	// Ordinal counts the file's entries from 0, which is the header. It is the
	// identity of an entry in files that have no ids.
	Ordinal int
	// Err says why the line is not an entry. Raw is set all the same.
	Err error
}
