package pi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSettingsThatChangedSinceGetTheirEntriesBack(t *testing.T) {
	t.Parallel()
	const before = `{"packages": ["npm:a", {"source": "npm:b"}, "npm:c"], "extensions": ["~/x.ts"]}`
	after, u := `{"packages": ["npm:c"], "extensions": []}`, Undo{file: t.TempDir() + "/pictx/setup.json"}
	if err := u.Edits("settings.json", []byte(before), []byte(after)); err != nil {
		t.Fatal(err)
	}
	again, err := ReadUndo(u.file)
	if err != nil || len(again.Settings) != 1 {
		t.Fatalf("%+v, %v", again, err)
	}
	for _, tt := range []struct{ name, now, want, missing string }{
		{"unchanged", after, before, ""},
		{"something else was set", `{"packages": ["npm:c"], "extensions": [], "theme": "dark"}`, `{"packages": ["npm:a", {"source": "npm:b"}, "npm:c"], "extensions": ["~/x.ts"], "theme": "dark"}`, ""},
		{"written with line breaks", "{\n  \"packages\": [\n    \"npm:c\"\n  ],\n  \"extensions\": [\n  ]\n}\n", "{\n  \"packages\": [\n    \"npm:a\",\n    {\"source\": \"npm:b\"},\n    \"npm:c\"\n  ],\n  \"extensions\": [\"~/x.ts\"]\n}\n", ""},
		{"one is there again", `{"packages":["npm:c","npm:a"],"extensions":[]}`, `{"packages":["npm:c",{"source": "npm:b"}, "npm:a"],"extensions":["~/x.ts"]}`, ""},
		{"a list is gone", `{"packages": []}`, `{"packages": ["npm:a", {"source": "npm:b"}]}`, "~/x.ts"},
		{"not JSON any more", "{", "{", "npm:a npm:b ~/x.ts"},
	} {
		got, missing := again.Settings[0].Restore([]byte(tt.now))
		if string(got) != tt.want || strings.Join(missing, " ") != tt.missing {
			t.Errorf("%s:\n%s, missing %v; want\n%s, missing %s", tt.name, got, missing, tt.want, tt.missing)
		}
	}
}

// A removal that is killed between the two is finished by the next.
func TestFoldersAreRemovedBeforeTheirRecord(t *testing.T) {
	dir := t.TempDir()
	target := Target{Root: filepath.Join(dir, "agent")}
	made := filepath.Dir(target.Dir())
	record := filepath.Join(dir, "record")
	for _, d := range []string{made, filepath.Join(record, "cannot be deleted")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	u := Undo{file: record, Made: []string{made}}
	if err := u.Clean(target); err == nil {
		t.Error("the record could be deleted")
	}
	if _, err := os.Lstat(made); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is left, and nothing will remember it: %v", err)
	}
}

// The record is written before the folders are made: an installation that is killed
// between the two is undone whole.
func TestFoldersAreRecordedBeforeTheyAreMade(t *testing.T) {
	dir := t.TempDir()
	target := Target{Root: filepath.Join(dir, "agent")}
	file := filepath.Join(target.Root, "pictx", "setup.json")
	u, err := ReadUndo(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Makes(target); err != nil {
		t.Fatal(err)
	}
	again, err := ReadUndo(file)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Dir(target.Dir()), target.Root, filepath.Dir(file)}
	if !slices.Equal(again.Made, want) {
		t.Errorf("recorded: %v, want %v", again.Made, want)
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
	target := Target{Root: dir}
	left := filepath.Join(dir, "pictx", fmt.Sprintf(".pictx-new-%d-X", ended.Process.Pid))
	for _, d := range []string{filepath.Dir(left), filepath.Dir(target.Dir())} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	u, err := ReadUndo(filepath.Join(dir, "pictx", "setup.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Makes(target); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", left, err)
	}
}
