//go:build !unix

package workspace

import (
	"io/fs"

	"github.com/coctostan/pictx/core/object"
)

// statOf is how a file looks.
func statOf(st fs.FileInfo) object.Stat {
	return object.Stat{Size: st.Size(), ModTime: st.ModTime().UnixNano()}
}
