//go:build unix

package repo_test

import (
	"context"
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
