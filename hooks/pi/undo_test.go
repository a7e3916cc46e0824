package pi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestSettingsThatChangedSinceGetTheirEntriesBack(t *testing.T) {
	t.Parallel()
	const before = `{"packages": ["npm:a", {"source": "npm:b"}, "npm:c"], "extensions": ["~/x.ts"]}`
	u := Undo{file: t.TempDir() + "/pictx/setup.json"}
	text, removed, err := removeItems([]byte(before), func(_ string, it item) bool { return it.name() != "npm:c" })
	if err == nil {
		err = u.Edits("settings.json", removed)
	}
	if err != nil {
		t.Fatal(err)
	}
	after := string(text)
	again, err := ReadUndo(u.file)
	if err != nil || len(again.Settings) != 1 {
		t.Fatalf("%+v, %v", again, err)
	}
	for _, tt := range []struct{ name, now, want, missing string }{
		{"unchanged", after, `{"packages": ["npm:c", "npm:a", {"source": "npm:b"}], "extensions": ["~/x.ts"]}`, ""},
		{"something else was set", `{"packages": ["npm:c"], "extensions": [], "theme": "dark"}`, `{"packages": ["npm:c", "npm:a", {"source": "npm:b"}], "extensions": ["~/x.ts"], "theme": "dark"}`, ""},
		{"written with line breaks", "{\n  \"packages\": [\n    \"npm:c\"\n  ],\n  \"extensions\": [\n  ]\n}\n", "{\n  \"packages\": [\n    \"npm:c\",\n    \"npm:a\",\n    {\"source\": \"npm:b\"}\n  ],\n  \"extensions\": [\"~/x.ts\"\n  ]\n}\n", ""},
		{"one is there again", `{"packages":["npm:c","npm:a"],"extensions":[]}`, `{"packages":["npm:c","npm:a",{"source": "npm:b"}],"extensions":["~/x.ts"]}`, ""},
		{"a list is gone", `{"packages": []}`, `{"packages": ["npm:a", {"source": "npm:b"}]}`, "~/x.ts"},
		{"not JSON any more", "{", "{", "npm:a npm:b ~/x.ts"},
	} {
		got, missing := again.Settings[0].Restore([]byte(tt.now))
		if string(got) != tt.want || strings.Join(missing, " ") != tt.missing {
			t.Errorf("%s:\n%s, missing %v; want\n%s, missing %s", tt.name, got, missing, tt.want, tt.missing)
		}
	}
}

// What a writer of the record left that was killed goes with the next installation, also
// where that one has nothing to record.
func TestWhatAKilledWriterLeftBesideTheRecordIsRemoved(t *testing.T) {
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Skip("no program that ends at once: ", err)
	}
	dir := t.TempDir()
	left := filepath.Join(dir, "pictx", fmt.Sprintf(".pictx-new-%d-X", ended.Process.Pid))
	must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(left), 0o700), os.WriteFile(left, nil, 0o600)))
	must.Get(ReadUndo(filepath.Join(dir, "pictx", "setup.json")))(t)
	if _, err := os.Lstat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", left, err)
	}
}
