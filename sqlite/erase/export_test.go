package erase

// Names for tests of what a file holds.
var (
	Wipe     = wipe
	ErrPages = errPages
)
