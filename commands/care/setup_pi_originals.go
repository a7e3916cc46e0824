package care

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks/pi"
	"github.com/coctostan/pictx/repo"
	"github.com/coctostan/pictx/workspace"
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

// original is an extension that does the same work as pictx.
type original struct {
	pi.Entry
	name    string
	target  pi.Target
	project bool
	removed bool
}

// originalView is an original in JSON.
type originalView struct {
	Name    string  `json:"name"`
	Kind    pi.Kind `json:"kind"`
	Source  string  `json:"source"`
	Command string  `json:"command"` // that takes it out
	Removed bool    `json:"removed"`
}

func (o original) json() originalView {
	return originalView{Name: o.name, Kind: o.Kind, Source: o.Source, Command: o.command(), Removed: o.removed}
}

// command takes it out, as a person can paste it.
func (o original) command() string {
	switch o.Kind {
	case pi.Package:
		source := o.Source
		if o.Path != "" { // pi reads it from where it runs, the settings from where they are
			source = o.Path
		}
		if o.project {
			return "pi remove -l " + text.ShellWord(source)
		}
		return "pi remove " + text.ShellWord(source)
	case pi.Folder: // pi passes over names that begin with a dot
		return fmt.Sprintf("mv %s %s", text.ShellWord(o.Path), text.ShellWord(filepath.Join(filepath.Dir(o.Path), "."+filepath.Base(o.Path))))
	}
	if o.project {
		return "pictx setup pi --project --yes"
	}
	return "pictx setup pi --yes"
}

// originals lists those that pi loads, for the user and in the project.
func originals(a *cli.Run, pl workspace.Place) ([]original, error) {
	var found []original
	var errs error
	for i, t := range []pi.Target{{Root: pl.AgentDir}, projectTarget(pl)} {
		if i > 0 && workspace.SamePath(t.Root, pl.AgentDir) {
			continue
		}
		entries, err := t.Entries(a.Env.Getenv("HOME"))
		errs = errors.Join(errs, err)
		for _, e := range entries {
			if name := originalName(e.Name); name != "" && !e.Off {
				found = append(found, original{Entry: e, name: name, target: t, project: i > 0})
			}
		}
	}
	return found, errs
}

func (s *setup) originals() ([]original, error) { return originals(s.Run, s.Place) }

// disableOriginals takes the extensions that do the same work out of pi's
// settings when the user agrees, and names those that stay. Without anybody to
// ask they all do.
func (s *setup) disableOriginals(ctx context.Context) ([]original, error) {
	found, err := s.originals()
	if err != nil {
		return found, err
	}
	agreed, err := s.agree(ctx, found)
	if err == nil && agreed {
		err = s.takeOutOriginals(found)
	}
	for _, o := range found {
		if !o.removed {
			fmt.Fprintf(s.Env.Err, "pictx: warning: %s is installed, which does the same work: %s\n", o.name, text.TerminalLine(o.Source))
			fmt.Fprintf(s.Env.Err, "hint: %s\n", text.Printable(o.command()))
		}
	}
	return found, err
}

// agree asks whether to remove the packages from the settings. A folder is the user's
// own, and an agent is not asked.
func (s *setup) agree(ctx context.Context, found []original) (bool, error) {
	var names []string
	for _, o := range found {
		if o.Kind != pi.Folder {
			names = append(names, o.name)
		}
	}
	asked := s.yes || s.Env.InTerminal && s.Env.ErrTerminal
	if len(names) == 0 || !asked || s.Env.Agent() {
		return false, nil
	}
	question := "Take " + strings.Join(names, ", ") + " out of pi's settings? They do the same work."
	err := s.Confirm(ctx, s.yes, question, "Nothing is deleted: the packages stay on the disk.")
	if code, _ := workspace.Verdict(err); err != nil && code == exit.Refused && ctx.Err() == nil {
		return false, nil // no is an answer
	}
	return err == nil, err
}

// takeOutOriginals edits the settings that name them.
func (s *setup) takeOutOriginals(found []original) error {
	for _, project := range []bool{false, true} {
		var drop []pi.Entry
		var target pi.Target
		for _, o := range found {
			if o.project == project && o.Kind != pi.Folder {
				drop, target = append(drop, o.Entry), o.target
			}
		}
		if len(drop) == 0 {
			continue
		}
		if err := s.editSettings(target, drop, project); err != nil {
			return err
		}
		for i := range found {
			found[i].removed = found[i].removed || found[i].project == project && found[i].Kind != pi.Folder
		}
	}
	return nil
}

// editSettings takes entries out of pi's settings, while pi waits for its lock.
func (s *setup) editSettings(t pi.Target, drop []pi.Entry, project bool) error {
	file := filepath.Join(t.Root, "settings.json")
	if to, err := filepath.EvalSymlinks(file); err == nil && project && !workspace.Inside(to, s.Root) {
		return exit.WithHint(exit.Refused, "ls -l "+text.ShellWord(file), fmt.Errorf("edit settings: %s leads out of the project", file))
	}
	unlock, err := lockSettings(file)
	if err != nil {
		return err
	}
	defer unlock()
	file, body, err := t.WithoutEntries(drop)
	if err != nil {
		return err
	}
	if err := repo.Replace(file, body, 0o600); err != nil {
		return setupError(t, err)
	}
	for _, e := range drop {
		fmt.Fprintf(s.Env.Err, "pictx: took %s out of %s\n", text.TerminalLine(e.Source), file)
	}
	return nil
}

// lockSettings takes the lock that pi takes around its own changes: a folder
// beside the file, forgotten when it is old.
func lockSettings(file string) (unlock func(), err error) {
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
	return nil, exit.WithHint(exit.Busy, "try again, or rmdir "+text.ShellWord(lock), errors.New("lock settings: pi is changing "+file))
}
