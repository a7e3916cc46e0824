package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/hooks/pi"
)

// Self says where this program is, as an extension can find it again: by the path
// it was called by, when that is this file. A package manager's link outlives the
// folder of one version that it leads to.
func (a *Workspace) Self() (pi.Binary, error) {
	exe, err := os.Executable()
	if err != nil {
		return pi.Binary{}, fmt.Errorf("find this program: %w", err)
	}
	if called := a.calledAs(os.Args[0]); called != "" && SamePath(called, exe) {
		exe = called
	}
	if Built(exe) {
		return pi.Binary{}, exit.WithHint(exit.Failed, "go install -tags sqlite_fts5 github.com/coctostan/pictx/cmd/pictx@latest, then pictx setup pi",
			errors.New("install extension: "+exe+" was made by go run and is gone soon"))
	}
	return pi.Binary{Path: exe, Version: a.VersionInfo().Version}, nil
}

// calledAs is the absolute path of a program called by name, "" when it is not
// found.
func (a *Workspace) calledAs(name string) string {
	if filepath.Base(name) != name {
		return a.Path(name)
	}
	return a.LookPath(name, "")
}

// LookPath finds a program in the absolute folders of PATH, but not below
// outside, which may be "".
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

// Built reports whether a program stands where go run puts it.
func Built(exe string) bool {
	dir := regexp.MustCompile(`^go-build\d*$`)
	for _, part := range strings.Split(filepath.ToSlash(filepath.Dir(exe)), "/") {
		if dir.MatchString(part) {
			return true
		}
	}
	return false
}
