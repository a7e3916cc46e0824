package workspace

import (
	"path/filepath"

	"github.com/coctostan/pictx/jsonl"
)

// ChangeSession calls change unless a pi has the session's file open, and reports whether it
// did.
func (pl Project) ChangeSession(file string, change func() error) (bool, error) {
	return jsonl.ChangeSession(filepath.Join(pl.AgentDir, "pictx"), file, change)
}
