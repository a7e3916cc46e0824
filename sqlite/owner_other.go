//go:build !unix

package sqlite

import "os"

// ownedByUser leaves it to the system whose files can be opened.
func ownedByUser(os.FileInfo) bool { return true }
