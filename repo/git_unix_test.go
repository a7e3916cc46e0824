//go:build unix

package repo_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/repo"
)

// The configuration of a repository may name files that never end, as /dev/zero, for git to
// read. A pipe into which nobody writes stands for them: it costs no memory.
func TestGitReadsNoFileThatTheRepositoryConfigures(t *testing.T) {
	t.Parallel()
	dir, _ := hostile(t)
	pipe := filepath.Join(t.TempDir(), "endless")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	within := func(time time.Duration, start func(ctx context.Context) (*exec.Cmd, error)) ([]byte, error) {
		ctx, cancel := context.WithTimeout(t.Context(), time)
		defer cancel()
		cmd, err := start(ctx)
		if err != nil {
			return nil, err
		}
		return cmd.CombinedOutput()
	}
	for key, args := range map[string][]string{
		"mailmap.file":         {"blame", "--line-porcelain", "--", "a.ts"},
		"blame.ignoreRevsFile": {"blame", "--line-porcelain", "--", "a.ts"},
		"core.attributesFile":  {"blame", "--line-porcelain", "--", "a.ts"},
		"Core.AttributesFile":  {"diff", "HEAD"},
		"core.attributesfile":  {"check-attr", "merge", "--", "a.ts"},
		"core.excludesFile":    {"ls-files", "-z", "--others", "--exclude-standard"},
		"diff.orderFile":       {"diff", "--name-status", "-z", "HEAD", "--"},
		"Mailmap.File":         {"log", "--format=%B", "-1"},
	} {
		gitIn(t, dir, "config", key, pipe)
		if out, err := within(time.Second/2, func(ctx context.Context) (*exec.Cmd, error) {
			return exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.fsmonitor=", "-c", "filter.evil.process="}, args...)...), nil
		}); err == nil {
			t.Errorf("git %v itself does not read %s: this shows nothing: %s", args, key, out)
		}
		if out, err := within(20*time.Second, func(ctx context.Context) (*exec.Cmd, error) { return repo.Git(ctx, dir, args...) }); err != nil {
			t.Errorf("git %v reads %s: %v\n%s", args, key, err, out)
		}
		gitIn(t, dir, "config", "--unset", key)
	}
}

// Attributes that users keep for all their repositories are theirs.
func TestGitReadsTheAttributesOfTheUser(t *testing.T) {
	dir, _ := hostile(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	attributes := filepath.Join(home, "attributes")
	if err := os.WriteFile(attributes, []byte("a.ts -diff\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".gitattributes"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, "config", "--global", "core.attributesFile", attributes)
	cmd, err := repo.Git(t.Context(), dir, "diff", "HEAD", "--", "a.ts")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), "Binary files") {
		t.Errorf("%v\n%s", err, out)
	}
}

// An unpacked archive may bring its own .git, in which any file may be a link to /dev/zero.
func TestGitIsNotStartedWhereAFileOfItsOwnHasNoEnd(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"info/attributes": {"diff", "HEAD"},
		"info/exclude":    {"ls-files", "--others", "--exclude-standard"},
		"packed-refs":     {"rev-parse", "HEAD"},
		"config":          {"rev-parse", "HEAD"},
		"index":           {"ls-files"},
		"shallow":         {"log"},
	} {
		dir, _ := hostile(t)
		at := filepath.Join(dir, ".git", filepath.FromSlash(name))
		if err := os.RemoveAll(at); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(filepath.Join(dir, "endless"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(dir, "endless"), at); err != nil {
			t.Fatal(err)
		}
		sub := filepath.Join(dir, "below")
		if err := os.Mkdir(sub, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, in := range []string{dir, sub} {
			if cmd, err := repo.Git(t.Context(), in, args...); err == nil || !strings.Contains(err.Error(), name+": it is not a regular file") {
				t.Errorf("git %v is prepared as %v where %s has no end: %v", args, cmd, name, err)
			}
		}
	}
}

func TestGitIsNotStartedWhereItsAttributesAreHuge(t *testing.T) {
	t.Parallel()
	dir, _ := hostile(t)
	at := filepath.Join(dir, ".git", "info", "attributes")
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(at, 1<<40); err != nil { // sparse: it takes no room
		t.Skip(err)
	}
	if _, err := repo.Git(t.Context(), dir, "diff", "HEAD"); err == nil || !strings.Contains(err.Error(), "info/attributes: it has") {
		t.Errorf("git is prepared: %v", err)
	}
}

// The directory of a repository may be elsewhere, and refs are files with any name.
func TestGitIsNotStartedWhereADirectoryItIsLedToHasNoEnd(t *testing.T) {
	t.Parallel()
	elsewhere := func(t *testing.T, dir string) string {
		to := filepath.Join(t.TempDir(), "elsewhere")
		if err := os.Rename(filepath.Join(dir, ".git"), to); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: "+to+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return to
	}
	here := func(_ *testing.T, dir string) string { return filepath.Join(dir, ".git") }
	for name, c := range map[string]struct {
		at   func(*testing.T, string) string
		file string
		args []string
	}{
		"a .git file that leads to a HEAD without end":   {elsewhere, "HEAD", []string{"ls-files"}},
		"a .git file that leads to an index without end": {elsewhere, "index", []string{"ls-files"}},
		"refs without end":           {here, "refs/heads/endless", []string{"rev-parse", "endless"}},
		"refs without end elsewhere": {elsewhere, "refs/tags/deep/endless", []string{"log", "-1", "endless"}},
		"what several work trees share": {func(t *testing.T, dir string) string {
			at := elsewhere(t, dir)
			common := t.TempDir()
			if err := os.WriteFile(filepath.Join(at, "commondir"), []byte(common+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			return common
		}, "packed-refs", []string{"rev-parse", "HEAD"}},
		"a repository without a work tree": {func(t *testing.T, dir string) string {
			if err := os.Rename(filepath.Join(dir, ".git"), filepath.Join(dir, "bare")); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(dir, "bare")
		}, "packed-refs", []string{"rev-parse", "HEAD"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, _ := hostile(t)
			at := c.at(t, dir)
			if filepath.Base(at) == "bare" {
				dir = at
			}
			file := filepath.Join(at, filepath.FromSlash(c.file))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			_ = os.Remove(file)
			if err := syscall.Mkfifo(file, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			cmd, err := repo.Git(ctx, dir, c.args...)
			if err == nil || !strings.Contains(err.Error(), c.file+": it is not a regular file") {
				t.Errorf("git %v is prepared as %v: %v", c.args, cmd, err)
			}
		})
	}
}

func TestRefsThatLeadRoundInACircleAreNotFollowed(t *testing.T) {
	t.Parallel()
	dir, _ := hostile(t)
	if err := os.Symlink("..", filepath.Join(dir, ".git", "refs", "circle")); err != nil {
		t.Fatal(err)
	}
	if _, err := repo.Git(t.Context(), dir, "log"); err == nil || !strings.Contains(err.Error(), "refs/circle: it is a link to a directory") {
		t.Errorf("git is prepared: %v", err)
	}
}

func TestGitWorksInALinkedWorkTreeAndInARepositoryWithoutOne(t *testing.T) {
	t.Parallel()
	dir, _ := hostile(t)
	linked, bare := filepath.Join(t.TempDir(), "linked"), filepath.Join(t.TempDir(), "bare.git")
	gitIn(t, dir, "-c", "core.fsmonitor=", "-c", "filter.evil.process=", "worktree", "add", "-q", "--detach", linked)
	gitIn(t, dir, "clone", "-q", "--bare", dir, bare)
	for _, in := range []string{dir, linked, bare} {
		cmd, err := repo.Git(t.Context(), in, "rev-parse", "--verify", "HEAD")
		if err != nil {
			t.Fatal(in, err)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", in, err, out)
		}
	}
}

// Objects and files of patterns are too many to be looked at before git starts.
func TestGitThatWaitsForAPipeIsStoppedAndThePipeIsNamed(t *testing.T) {
	t.Parallel()
	object := func(t *testing.T, dir string) string {
		out, err := exec.Command("git", "-C", dir, "rev-parse", "HEAD").Output()
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(".git", "objects", string(out[:2]), string(out[2:40]))
	}
	named := func(name string) func(*testing.T, string) string {
		return func(*testing.T, string) string { return filepath.FromSlash(name) }
	}
	for name, c := range map[string]struct {
		at   func(t *testing.T, dir string) string
		args []string
	}{
		"an object": {object, []string{"log"}},
		"an index of a pack": {func(t *testing.T, dir string) string {
			pack := filepath.Join(".git", "objects", "pack", "pack-"+strings.Repeat("1", 40))
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, filepath.Dir(pack)), 0o700), os.WriteFile(filepath.Join(dir, pack+".pack"), nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			return pack + ".idx"
		}, []string{"cat-file", "-t", strings.Repeat("2", 40)}},
		"ignored files":          {named("deep/er/.gitignore"), []string{"ls-files", "--others", "--exclude-standard"}},
		"attributes":             {named(".gitattributes"), []string{"check-attr", "merge", "--", "a.ts"}},
		"attributes for a blame": {named(".gitattributes"), []string{"blame", "a.ts"}},
		"names of people":        {named(".mailmap"), []string{"blame", "a.ts"}},
		"what is borrowed from": {func(t *testing.T, dir string) string {
			from := object(t, dir)
			other := filepath.Join("borrowed", "objects", strings.TrimPrefix(from, filepath.Join(".git", "objects")))
			info := filepath.Join(dir, ".git", "objects", "info")
			_ = os.MkdirAll(info, 0o700)
			if err := errors.Join(os.Remove(filepath.Join(dir, from)),
				os.WriteFile(filepath.Join(info, "alternates"), []byte("../../borrowed/objects\n"), 0o600)); err != nil {
				t.Fatal(err)
			}
			return other
		}, []string{"log"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, _ := hostile(t)
			at := c.at(t, dir)
			file := filepath.Join(dir, at)
			_ = os.Remove(file)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(file, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			out, _, err := repo.Run(ctx, dir, c.args...)
			if !errors.Is(err, repo.ErrEndless) || !strings.Contains(err.Error(), at+": ") {
				t.Errorf("git %v: %v, want that %s is a pipe\n%s", c.args, err, at, out)
			}
		})
	}
}

// A socket of git's own, and pipes that git does not read, stop nobody.
func TestGitThatTakesLongIsNotStopped(t *testing.T) {
	t.Parallel()
	dir, _ := hostile(t)
	socket, err := net.Listen("unix", filepath.Join(dir, ".git", "s"))
	if err != nil {
		t.Skip(err) // the path may be too long
	}
	defer socket.Close()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := repo.LookFor(t.Context(), dir); err != nil {
		t.Error(err)
	}
}
