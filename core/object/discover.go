package object

import (
	"bytes"
	"context"
	"errors"
	"path"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/tool"
)

// maxNamed is how many paths one result can name.
const maxNamed = 2000

// discover records the project files that a listing, a search or a command names, except
// those that .gitignore files exclude.
func (c *Capture) discover(ctx context.Context, n *message.Node, acc tool.Access, text []byte) error {
	seen := make(map[string]bool)
	for _, name := range namedPaths(acc, text) {
		for _, file := range c.resolve(acc, name) {
			if seen[file] || len(seen) > maxNamed {
				break
			}
			seen[file] = true
			look := c.Files.Look(file)
			if !look.File || look.Ignored {
				continue
			}
			if err := c.note(ctx, look, n.ID); err != nil {
				return err
			}
			break
		}
	}
	return nil
}

// note records a file without content.
func (c *Capture) note(ctx context.Context, look Look, leaf string) error {
	k := FileKey("", look.Path)
	id, known, err := c.id(ctx, k)
	if err != nil {
		return err
	}
	if known {
		c.record(id, k, Discovered, leaf)
		return nil
	}
	d := &Document{Kind: KindFile, File: &File{Path: look.Path, FileType: FileType(look.Path)}}
	from := Time(look.Stat.ModTime / 1000)
	c.put(id, k, Op{Doc: d, At: from, Once: true}, Discovered, leaf)
	return nil
}

// resolve returns the absolute paths that a name may mean, the likeliest first: listings
// name files relative to the directory that they list.
func (c *Capture) resolve(acc tool.Access, name string) []string {
	if path.IsAbs(name) {
		return []string{path.Clean(name)}
	}
	if acc.Path != "" && !acc.Shell {
		return []string{path.Join(acc.Path, name), path.Join(c.CWD, name)}
	}
	return []string{path.Join(c.CWD, name)}
}

// namedPaths returns words of a result that may be paths. In the output of a search these
// precede line numbers; a shell command may name paths itself.
func namedPaths(acc tool.Access, text []byte) []string {
	var out []string
	if acc.Shell {
		out = words(acc.Command)
	}
	for raw := range bytes.Lines(text) {
		if len(out) > maxNamed {
			break
		}
		line := strings.TrimRight(string(raw), "\r\n")
		if acc.Shell {
			out = append(out, words(line)...)
			continue
		}
		out = append(append(out, line), beforeNumbers(line)...)
	}
	return out
}

// beforeNumbers returns the parts of a line before a colon or dash and a number, as in the
// search results "src/a.go:12:" and "src/a.go-12-".
func beforeNumbers(line string) []string {
	var out []string
	for i := 1; i < min(len(line), maxName)-1; i++ {
		if (line[i] == ':' || line[i] == '-') && line[i+1] >= '0' && line[i+1] <= '9' {
			out = append(out, line[:i])
		}
	}
	return out
}

// maxName is the maximum length of a file name in bytes.
const maxName = 300

// words returns the words of a line that look like file names, with a dot or a slash, and
// without the punctuation that commonly surrounds paths.
func words(line string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\"'`()<>|;,=&$*{}[]", r) }) {
		w = strings.TrimRight(w, ".:")
		if i := strings.IndexByte(w, ':'); i > 0 { // file:line
			w = w[:i]
		}
		if len(w) < maxName && strings.ContainsAny(w, "./") && strings.Trim(w, "./0123456789") != "" {
			out = append(out, w)
		}
	}
	return out
}

// ignoreUnknown returns nil for an object that does not exist, else err.
func ignoreUnknown(err error) error {
	if errors.Is(err, ErrUnknown) || errors.Is(err, ErrNotYet) {
		return nil
	}
	return err
}
