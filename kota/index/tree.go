package index

import (
	"strings"

	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
)

// stamp is the status of a file by which a change is noticed, times in
// nanoseconds.
type stamp struct{ size, mtime, ctime int64 }

// Skip is why nothing is known of a file's content.
type Skip uint8

// Why a file is skipped.
const (
	NotSkipped Skip = iota
	SkipBinary      // it holds NUL bytes
	SkipSize        // it is larger than maxFile
	SkipRead        // it cannot be read
)

// String is the reason as reports show it.
func (s Skip) String() string {
	return [...]string{"", "binary", "too large", "unreadable"}[min(s, SkipRead)]
}

// maxFile is the size of files that are not read at all, in bytes.
const maxFile = 16 << 20

// Kind is what a file is to the graph.
type Kind uint8

// The kinds of files.
const (
	Code   Kind = iota // it is scanned
	Config             // it decides what imports mean
	Asset              // it is imported, and nothing else is known about it
)

// file is one file of a tree.
type file struct {
	path  string
	kind  Kind
	skip  Skip
	role  lang.Role
	stamp stamp
	hash  [16]byte
	facts string // encoded; of a Code file that is not skipped
	edges []link // one for each import of the facts
}

// header is what is known of a file without reading all its facts.
func (f *file) header() codec.Header { return codec.HeaderOf(f.facts) }

// label says what else is to be known of the file, "" for nothing.
func (f *file) label() string {
	h := f.header()
	var out []string
	if h.Outside != "" {
		out = append(out, "not in the default build: "+h.Outside)
	}
	if h.Generated {
		out = append(out, "generated")
	}
	return strings.Join(out, ", ")
}

// link is what an import came to.
type link struct {
	to       string // the file's path, when it is found
	status   lang.Status
	inferred bool
	typeOnly bool
	kind     lang.Kind
}

// watchedFile is a file outside the list that a configuration named.
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

// said returns what a file says, without its uses, and whether it was read.
func (t *tree) said(p string) (lang.Facts, bool) {
	i := t.find(p)
	if i < 0 || t.files[i].facts == "" {
		return lang.Facts{}, false
	}
	f, err := codec.DecodeFacts(t.files[i].facts, codec.WithImports|codec.WithDecls)
	return f, err == nil
}
