package sqlite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/sqlite"
)

// Whoever made a backup chose its schema, which would go on acting in the store.
func TestABackupWhoseSchemaActsByItselfIsNotRestored(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]string{
		"trigger 'x'": `CREATE TRIGGER x AFTER INSERT ON messages BEGIN DELETE FROM pins; END`,
		"view 'x'":    `CREATE VIEW x AS SELECT * FROM meta`,
	} {
		dir := t.TempDir()
		path, backup := filepath.Join(dir, "x.db"), filepath.Join(dir, "backup.db")
		st := opened(t, path, sqlite.Write)
		if err := st.Backup(t.Context(), backup); err != nil {
			t.Fatal(err)
		}
		if _, err := sqlite.Restore(t.Context(), backup, filepath.Join(dir, "sound.db"), time.Now); err != nil {
			t.Errorf("as it was made: %v", err)
		}
		if _, err := opened(t, backup, sqlite.Write).Exec(change); err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, "to.db")
		if _, err := sqlite.Restore(t.Context(), backup, to, time.Now); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("with a %s: %v", what, err)
		}
		if _, err := os.Lstat(to); err == nil {
			t.Errorf("with a %s it is there", what)
		}
	}
}
