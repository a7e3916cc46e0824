package object

import (
	"bytes"
	"context"
	"path"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/tool"
)

const (
	// maxNamed is how many paths one result can name.
	maxNamed = 2000
	// maxName is the maximum length of a file name in bytes.
	maxName = 300
)

// discover records the project files that a listing, a search or a command names, except
// those that .gitignore files exclude. Listings name files relative to the directory that they list.
func (c *Capture) discover(ctx context.Context, n *message.Node, acc tool.Access, text []byte) error {
	dirs := []string{c.CWD}
	if acc.Path != "" && !acc.Shell {
		dirs = []string{acc.Path, c.CWD}
	}
	seen := make(map[string]bool)
	for _, name := range namedPaths(acc, text) {
		for _, dir := range dirs {
			file := path.Join(dir, name)
			if path.IsAbs(name) {
				file = path.Clean(name)
			}
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
	c.put(id, Op{Key: k, Doc: d, At: Time(look.Stat.ModTime / 1000), Once: true}, Discovered, leaf)
	return nil
}

// namedPaths returns words of a result that may be paths: of a shell command and what it printed
// each word; of a listing its lines, or what is before a line number, as in the search results
// "src/a.go:12:" and "src/a.go-12-".
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
		out = append(out, line)
		for i := 1; i < min(len(line), maxName)-1; i++ {
			if (line[i] == ':' || line[i] == '-') && line[i+1] >= '0' && line[i+1] <= '9' {
				out = append(out, line[:i])
			}
		}
	}
	return out
}

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
