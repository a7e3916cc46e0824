package sqlite_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
)

// Whoever made a store chose its triggers.
func TestNeitherATriggerNorAStatementWritesToTheSchemaOrPastAnIndex(t *testing.T) {
	for _, mode := range []sqlite.Mode{sqlite.Write, sqlite.Hook} {
		db := withHostileTrigger(t, mode)
		for statement, refused := range map[string]string{
			`INSERT INTO meta (key, value) VALUES ('x', '')`:                             "table words_fts_idx may not be modified",
			`UPDATE words_fts_data SET block = x''`:                                      "table words_fts_data may not be modified",
			`DROP TABLE words_fts_docsize`:                                               "table words_fts_docsize may not be dropped",
			`PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'meta'`: "table sqlite_master may not be modified",
		} {
			if _, err := db.ExecContext(t.Context(), statement); err == nil || !strings.Contains(err.Error(), refused) {
				t.Errorf("mode %v: %s: %v, want %q", mode, statement, err, refused)
			}
		}
		var found []int64
		err := db.SelectContext(t.Context(), &found, `SELECT rowid FROM words_fts WHERE words_fts MATCH 'walrus'`)
		if err != nil || len(found) != 1 {
			t.Errorf("mode %v: %d are found, %v", mode, found, err)
		}
	}
}

// withHostileTrigger opens a store whose trigger empties an index, which has one text.
func withHostileTrigger(t *testing.T, mode sqlite.Mode) *sqlite.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	db := opened(t, path, sqlite.Write)
	// SQLite makes no such trigger in this process, so its table gets its name in the file.
	const other, index = "words_FTS_idx_", "words_fts_idx "
	_, err := db.ExecContext(t.Context(), `INSERT INTO words_fts (rowid, prose, kind) VALUES (1, 'walrus', 'user');
		CREATE TRIGGER emptied AFTER INSERT ON meta BEGIN DELETE FROM `+other+`; END`)
	must.Do(t, errors.Join(err, db.Close()))
	file, err := os.ReadFile(path)
	if err != nil || bytes.Count(file, []byte(other)) != 1 {
		t.Fatalf("%d triggers, %v", bytes.Count(file, []byte(other)), err)
	}
	must.Do(t, os.WriteFile(path, bytes.Replace(file, []byte(other), []byte(index), 1), 0o600))
	return opened(t, path, mode)
}
