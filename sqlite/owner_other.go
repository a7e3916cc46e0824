//go:build !unix

package sqlite

import "os"

// ownedByUser is always true here: the system's permissions decide which files can be
// opened.
func ownedByUser(os.FileInfo) bool { return true }
