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

// ReadRecords reads the decisions in a file: a record, or lists.
func ReadRecords(path string) (record.Found, error) {
	if ext := strings.ToLower(filepath.Ext(path)); slices.Contains([]string{".csv", ".json", ".jsonl"}, ext) {
		return record.Found{}, fmt.Errorf("want Markdown; a log of another project is merged with git or pictx decision merge-driver, not from %s", ext)
	}
	st, err := os.Stat(path)
	if err != nil {
		return record.Found{}, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxImport {
		return record.Found{}, fmt.Errorf("want a file of at most %s", text.Bytes(maxImport))
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return record.Found{}, err
	}
	return record.Read(path, string(b))
}
