package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision/record"
	"github.com/coctostan/pictx/core/text"
)

// maxImport is the maximum size of an imported file in bytes.
const maxImport = 1 << 20

// ReadRecord reads the record in a file. Its path becomes relative to root if it is inside of that.
func ReadRecord(root, path string) (record.Item, error) {
	if ext := strings.ToLower(filepath.Ext(path)); slices.Contains([]string{".csv", ".json", ".jsonl"}, ext) {
		return record.Item{}, fmt.Errorf("want Markdown; a log of another project is merged with git or pictx decision merge-driver, not from %s", ext)
	}
	st, err := os.Stat(path)
	if err != nil {
		return record.Item{}, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxImport {
		return record.Item{}, fmt.Errorf("want a file of at most %s", text.Bytes(maxImport))
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return record.Item{}, err
	}
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		path = filepath.ToSlash(rel)
	}
	return record.Read(path, string(b))
}
