package project_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/coctostan/pictx/project"
)

func TestWhatPiKeepsIsInItsSettings(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]int{
		`{}`: 20_000, `{"compaction":{"keepRecentTokens":50}}`: 50, "\ufeff{\"compaction\":{\"keepRecentTokens\":7}}": 7,
		`{"compaction":{"keepRecentTokens":"x"}}`: 20_000, `nonsense`: 20_000, `{"compaction":{"keepRecentTokens":-1}}`: 20_000,
	} {
		if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := project.KeepRecent(dir); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	if got := project.KeepRecent(filepath.Join(dir, "nothere")); got != 20_000 {
		t.Errorf("without settings: %d", got)
	}
}
