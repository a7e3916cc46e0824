package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
func (r Repository) Git(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	out, errs, err := repo.Run(ctx, r.Root, args...)
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
func (r Repository) Check(ctx context.Context) error {
	var ge *gitError
	_, err := r.Git(ctx, "rev-parse", "--git-dir")
	switch {
	case !errors.As(err, &ge):
		return err
	case strings.Contains(ge.text, "dubious ownership"):
		return exit.UsageError("git config --global --add safe.directory "+text.ShellWord(r.Root), "git refuses %s: %s", r.Root, ge.text)
	case strings.Contains(ge.text, "not a git repository"):
		return exit.UsageError("git init", "%s is in no git repository: %s", r.Root, ge.text)
	}
	return exit.UsageError("git -C "+text.ShellWord(r.Root)+" status", "git cannot read the repository of %s: %s", r.Root, ge.text)
}

// commit returns the commit that a ref names.
func (r Repository) commit(ctx context.Context, ref string) (string, error) {
	if strings.HasPrefix(ref, "-") || ref == "" {
		return "", exit.UsageError("git log --oneline", "there is no commit %q", ref)
	}
	out, err := r.Git(ctx, "rev-parse", "--verify", "--quiet", ref+"^{commit}")
	var ge *gitError
	if errors.As(err, &ge) {
		hint := "git log --oneline"
		if shallow, serr := r.Git(ctx, "rev-parse", "--is-shallow-repository"); serr == nil && strings.TrimSpace(string(shallow)) == "true" {
			hint = "git fetch --unshallow"
		}
		return "", exit.UsageError(hint, "there is no commit %q here", ref)
	}
	return strings.TrimSpace(string(out)), err
}

// Blob returns the log as of a commit, nil if the commit has none.
func (r Repository) Blob(ctx context.Context, commit string) ([]byte, error) {
	name, err := r.logName(ctx)
	if err != nil {
		return nil, err
	}
	list, err := r.Git(ctx, "ls-tree", "-z", "--full-tree", commit, "--", name)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return r.Git(ctx, "cat-file", "blob", commit+":"+name)
}

// logName returns the log's path relative to the root of the work tree.
func (r Repository) logName(ctx context.Context) (string, error) {
	out, err := r.Git(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(r.Root, r.log)
	return strings.TrimSpace(string(out)) + filepath.ToSlash(rel), err
}

// Span parses REF, REF..REF or REF...REF. A missing end stands for HEAD; to is "" when text
// is a single REF.
func (r Repository) Span(ctx context.Context, text string) (from, to string, err error) {
	first, last, two := strings.Cut(text, "..")
	symmetric := strings.HasPrefix(last, ".")
	last = strings.TrimPrefix(last, ".")
	first = cmp.Or(first, "HEAD")
	if two && last == "" {
		last = "HEAD"
	}
	if from, err = r.commit(ctx, first); err != nil {
		return "", "", err
	}
	if !two {
		return from, "", nil
	}
	if to, err = r.commit(ctx, last); err != nil {
		return "", "", err
	}
	if symmetric {
		base, err := r.Git(ctx, "merge-base", from, to)
		if err != nil {
			return "", "", exit.UsageError("git fetch --unshallow", "%s and %s have no commit in common here", first, last)
		}
		from = strings.TrimSpace(string(base))
	}
	return from, to, nil
}

// maxFiles is the maximum number of files listed of a project without git.
const maxFiles = 200_000

// Files lists the project's files: those that git tracks or does not ignore or, without
// git, all of them.
func (r Repository) Files(ctx context.Context) ([]string, error) {
	out := []string{}
	list, err := r.Git(ctx, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err == nil {
		for _, n := range strings.Split(string(list), "\x00") {
			if n != "" {
				out = append(out, n)
			}
		}
		return out, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	err = filepath.WalkDir(r.Root, func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return nil //nolint:nilerr // what cannot be read matches nothing
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case len(out) >= maxFiles:
			return fs.SkipAll
		case !d.IsDir():
			rel, _ := filepath.Rel(r.Root, p)
			out = append(out, filepath.ToSlash(rel))
		}
		return nil
	})
	return out, err
}

// LineOrigin is the commit that added a line, and its author.
type LineOrigin struct{ Commit, Author string }

// Blame returns the origin of each line of the log, by line number. Uncommitted lines are
// missing.
func (r Repository) Blame(ctx context.Context) (map[int]LineOrigin, error) {
	out := make(map[int]LineOrigin)
	name, err := r.logName(ctx)
	if err != nil {
		return nil, err
	}
	if list, err := r.Git(ctx, "ls-tree", "--full-tree", "HEAD", "--", name); err != nil || len(list) == 0 {
		return out, nil //nolint:nilerr // no commit has it
	}
	text, err := r.Git(ctx, "blame", "--line-porcelain", "--", r.log)
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
func (r Repository) author(ctx context.Context, env *Process) string {
	name, _ := r.Git(ctx, "config", "user.name")
	mail, _ := r.Git(ctx, "config", "user.email")
	n, m := strings.TrimSpace(string(name)), strings.TrimSpace(string(mail))
	switch {
	case n != "" && m != "":
		return n + " <" + m + ">"
	case n+m != "":
		return n + m
	}
	return cmp.Or(env.Getenv("USER"), env.Getenv("USERNAME"))
}
