package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/kota"
)

// Diff is what changed according to git.
type Diff struct {
	Modified []string               // existing files, including new ones
	Lines    map[string][]kota.Span // changed lines of files that are not new
	Gone     []string               // deleted files
}

// Changes lists the wanted files that changed in a range of commits, or since a commit. In the
// latter case untracked files count as new.
func Changes(ctx context.Context, root, span string, wanted func(path string) bool) (Diff, error) {
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	d := Diff{Lines: make(map[string][]kota.Span)}
	if strings.HasPrefix(span, "-") || span == "" {
		return d, &kota.QueryError{Cause: fmt.Sprintf("read diff: invalid range of commits %q", span)}
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
		d.Modified = append(d.Modified, untracked(ctx, root, wanted)...)
	}
	return d, nil
}

// refused returns the error of a query that git did not answer.
func refused(err error, what, span string) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("read diff: %w", err)
	}
	return &kota.QueryError{Cause: fmt.Sprintf("read diff: %s %q", what, span)}
}

// diff runs git diff.
func diff(ctx context.Context, root string, args ...string) ([]byte, error) {
	return git(ctx, root, slices.Concat([]string{"diff", "--no-renames", "--relative"}, args, []string{"--"})...)
}

// untracked lists the wanted files that git neither tracks nor ignores.
func untracked(ctx context.Context, root string, wanted func(path string) bool) []string {
	out, err := git(ctx, root, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil
	}
	var files []string
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" && wanted(name) {
			files = append(files, name)
		}
	}
	return files
}

// hunksOf parses a patch without context lines. It returns the changed lines of each file, in the
// order of the patch, by their new numbers.
func hunksOf(patch []byte) [][]kota.Span {
	var out [][]kota.Span
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
func hunk(head string) (kota.Span, bool) {
	_, rest, _ := strings.Cut(head, " +")
	rest, _, ok := strings.Cut(rest, " ")
	first, count, several := strings.Cut(rest, ",")
	from, err := strconv.Atoi(first)
	n := 1
	if several && err == nil {
		n, err = strconv.Atoi(count)
	}
	if !ok || err != nil || from < 0 || n < 0 || n > math.MaxInt32 || from > math.MaxInt32 {
		return kota.Span{}, false
	}
	if n == 0 { // lines were deleted after this one
		return kota.Span{From: from, To: from + 1}, true
	}
	return kota.Span{From: from, To: from + n - 1}, true
}
