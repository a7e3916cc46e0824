package index

import (
	"strings"

	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
)

// stamp is the status by which a change of a file is noticed. Times are in nanoseconds.
type stamp struct{ size, mtime, ctime int64 }

// Skip is why the content of a file is not in the index.
type Skip uint8

// Why a file is skipped.
const (
	NotSkipped Skip = iota
	SkipBinary      // it holds NUL bytes
	SkipSize        // it is larger than maxFile
	SkipRead        // it cannot be read
)

// String returns the reason as reports show it.
func (s Skip) String() string {
	return [...]string{"", "binary", "too large", "unreadable"}[min(s, SkipRead)]
}

// maxFile is the size, in bytes, above which a file is not read at all.
const maxFile = 16 << 20

// Kind is how the graph treats a file.
type Kind uint8

// The kinds of files.
const (
	Code   Kind = iota // source code that is scanned
	Config             // configuration that decides what imports resolve to
	Asset              // another file that is imported; nothing else is known of it
)

// file is one file of a tree.
type file struct {
	path  string
	kind  Kind
	skip  Skip
	role  lang.Role
	stamp stamp
	hash  [16]byte
	facts string      // encoded; "" unless the file is Code and not skipped
	marks codec.Marks // of the facts
	edges []link      // one for each import of the facts
}

// header returns the header of the file's facts, without decoding the rest.
func (f *file) header() codec.Header { return codec.HeaderOf(f.facts) }

// know sets the facts of the file.
func (f *file) know(facts string) { f.facts, f.marks = facts, codec.HeaderOf(facts).Marks }

// label returns remarks about the file for answers, "" when there are none.
func (f *file) label() string {
	if !f.marks.Any(codec.Generated | codec.Outside) {
		return ""
	}
	h := f.header()
	var out []string
	if h.Outside != "" {
		out = append(out, "not in the default build: "+h.Outside)
	}
	if h.Any(codec.Generated) {
		out = append(out, "generated")
	}
	return strings.Join(out, ", ")
}

// link is the result of resolving an import.
type link struct {
	to       string // path of the target, when status is lang.Found
	at       int32  // index of the target in the tree that was read; other files may have come before it since
	status   lang.Status
	inferred bool
	typeOnly bool
	kind     lang.Kind
}

// watchedFile is a file outside the list that a resolver read or looked for.
type watchedFile struct {
	path  string
	there bool
	stamp stamp
	hash  [16]byte
}

// tree is an index in memory.
type tree struct {
	root   string
	git    bool     // the list came from git
	files  []file   // sorted by path
	others []string // the paths of all other files, sorted
	watch  []watchedFile
	notes  []string
}

// paths lists the paths of the files.
func (t *tree) paths() []string {
	out := make([]string, len(t.files))
	for i := range t.files {
		out[i] = t.files[i].path
	}
	return out
}

// find returns the index of a file, -1 when there is none.
func (t *tree) find(p string) int {
	lo, hi := 0, len(t.files)
	for lo < hi {
		if mid := (lo + hi) / 2; t.files[mid].path < p {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(t.files) && t.files[lo].path == p {
		return lo
	}
	return -1
}

// target returns the index of the file that a link leads to, -1 when there is none.
func (t *tree) target(l *link) int {
	if i := int(l.at); i < len(t.files) && t.files[i].path == l.to {
		return i
	}
	return t.find(l.to)
}

// said returns the facts of a file without its uses, and whether it was read.
func (t *tree) said(p string) (lang.Facts, bool) {
	i := t.find(p)
	if i < 0 || t.files[i].facts == "" {
		return lang.Facts{}, false
	}
	return codec.DecodeFacts(t.files[i].facts, codec.WithImports|codec.WithDecls), true
}
