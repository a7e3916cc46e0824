package pi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/text"
)

// Replaces returns which of the extensions that pictx replaces the entry is, "" if it is none. People
// copy two of them by a directory of their package, whose name differs.
func (e Entry) Replaces() string {
	switch e.Name {
	case "pi-context-pruning", "pi-lcm", "pi-kota", "pi-decision-memory":
		return e.Name
	case "context-pruning", "decision-memory":
		return "pi-" + e.Name
	}
	return ""
}

// RemoveCommand returns a shell command that removes a package, or an extension that pictx replaces.
func (e Entry) RemoveCommand() string {
	flag := ""
	if e.Target.Local {
		flag = "-l "
	}
	switch e.Kind {
	case Package:
		source := e.Source
		if e.Path != "" { // pi resolves a relative source from its working directory, unlike the settings
			source = e.Path
		}
		return "pi remove " + flag + text.ShellWord(source)
	case Folder: // pi skips names that begin with a dot
		return fmt.Sprintf("mv %s %s", text.ShellWord(e.Path), text.ShellWord(filepath.Join(filepath.Dir(e.Path), "."+filepath.Base(e.Path))))
	}
	return "pictx setup pi " + flag + "--yes"
}

// Originals lists the extensions that pictx replaces and that pi loads. Targets whose settings
// cannot be read do not prevent the others from being listed.
func Originals(home string, targets ...Target) (found []Entry, errs error) {
	for _, t := range targets {
		entries, err := t.Entries(home)
		errs = errors.Join(errs, err)
		found = append(found, slices.DeleteFunc(entries, func(e Entry) bool { return e.Off || e.Replaces() == "" })...)
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
