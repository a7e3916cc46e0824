package pi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/repo"
)

// Undo records what installations changed besides the extension's directory, so that
// uninstalling can undo it: directories that were created, and entries that were removed
// from pi's settings. It is stored in a file of the user's, which a project cannot change.
type Undo struct {
	file string

	Made     []string       `json:"made,omitempty"` // absolute paths of directories
	Settings []SettingsEdit `json:"settings,omitempty"`
}

// SettingsEdit is a change of pi's settings.
type SettingsEdit struct {
	File    string        `json:"file"`
	Before  []byte        `json:"before"` // the whole file
	After   []byte        `json:"after"`
	Removed []RemovedItem `json:"removed"`
}

// RemovedItem is an entry that was removed, and its position.
type RemovedItem struct {
	Key   string `json:"key"` // the name of its list
	Index int    `json:"index"`
	Value string `json:"value"` // its JSON, as it was written
}

// ReadUndo reads the record from a file, which need not exist.
func ReadUndo(file string) (*Undo, error) {
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

// Makes records the directories that an installation at t is about to create. It also
// deletes temporary files that a killed installation left beside the record.
func (u *Undo) Makes(t Target) error {
	repo.Sweep(filepath.Dir(u.file))
	known := len(u.Made)
	for _, dir := range []string{filepath.Dir(t.Dir()), filepath.Dir(u.file)} {
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
				break
			}
			if !slices.Contains(u.Made, dir) {
				u.Made = append(u.Made, dir)
			}
		}
	}
	if len(u.Made) == known {
		return nil
	}
	return u.Save()
}

// Edits records a change of the settings that is about to be written.
func (u *Undo) Edits(file string, before, after []byte) error {
	e := SettingsEdit{File: file, Before: before, After: after}
	was, err := readLists(before)
	if err != nil {
		return err
	}
	is, err := readLists(after)
	if err != nil {
		return err
	}
	for _, l := range was {
		for i, it := range l.items {
			if !slices.ContainsFunc(is, func(o list) bool { return o.key == l.key && o.has(it) }) {
				e.Removed = append(e.Removed, RemovedItem{l.key, i, string(it.value)})
			}
		}
	}
	u.Settings = append(u.Settings, e)
	return u.Save()
}

// Save writes the record, or deletes it when nothing is left to undo.
func (u *Undo) Save() error {
	if len(u.Made)+len(u.Settings) == 0 {
		if err := os.Remove(u.file); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
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

// Restore returns pi's settings with the edit undone: the earlier text if the settings have
// not changed since, else the present text with the entries added again. missing lists the
// sources that could not be added because their list is gone.
func (e SettingsEdit) Restore(now []byte) (text []byte, missing []string) {
	if bytes.Equal(now, e.After) {
		return e.Before, nil
	}
	for _, r := range e.Removed {
		it := item{value: jsontext.Value(r.Value)}
		lists, err := readLists(now)
		i := slices.IndexFunc(lists, func(l list) bool { return l.key == r.Key })
		switch {
		case err != nil || i < 0:
			missing = append(missing, it.name())
		case !lists[i].has(it):
			now = lists[i].insert(now, r.Index, r.Value)
		}
	}
	return now, missing
}

// Sources returns the sources of the removed entries.
func (e SettingsEdit) Sources() []string {
	var out []string
	for _, r := range e.Removed {
		out = append(out, item{value: jsontext.Value(r.Value)}.name())
	}
	return out
}

// Clean removes the directories that installing at t created and that are empty now. The
// directories of the record itself are removed once nothing else is left to undo and no
// other file is beside the record.
func (u *Undo) Clean(t Target) error {
	own := filepath.Dir(u.file)
	repo.Sweep(own)
	holdsRecord := func(dir string) bool { return inOrAbove(dir, own) }
	var remove, rest []string
	for _, dir := range u.Made {
		if inOrAbove(dir, filepath.Dir(t.Dir())) && !holdsRecord(dir) {
			remove = append(remove, dir)
		} else {
			rest = append(rest, dir)
		}
	}
	removeEmpty(remove) // before the record, so that a removal that is killed can be repeated
	u.Made, remove = rest, nil
	if len(u.Settings) == 0 && standsAlone(u.file) && !slices.ContainsFunc(rest, func(dir string) bool { return !holdsRecord(dir) }) {
		u.Made, remove = nil, rest
	}
	if err := u.Save(); err != nil {
		return err
	}
	removeEmpty(remove)
	return nil
}

// CleanRest removes the recorded directories that have become empty since Clean.
func (u *Undo) CleanRest() { removeEmpty(u.Made) }

// standsAlone reports whether a file is the only one in its directory.
func standsAlone(file string) bool {
	others, _ := os.ReadDir(filepath.Dir(file)) // if it cannot be read, removing it fails as well
	return !slices.ContainsFunc(others, func(e fs.DirEntry) bool { return e.Name() != filepath.Base(file) })
}

// removeEmpty removes the directories that are empty, inner ones first.
func removeEmpty(dirs []string) {
	dirs = slices.SortedFunc(slices.Values(dirs), func(a, b string) int { return len(b) - len(a) })
	for _, dir := range dirs {
		_ = os.Remove(dir)
	}
}

// inOrAbove reports whether dir is path or one of its parents.
func inOrAbove(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// name returns the source of an entry, or its JSON if it names none.
func (it item) name() string {
	if name, _ := it.source(); name != "" {
		return name
	}
	return string(it.value)
}

// has reports whether the list has an entry with the same name.
func (l list) has(it item) bool {
	return slices.ContainsFunc(l.items, func(o item) bool { return o.name() == it.name() })
}

// insert inserts an element into the list, spaced like its neighbours.
func (l list) insert(text []byte, at int, value string) []byte {
	if len(l.items) == 0 {
		return slices.Concat(text[:l.open], []byte(value), text[l.close:])
	}
	space := text[l.open:l.items[0].start]
	if len(space) == 0 {
		space = []byte(" ")
	}
	if at < len(l.items) {
		start := l.items[at].start
		return slices.Concat(text[:start], []byte(value), []byte(","), space, text[start:])
	}
	end := l.items[len(l.items)-1].end
	return slices.Concat(text[:end], []byte(","), space, []byte(value), text[end:])
}
