package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks/pi"
	"github.com/coctostan/pictx/repo"
	"github.com/coctostan/pictx/sqlite"
)

// Self returns the path of this program for the extension to run. It prefers the path by
// which the program was called if that is the same file: the link of a package manager
// survives an update, the versioned directory behind it does not.
func (a *Workspace) Self() (pi.Binary, error) {
	exe := a.Env.Self
	if called := a.calledAs(os.Args[0]); called != "" && SamePath(called, exe) {
		exe = called
	}
	if Fleeting(exe) {
		return pi.Binary{}, exit.WithHint(exit.Failed, "pi install npm:"+pi.PackageName+", or npm install -g "+pi.PackageName+" and pictx setup",
			errors.New("install extension: "+exe+" was made for one run and is gone soon"))
	}
	return pi.Binary{Path: exe, Version: a.VersionInfo().Version}, nil
}

// calledAs returns the absolute path of a program called by name, "" if it is not found.
func (a *Workspace) calledAs(name string) string {
	if filepath.Base(name) != name {
		return a.Path(name)
	}
	return a.LookPath(name, "")
}

// LookPath finds a program in the absolute directories of PATH, except those inside the
// directory outside, which may be "".
func (a *Workspace) LookPath(name, outside string) string {
	for _, dir := range filepath.SplitList(a.Env.Getenv("PATH")) {
		if !filepath.IsAbs(dir) || outside != "" && Inside(dir, outside) {
			continue
		}
		for _, ext := range []string{"", ".exe", ".cmd"} {
			p := filepath.Join(dir, name+ext)
			st, err := os.Stat(p)
			if err == nil && st.Mode().IsRegular() && (ext != "" || st.Mode().Perm()&0o111 != 0) {
				return p
			}
		}
	}
	return ""
}

// Inside reports whether a path is a directory or below it.
func Inside(p, dir string) bool {
	if r, err := filepath.EvalSymlinks(p); err == nil {
		p = r
	}
	rel, err := filepath.Rel(dir, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// SamePath reports whether two paths lead to the same file.
func SamePath(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// Fleeting reports whether a program is in a temporary directory of go run, or in npx's cache.
func Fleeting(exe string) bool {
	dir := regexp.MustCompile(`^(go-build\d*|_npx)$`)
	for _, part := range strings.Split(filepath.ToSlash(filepath.Dir(exe)), "/") {
		if dir.MatchString(part) {
			return true
		}
	}
	return false
}

// VersionInfo describes a build.
type VersionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	SQLite   string `json:"sqlite"`
	Driver   string `json:"driver"` // of SQLite: in C or in Go
	Schema   int    `json:"schema"`
}

// resolveVersion returns the version of a build: the one that the release build injected, else
// the module's, which names the revision of a checkout, else "development".
func resolveVersion(injected string, info *debug.BuildInfo) VersionInfo {
	v := VersionInfo{Version: injected}
	if info != nil {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				v.Revision = s.Value
			case "vcs.modified":
				v.Modified = s.Value == "true"
			}
		}
		v.Version = cmp.Or(v.Version, strings.TrimPrefix(info.Main.Version, "(devel)"))
	}
	v.Version = cmp.Or(v.Version, "development")
	return v
}

// VersionInfo describes the running binary.
func (a *Workspace) VersionInfo() VersionInfo {
	info, _ := debug.ReadBuildInfo()
	v := resolveVersion(a.Env.Version, info)
	v.Go, v.Platform = runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH
	lib := sqlite.Library()
	v.SQLite, v.Driver, v.Schema = lib.Version, lib.Driver, sqlite.SchemaVersion()
	return v
}

// UndoFile is the record of what setup changed besides the extension.
func UndoFile(pl Project) string { return filepath.Join(pl.AgentDir, "pictx", "setup.json") }

// EditPiSettings changes pi's settings while it holds pi's lock. The settings of a project must be
// inside it.
func EditPiSettings(pl Project, t pi.Target, edit func(text []byte) ([]byte, error)) error {
	file := t.SettingsFile()
	if to, err := filepath.EvalSymlinks(file); err == nil && t.Local && !Inside(to, pl.Root) {
		return exit.WithHint(exit.Refused, "ls -l "+text.ShellWord(file), fmt.Errorf("edit settings: %s leads out of the project", file))
	}
	unlock, err := pi.LockSettings(file)
	if errors.Is(err, fs.ErrExist) {
		err = exit.WithHint(exit.Busy, "try again, or rmdir "+text.ShellWord(file+".lock"), err)
	}
	if err != nil {
		return err
	}
	defer unlock()
	now, err := t.ReadSettings()
	if err != nil {
		return fmt.Errorf("edit settings: %w", err)
	}
	after, err := edit(now)
	if err != nil {
		return err
	}
	return repo.Replace(file, after, 0o600)
}

// OneProgram rejects a command line given as the name of a program. Its words have to be a
// list.
func OneProgram(key, value string) error {
	words := strings.Fields(value)
	if !strings.HasSuffix(key, ".command") || len(words) < 2 || strings.ContainsAny(value, `,["`) {
		return nil
	}
	if _, err := exec.LookPath(value); err == nil {
		return nil // the program's name has spaces
	}
	return exit.UsageError("pictx config set "+key+" "+text.ShellWord(strings.Join(words, ",")), "set %s: there is no program %q; commas separate it from its arguments", key, value)
}
