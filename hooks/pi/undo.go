package pi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/coctostan/pictx/repo"
)

// Undo records the entries that installations removed from pi's settings, so that uninstalling
// can add them again. It is stored in a file of the user's, which a project cannot change.
type Undo struct {
	file string

	Settings []SettingsEdit `json:"settings,omitempty"`
}

// SettingsEdit is what was removed from a file of pi's settings.
type SettingsEdit struct {
	File    string        `json:"file"`
	Removed []RemovedItem `json:"removed"`
}

// RemovedItem is an entry that was removed.
type RemovedItem struct {
	Key   string `json:"key"`   // the name of its list
	Value string `json:"value"` // its JSON, as it was written
}

// ReadUndo reads the record from a file, which need not exist. It deletes what a killed writer
// left beside it.
func ReadUndo(file string) (*Undo, error) {
	repo.Sweep(filepath.Dir(file))
	u := &Undo{file: file}
	text, err := repo.ReadRegular(file, 16*maxText)
	if errors.Is(err, fs.ErrNotExist) {
		return u, nil
	}
	if err == nil {
		err = json.Unmarshal(text, u)
	}
	if err != nil {
		return nil, fmt.Errorf("read what setup changed: %w", err)
	}
	return u, nil
}

// Edits records what is about to be removed from a file of settings.
func (u *Undo) Edits(file string, removed []RemovedItem) error {
	u.Settings = append(u.Settings, SettingsEdit{file, removed})
	return u.Save()
}

// Save writes the record. When nothing is left to undo it deletes it, and its directory if that
// is empty.
func (u *Undo) Save() error {
	if len(u.Settings) == 0 {
		if err := os.Remove(u.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		_ = os.Remove(filepath.Dir(u.file)) // it may hold the history
		return nil
	}
	text, err := json.Marshal(u)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(u.file), 0o700)
	}
	if err == nil {
		err = repo.Replace(u.file, append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("remember what setup changes: %w", err)
	}
	return nil
}

// Restore returns pi's settings with the entries at the end of their lists again. missing lists
// the sources that could not be added because their list is gone.
func (e SettingsEdit) Restore(now []byte) (text []byte, missing []string) {
	s, err := parseSettings(now)
	for _, r := range e.Removed {
		it := item(r.Value)
		lists := slices.DeleteFunc(s.lists(), func(l list) bool { return l.key != r.Key })
		switch {
		case err != nil || len(lists) == 0:
			missing = append(missing, it.name())
		case !lists[0].has(it):
			lists[0].add(it)
		}
	}
	if err != nil {
		return now, missing
	}
	return s.pack(), missing
}

// Sources returns the sources of the removed entries.
func (e SettingsEdit) Sources() []string {
	var out []string
	for _, r := range e.Removed {
		out = append(out, item(r.Value).name())
	}
	return out
}
