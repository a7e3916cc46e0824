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

// originalName returns which of the extensions that pictx replaces a name stands for, ""
// for none. People copy two of them by a directory of their package, whose name differs.
func originalName(name string) string {
	switch name {
	case "pi-context-pruning", "pi-lcm", "pi-kota", "pi-decision-memory":
		return name
	case "context-pruning", "decision-memory":
		return "pi-" + name
	}
	return ""
}

// Original is an installed extension that does the same work as pictx.
type Original struct {
	Entry
	// Name is the common name of the extension.
	Name string
	// Target is where it is installed.
	Target Target
}

// Command returns a shell command that removes the extension.
func (o Original) Command() string {
	switch o.Kind {
	case Package:
		source := o.Source
		if o.Path != "" { // pi resolves a relative source from its working directory, unlike the settings
			source = o.Path
		}
		if o.Target.Local {
			return "pi remove -l " + text.ShellWord(source)
		}
		return "pi remove " + text.ShellWord(source)
	case Folder: // pi skips names that begin with a dot
		return fmt.Sprintf("mv %s %s", text.ShellWord(o.Path), text.ShellWord(filepath.Join(filepath.Dir(o.Path), "."+filepath.Base(o.Path))))
	}
	if o.Target.Local {
		return "pictx setup pi --local --yes"
	}
	return "pictx setup pi --yes"
}

// Originals lists the extensions that pictx replaces and that pi loads. Targets whose settings cannot be read do not prevent
// the others from being listed.
func Originals(home string, targets ...Target) ([]Original, error) {
	var found []Original
	var errs error
	for _, t := range targets {
		entries, err := t.Entries(home)
		errs = errors.Join(errs, err)
		for _, e := range entries {
			if name := originalName(e.Name); name != "" && !e.Off {
				found = append(found, Original{Entry: e, Name: name, Target: t})
			}
		}
	}
	return found, errs
}

// LockSettings takes the lock that pi takes for its own changes of the settings: a
// directory beside the file, ignored once it is old. The error is an fs.ErrExist while pi
// holds the lock.
func LockSettings(file string) (unlock func(), err error) {
	const tries, pause, stale = 30, 100 * time.Millisecond, 10 * time.Second
	lock := file + ".lock"
	for range tries {
		if err = os.Mkdir(lock, 0o755); err == nil {
			return func() { _ = os.Remove(lock) }, nil // if that fails, the lock becomes stale
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
