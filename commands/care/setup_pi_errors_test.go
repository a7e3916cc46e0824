package care

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks/pi"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
)

func TestDiskErrorsNameARemedy(t *testing.T) {
	t.Parallel()
	target := pi.Target{Root: "/home/me/.pi/agent"}
	for name, c := range map[string]struct {
		err  error
		code int
		hint string
	}{
		"full disk":      {&fs.PathError{Op: "write", Path: "a", Err: syscall.ENOSPC}, exit.Failed, "df -h '/home/me/.pi/agent'"},
		"read-only disk": {&fs.PathError{Op: "mkdir", Path: "a", Err: syscall.EROFS}, exit.Failed, "pi install npm:pictx"},
		"not permitted":  {&fs.PathError{Op: "mkdir", Path: "a", Err: syscall.EACCES}, exit.Failed, "pi install npm:pictx"},
		"in the way":     {&fs.PathError{Op: "mkdir", Path: "a", Err: syscall.ENOTDIR}, exit.Failed, "ls -ld '/home/me/.pi/agent'"},
		"a link":         {&pi.LinkError{Path: "/a/b", Target: "/c"}, exit.Refused, "rm '/a/b'"},
		"anything else":  {syscall.EIO, exit.Failed, ""},
	} {
		err := setupError(target, fmt.Errorf("install extension: %w", c.err))
		if code, hint := workspace.Verdict(err); code != c.code || !strings.Contains(hint, c.hint) || (c.hint == "") != (hint == "") {
			t.Errorf("%s: code %d, hint %q; want %d, %q", name, code, hint, c.code, c.hint)
		}
	}
	if err := setupError(target, nil); err != nil {
		t.Error(err)
	}
}

func TestBinariesOfGoRunAndNpxAreRecognisedByTheirPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"/tmp/go-build123456/b001/exe/pictx": true, "/home/me/.cache/go-build/ab/abc-d/pictx": true,
		"/home/me/.npm/_npx/1a2b/node_modules/@coctostan/pictx-linux-x64/bin/pictx": true,
		"/home/me/go/bin/pictx": false, "/usr/bin/go-build": false, "/home/me/go-builder/pictx": false,
	} {
		must.Equal(t, workspace.Fleeting(path), want, "%s", path)
	}
}

func TestAProgramIsLookedForInAbsoluteFoldersOutsideTheProject(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	at := func(perm os.FileMode, parts ...string) string {
		p := filepath.Join(append([]string{root}, parts...)...)
		must.Do(t, os.MkdirAll(filepath.Dir(p), 0o700))
		must.Do(t, os.WriteFile(p, nil, perm))
		return p
	}
	at(0o755, "project", "bin", "pi")
	at(0o644, "plain", "pi")
	want := at(0o755, "bin", "pi")
	must.Do(t, os.MkdirAll(filepath.Join(root, "folder", "pi"), 0o700))
	if err := os.Symlink(filepath.Join(root, "project", "bin"), filepath.Join(root, "link")); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	var dirs []string
	for _, d := range []string{"project/bin", "link", "plain", "folder", "none", "bin"} {
		dirs = append(dirs, filepath.Join(root, d))
	}
	path := strings.Join(append([]string{"", ".", "bin"}, dirs...), string(filepath.ListSeparator))
	a := cli.NewRun(&cli.Env{Process: workspace.Process{Environ: []string{"PATH=" + path}}})
	must.Equal(t, a.LookPath("pi", filepath.Join(root, "project")), want, "found")
	must.Equal(t, a.LookPath("pi", ""), filepath.Join(dirs[0], "pi"), "without a project found")
}

func TestShellWordsAreQuotedWhenNeeded(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"npm:@me/pi-lcm@1.0.0": "npm:@me/pi-lcm@1.0.0", "/a b": "'/a b'", "it's": `'it'\''s'`, "": "''", "a;b": "'a;b'", "~/a": "'~/a'",
	} {
		must.Equal(t, text.ShellWord(word), want, "%q", word)
	}
}
