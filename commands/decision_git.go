package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/project"
)

// gitTime bounds a call of git.
const gitTime = 30 * time.Second

// gitError is what git says is wrong.
type gitError struct {
	args []string
	text string
}

// Error implements error.
func (e *gitError) Error() string {
	return fmt.Sprintf("run git %s: %s", e.args[0], e.text)
}

// git runs git in the project. Nothing that it prints or asks reaches the terminal.
func (w *decisions) git(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	path, err := exec.LookPath("git")
	if err != nil {
		return nil, &gitError{args, "it is not installed"}
	}
	cmd := exec.CommandContext(ctx, path, append([]string{"-C", w.pl.Root, "--no-pager"}, args...)...)
	cmd.Env = append(cmd.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("run git %s: %w", args[0], ctx.Err())
		}
		text := strings.TrimPrefix(strings.TrimSpace(errs.String()), "fatal: ")
		first, _, _ := strings.Cut(text, "\n")
		if first == "" {
			first = err.Error()
		}
		return nil, &gitError{args, first}
	}
	return out.Bytes(), nil
}

// lines reads the lines of a log.
func (w *decisions) lines(data []byte) *decision.Log {
	return decision.ReadLines(data, w.set.Config.Decisions.MaxLine)
}

// maxText is how many bytes a text may have.
func (w *decisions) maxText() int { return decision.TextLimit(w.set.Config.Decisions.MaxText) }

// The values of --root.
const (
	rootProject = "project"
	rootSuper   = "super"
)

// around is the place whose decisions are meant: that of a submodule, or the
// repository that holds it.
func (a *app) around(pl place) (place, error) {
	switch a.decisionRoot {
	case "", rootProject:
		return pl, nil
	case rootSuper:
	default:
		return pl, usageError("pictx decision list --root super", "there is no root %q: want project or super", a.decisionRoot)
	}
	w := &decisions{app: a, pl: pl}
	out, err := w.git(context.Background(), "rev-parse", "--show-superproject-working-tree")
	dir := strings.TrimRight(string(out), "\r\n")
	if err != nil || dir == "" {
		return pl, usageError("pictx decision list", "%s is no submodule: there is nothing around it", pl.Root)
	}
	p, err := project.Find(dir, pl.agentDir)
	return place{pl.agentDir, p}, err
}

// repository refuses what needs git where there is none.
func (w *decisions) repository(ctx context.Context) error {
	if _, err := w.git(ctx, "rev-parse", "--git-dir"); err != nil {
		var ge *gitError
		if errors.As(err, &ge) {
			return usageError("git init", "%s is in no git repository: %s", w.pl.Root, ge.text)
		}
		return err
	}
	return nil
}

// commit is the commit that a name means.
func (w *decisions) commit(ctx context.Context, ref string) (string, error) {
	if strings.HasPrefix(ref, "-") || ref == "" {
		return "", usageError("git log --oneline", "there is no commit %q", ref)
	}
	out, err := w.git(ctx, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	var ge *gitError
	if errors.As(err, &ge) {
		hint := "git log --oneline"
		if shallow, serr := w.git(ctx, "rev-parse", "--is-shallow-repository"); serr == nil && strings.TrimSpace(string(shallow)) == "true" {
			hint = "git fetch --unshallow"
		}
		return "", usageError(hint, "there is no commit %q here", ref)
	}
	return strings.TrimSpace(string(out)), err
}

// blob is the log as a commit has it, empty when it has none.
func (w *decisions) blob(ctx context.Context, commit string) ([]byte, error) {
	name, err := w.logName(ctx)
	if err != nil {
		return nil, err
	}
	list, err := w.git(ctx, "ls-tree", "-z", "--full-tree", commit, "--", name)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return w.git(ctx, "cat-file", "blob", commit+":"+name)
}

// logName is the log's path from the root of the work tree.
func (w *decisions) logName(ctx context.Context) (string, error) {
	out, err := w.git(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(w.pl.Root, w.log.Path())
	return strings.TrimSpace(string(out)) + filepath.ToSlash(rel), err
}

// span reads REF, REF..REF or REF...REF; a missing end is HEAD.
func (w *decisions) span(ctx context.Context, text string) (from, to string, err error) {
	first, last, two := strings.Cut(text, "..")
	symmetric := strings.HasPrefix(last, ".")
	last = strings.TrimPrefix(last, ".")
	if first == "" {
		first = "HEAD"
	}
	if two && last == "" {
		last = "HEAD"
	}
	if from, err = w.commit(ctx, first); err != nil {
		return "", "", err
	}
	if !two {
		return from, "", nil
	}
	if to, err = w.commit(ctx, last); err != nil {
		return "", "", err
	}
	if symmetric {
		base, err := w.git(ctx, "merge-base", from, to)
		if err != nil {
			return "", "", usageError("git fetch --unshallow", "%s and %s have no commit in common here", first, last)
		}
		from = strings.TrimSpace(string(base))
	}
	return from, to, nil
}
