//go:build !unix

package workspace

import (
	"io/fs"

	"github.com/coctostan/pictx/core/object"
)

// statOf returns the identity of a file as far as this system knows one.
func statOf(st fs.FileInfo) object.Stat {
	return object.Stat{Size: st.Size(), ModTime: st.ModTime().UnixNano()}
}
