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

// Undo is what installations changed besides the folder of the extension, so that
// uninstalling can undo it: folders that were made, and entries that were removed from
// pi's settings. It is a file of the user's; a project cannot change it.
type Undo struct {
	file string

	Made     []string       `json:"made,omitempty"` // absolute
	Settings []SettingsEdit `json:"settings,omitempty"`
}

// SettingsEdit is one change of pi's settings.
type SettingsEdit struct {
	File    string        `json:"file"`
	Before  []byte        `json:"before"` // all of it
	After   []byte        `json:"after"`
	Removed []RemovedItem `json:"removed"`
}

// RemovedItem is an entry that was removed, and where it stood.
type RemovedItem struct {
	Key   string `json:"key"` // of its list
	Index int    `json:"index"`
	Value string `json:"value"` // its JSON, as it was written
}

// ReadUndo reads the record at file, which need not exist.
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

// Makes records the folders that an installation at t is about to make, and removes what
// an installation that was killed left beside the record.
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

// Edits records a change of settings that is about to be written.
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

// Restore returns what pi's settings are when the edit is undone: what they were, or,
// when they have changed since, what they are now with the entries put back. Missing
// are the sources that could not be put back, because their list is gone.
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

// Sources are what the removed entries name.
func (e SettingsEdit) Sources() []string {
	var out []string
	for _, r := range e.Removed {
		out = append(out, item{value: jsontext.Value(r.Value)}.name())
	}
	return out
}

// Clean removes the folders that installing at t made and that are empty now. Those that
// the record stands in go with it, once nothing else is left to undo and nothing stands
// beside the record.
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
	removeEmpty(remove) // before the record: if this is killed, the next removal finds it
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

// CleanRest removes the folders that are left to remove and empty now, after what stood
// in them is gone and the record with it.
func (u *Undo) CleanRest() { removeEmpty(u.Made) }

// standsAlone reports whether nothing else is in the folder of a file.
func standsAlone(file string) bool {
	others, _ := os.ReadDir(filepath.Dir(file)) // one that cannot be read stays as it is
	return !slices.ContainsFunc(others, func(e fs.DirEntry) bool { return e.Name() != filepath.Base(file) })
}

// removeEmpty removes folders, those within others first. One that is not empty stays.
func removeEmpty(dirs []string) {
	dirs = slices.SortedFunc(slices.Values(dirs), func(a, b string) int { return len(b) - len(a) })
	for _, dir := range dirs {
		_ = os.Remove(dir)
	}
}

// inOrAbove reports whether dir is path or a folder above it.
func inOrAbove(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// name is what an entry names, or its JSON.
func (it item) name() string {
	if name, _ := it.source(); name != "" {
		return name
	}
	return string(it.value)
}

// has reports whether the list has an entry that names the same.
func (l list) has(it item) bool {
	return slices.ContainsFunc(l.items, func(o item) bool { return o.name() == it.name() })
}

// insert puts an element into the list, spaced as its neighbours are.
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
