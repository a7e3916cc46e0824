package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// List lists the files of a tree, relative to its root, sorted. With useGit these are the files
// that git tracks or would track; some of them may be missing on disk. If that fails, or without
// useGit, they are the files on disk that no .gitignore excludes. usedGit reports which of the
// two it was.
func List(ctx context.Context, root string, useGit bool) (files []string, usedGit bool, err error) {
	if useGit {
		if files, err := gitFiles(ctx, root, "--cached"); err == nil {
			return files, true, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
	}
	files, err = walk(ctx, root)
	return files, false, err
}

// gitFiles lists the files that git neither tracks nor ignores, and with --cached those that it tracks.
func gitFiles(ctx context.Context, root string, more ...string) ([]string, error) {
	out, _, err := Run(ctx, root, append([]string{"ls-files", "-z", "--others", "--exclude-standard"}, more...)...)
	if err != nil {
		return nil, err
	}
	files := make([]string, 0, bytes.Count(out, []byte{0}))
	for f := range bytes.SplitSeq(out, []byte{0}) {
		if len(f) > 0 && f[len(f)-1] != '/' {
			files = append(files, string(f))
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// walk lists the files below a directory. It does not follow links.
func walk(ctx context.Context, root string) ([]string, error) {
	var files []string
	rules := NewIgnore(root)
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if p == root {
				return err
			}
			return nil // skip what cannot be read
		}
		rel, _ := filepath.Rel(root, p)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel != "." && (d.Name() == "node_modules" || rules.dir(rel).whole) {
				return filepath.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() && !rules.Ignores(rel) {
			files = append(files, rel)
		}
		return nil
	})
	slices.Sort(files)
	return files, err
}

// Diff is what changed according to git.
type Diff struct {
	Modified []string          // existing files, including new ones
	Lines    map[string][]Span // changed lines of files that are not new
	Gone     []string          // deleted files
}

// Span is a range of lines, both ends inclusive. A deletion between two lines is the span of
// those two.
type Span struct{ From, To int }

// Changes lists the wanted files that changed in a range of commits, or since a commit. In the
// latter case untracked files count as new.
func Changes(ctx context.Context, root, span string, wanted func(path string) bool) (Diff, error) {
	d := Diff{Lines: make(map[string][]Span)}
	if strings.HasPrefix(span, "-") || span == "" {
		return d, fmt.Errorf("read diff: invalid range of commits %q", span)
	}
	names, err := diff(ctx, root, "--name-status", "-z", span)
	if err != nil {
		return d, refused(err, "git does not know", span)
	}
	patch, err := diff(ctx, root, "--unified=0", "--no-color", span)
	if err != nil {
		return d, refused(err, "git cannot show", span)
	}
	hunks := hunksOf(patch)
	fields := strings.Split(string(names), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		switch status, name := fields[i], fields[i+1]; {
		case !wanted(name):
		case status == "D":
			d.Gone = append(d.Gone, name)
		default:
			d.Modified = append(d.Modified, name)
			if k := i / 2; status == "M" && k < len(hunks) && len(hunks[k]) > 0 {
				d.Lines[name] = hunks[k]
			}
		}
	}
	if !strings.Contains(span, "..") {
		untracked, _ := gitFiles(ctx, root) // git has just answered
		d.Modified = append(d.Modified, slices.DeleteFunc(untracked, func(f string) bool { return !wanted(f) })...)
	}
	return d, nil
}

// refused returns the error of a query that git did not answer.
func refused(err error, what, span string) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("read diff: %w", err)
	}
	return fmt.Errorf("read diff: %s %q", what, span)
}

// diff runs git diff.
func diff(ctx context.Context, root string, args ...string) ([]byte, error) {
	out, _, err := Run(ctx, root, slices.Concat([]string{"diff", "--no-renames", "--relative"}, args, []string{"--"})...)
	return out, err
}

// hunksOf parses a patch without context lines. It returns the changed lines of each file, in the
// order of the patch, by their new numbers.
func hunksOf(patch []byte) [][]Span {
	var out [][]Span
	for line := range bytes.Lines(patch) {
		switch {
		case bytes.HasPrefix(line, []byte("diff --git ")):
			out = append(out, nil)
		case bytes.HasPrefix(line, []byte("@@ ")) && len(out) > 0:
			if s, ok := hunk(string(line)); ok {
				out[len(out)-1] = append(out[len(out)-1], s)
			}
		}
	}
	return out
}

// hunk parses the header of a hunk, "@@ -1,2 +3,4 @@".
func hunk(head string) (Span, bool) {
	_, rest, _ := strings.Cut(head, " +")
	rest, _, ok := strings.Cut(rest, " ")
	first, count, several := strings.Cut(rest, ",")
	from, err := strconv.Atoi(first)
	n := 1
	if several && err == nil {
		n, err = strconv.Atoi(count)
	}
	if !ok || err != nil || from < 0 || n < 0 || n > math.MaxInt32 || from > math.MaxInt32 {
		return Span{}, false
	}
	if n == 0 { // lines were deleted after this one
		return Span{From: from, To: from + 1}, true
	}
	return Span{From: from, To: from + n - 1}, true
}
