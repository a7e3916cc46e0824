package pi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/coctostan/pictx/core/text"
)

// originalName tells which of the extensions that do the work of pictx a name
// is, "" for none. Two of them have a folder of another name in their package,
// which people copy.
func originalName(name string) string {
	switch name {
	case "pi-context-pruning", "pi-lcm", "pi-kota", "pi-decision-memory":
		return name
	case "context-pruning", "decision-memory":
		return "pi-" + name
	}
	return ""
}

// Original is an extension that does the same work as pictx.
type Original struct {
	Entry
	// Name is what people call it.
	Name string
	// Target is the place whose settings or folders have it, which Project says is a
	// project's.
	Target  Target
	Project bool
	// Removed is set when it was taken out of the settings.
	Removed bool
}

// Command removes it, as a person can paste it.
func (o Original) Command() string {
	switch o.Kind {
	case Package:
		source := o.Source
		if o.Path != "" { // pi reads it from where it runs, the settings from where they are
			source = o.Path
		}
		if o.Project {
			return "pi remove -l " + text.ShellWord(source)
		}
		return "pi remove " + text.ShellWord(source)
	case Folder: // pi passes over names that begin with a dot
		return fmt.Sprintf("mv %s %s", text.ShellWord(o.Path), text.ShellWord(filepath.Join(filepath.Dir(o.Path), "."+filepath.Base(o.Path))))
	}
	if o.Project {
		return "pictx setup pi --local --yes"
	}
	return "pictx setup pi --yes"
}

// Originals lists those that pi loads: of the user, whose target is the first, and of a
// project. What can be read of the settings counts, whatever is wrong with the others.
func Originals(home string, targets ...Target) ([]Original, error) {
	var found []Original
	var errs error
	for i, t := range targets {
		entries, err := t.Entries(home)
		errs = errors.Join(errs, err)
		for _, e := range entries {
			if name := originalName(e.Name); name != "" && !e.Off {
				found = append(found, Original{Entry: e, Name: name, Target: t, Project: i > 0})
			}
		}
	}
	return found, errs
}

// LockSettings takes the lock that pi takes around its own changes: a folder
// beside the file, forgotten when it is old. It is an fs.ErrExist while pi holds it.
func LockSettings(file string) (unlock func(), err error) {
	const tries, pause, stale = 30, 100 * time.Millisecond, 10 * time.Second
	lock := file + ".lock"
	for range tries {
		if err = os.Mkdir(lock, 0o755); err == nil {
			return func() { _ = os.Remove(lock) }, nil // one that stays is forgotten
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("lock settings: %w", err)
		}
		if st, serr := os.Stat(lock); serr == nil && time.Since(st.ModTime()) > stale {
			_ = os.Remove(lock)
			continue
		}
		time.Sleep(pause)
	}
	return nil, fmt.Errorf("lock settings: pi is changing %s: %w", file, fs.ErrExist)
}
