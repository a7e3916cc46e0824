package pi

import (
	"embed"
	"io/fs"
)

//go:embed extension/*.ts
var extension embed.FS

// shipped lists every version of every file that was ever on the main branch, as
// sha256sum prints it: what is on the list may be replaced without asking.
//
//go:embed shipped.txt
var shipped string

// Load returns the extension that this program ships.
func Load() (Extension, error) {
	files, err := fs.Sub(extension, "extension")
	if err != nil {
		return Extension{}, err
	}
	return newExtension(files, shipped)
}
