//go:build unix

package repo_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/repo"
)

// The configuration of a repository may name files that never end, as /dev/zero, for git to
// read. A pipe into which nobody writes stands for them: it costs no memory.
func TestGitReadsNoFileThatTheRepositoryConfigures(t *testing.T) {
	t.Parallel()
	dir, _ := hostile(t)
	pipe := filepath.Join(t.TempDir(), "endless")
	must.Do(t, syscall.Mkfifo(pipe, 0o600))
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
	must.Do(t, os.WriteFile(attributes, []byte("a.ts -diff\n"), 0o600))
	must.Do(t, os.WriteFile(filepath.Join(dir, ".gitattributes"), nil, 0o600))
	gitIn(t, dir, "config", "--global", "core.attributesFile", attributes)
	cmd := must.Get(repo.Git(t.Context(), dir, "diff", "HEAD", "--", "a.ts"))(t)
	out, err := cmd.Output()
	must.Not(t, err != nil || !strings.Contains(string(out), "Binary files"), "%v\n%s", err, out)
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
		must.Do(t, os.RemoveAll(at))
		must.Do(t, syscall.Mkfifo(filepath.Join(dir, "endless"), 0o600))
		must.Do(t, os.MkdirAll(filepath.Dir(at), 0o700))
		must.Do(t, os.Symlink(filepath.Join(dir, "endless"), at))
		sub := filepath.Join(dir, "below")
		must.Do(t, os.Mkdir(sub, 0o700))
		for _, in := range []string{dir, sub} {
			cmd, err := repo.Git(t.Context(), in, args...)
			must.Not(t, err == nil || !strings.Contains(err.Error(), name+": it is not a regular file"), "git %v is prepared as %v where %s has no end: %v", args, cmd, name, err)
		}
	}
}

func TestGitIsNotStartedWhereItsAttributesAreHuge(t *testing.T) {
	t.Parallel()
	dir, _ := hostile(t)
	at := filepath.Join(dir, ".git", "info", "attributes")
	must.Do(t, os.MkdirAll(filepath.Dir(at), 0o700))
	must.Do(t, os.WriteFile(at, nil, 0o600))
	if err := os.Truncate(at, 1<<40); err != nil { // sparse: it takes no room
		t.Skip(err)
	}
	if _, err := repo.Git(t.Context(), dir, "diff", "HEAD"); err == nil || !strings.Contains(err.Error(), "info/attributes: it has") {
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

// Objects, refs and files of patterns are too many to be looked at.
func TestGitThatWaitsForAPipeIsStopped(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		".git/refs/heads/endless": {"rev-parse", "endless"},
		"deep/er/.gitignore":      {"ls-files", "--others", "--exclude-standard"},
		".gitattributes":          {"check-attr", "merge", "--", "a.ts"},
		".mailmap":                {"blame", "a.ts"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, _ := hostile(t)
			file := filepath.Join(dir, filepath.FromSlash(name))
			_ = os.Remove(file)
			must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), syscall.Mkfifo(file, 0o600)))
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			out, _, err := repo.Run(ctx, dir, args...)
			must.Not(t, !errors.Is(err, context.DeadlineExceeded), "git %v: %v\n%s", args, err, out)
		})
	}
}
