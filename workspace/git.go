package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/repo"
)

// Git runs git in the project and returns its output. It never prints or prompts on the
// terminal.
func (w *DecisionLog) Git(ctx context.Context, args ...string) ([]byte, error) {
	out, errs, err := repo.Run(ctx, w.Project.Root, args...)
	var ended *exec.ExitError
	switch {
	case err == nil:
		return out, nil
	case errors.Is(err, exec.ErrNotFound):
		return nil, &gitError{args, "it is not installed"}
	case ctx.Err() != nil:
		return nil, fmt.Errorf("run git %s: %w", args[0], ctx.Err())
	case !errors.As(err, &ended):
		return nil, fmt.Errorf("run git %s: %w", args[0], err)
	}
	text := strings.TrimPrefix(strings.TrimSpace(string(errs)), "fatal: ")
	first, _, _ := strings.Cut(text, "\n")
	return nil, &gitError{args, cmp.Or(first, err.Error())}
}

// Check returns an error with a hint if the project is not in a git repository.
func (w *DecisionLog) Check(ctx context.Context) error {
	var ge *gitError
	_, err := w.Git(ctx, "rev-parse", "--git-dir")
	switch {
	case !errors.As(err, &ge):
		return err
	case strings.Contains(ge.text, "dubious ownership"):
		return exit.UsageError("git config --global --add safe.directory "+text.ShellWord(w.Project.Root), "git refuses %s: %s", w.Project.Root, ge.text)
	case strings.Contains(ge.text, "not a git repository"):
		return exit.UsageError("git init", "%s is in no git repository: %s", w.Project.Root, ge.text)
	}
	return exit.UsageError("git -C "+text.ShellWord(w.Project.Root)+" status", "git cannot read the repository of %s: %s", w.Project.Root, ge.text)
}

// commit returns the commit that a ref names.
func (w *DecisionLog) commit(ctx context.Context, ref string) (string, error) {
	if strings.HasPrefix(ref, "-") || ref == "" {
		return "", exit.UsageError("git log --oneline", "there is no commit %q", ref)
	}
	out, err := w.Git(ctx, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	var ge *gitError
	if errors.As(err, &ge) {
		hint := "git log --oneline"
		if shallow, serr := w.Git(ctx, "rev-parse", "--is-shallow-repository"); serr == nil && strings.TrimSpace(string(shallow)) == "true" {
			hint = "git fetch --unshallow"
		}
		return "", exit.UsageError(hint, "there is no commit %q here", ref)
	}
	return strings.TrimSpace(string(out)), err
}

// Blob returns the log as of a commit, nil if the commit has none.
func (w *DecisionLog) Blob(ctx context.Context, commit string) ([]byte, error) {
	name, err := w.logName(ctx)
	if err != nil {
		return nil, err
	}
	list, err := w.Git(ctx, "ls-tree", "-z", "--full-tree", commit, "--", name)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return w.Git(ctx, "cat-file", "blob", commit+":"+name)
}

// logName returns the log's path relative to the root of the work tree.
func (w *DecisionLog) logName(ctx context.Context) (string, error) {
	out, err := w.Git(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(w.Project.Root, w.Log.Path())
	return strings.TrimSpace(string(out)) + filepath.ToSlash(rel), err
}

// Span parses REF, REF..REF or REF...REF. A missing end stands for HEAD; to is "" when text
// is a single REF.
func (w *DecisionLog) Span(ctx context.Context, text string) (from, to string, err error) {
	first, last, two := strings.Cut(text, "..")
	symmetric := strings.HasPrefix(last, ".")
	last = strings.TrimPrefix(last, ".")
	first = cmp.Or(first, "HEAD")
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
		base, err := w.Git(ctx, "merge-base", from, to)
		if err != nil {
			return "", "", exit.UsageError("git fetch --unshallow", "%s and %s have no commit in common here", first, last)
		}
		from = strings.TrimSpace(string(base))
	}
	return from, to, nil
}

// LineOrigin is the commit that added a line, and its author.
type LineOrigin struct{ Commit, Author string }

// Blame returns the origin of each line of the log, by line number. Uncommitted lines are
// missing.
func (w *DecisionLog) Blame(ctx context.Context) (map[int]LineOrigin, error) {
	out := make(map[int]LineOrigin)
	name, err := w.logName(ctx)
	if err != nil {
		return nil, err
	}
	if list, err := w.Git(ctx, "ls-tree", "--full-tree", "HEAD", "--", name); err != nil || len(list) == 0 {
		return out, nil //nolint:nilerr // no commit has it
	}
	text, err := w.Git(ctx, "blame", "--line-porcelain", "--", w.Log.Path())
	if err != nil {
		return nil, err
	}
	line, b := 0, LineOrigin{}
	for l := range bytes.Lines(text) {
		l := strings.TrimRight(string(l), "\n")
		switch {
		case strings.HasPrefix(l, "\t"):
			if !strings.HasPrefix(b.Commit, "00000000") {
				out[line] = b
			}
			b = LineOrigin{}
		case strings.HasPrefix(l, "author "):
			b.Author = l[len("author "):]
		case b.Commit == "":
			f := strings.Fields(l)
			if len(f) >= 3 {
				b.Commit = f[0][:min(12, len(f[0]))]
				line, _ = strconv.Atoi(f[2])
			}
		}
	}
	return out, nil
}

// author returns the author of a change: git's user, else the account.
func (w *DecisionLog) author(ctx context.Context, env *Process) string {
	name, _ := w.Git(ctx, "config", "user.name")
	mail, _ := w.Git(ctx, "config", "user.email")
	n, m := strings.TrimSpace(string(name)), strings.TrimSpace(string(mail))
	switch {
	case n != "" && m != "":
		return n + " <" + m + ">"
	case n+m != "":
		return n + m
	}
	return cmp.Or(env.Getenv("USER"), env.Getenv("USERNAME"))
}
