package kota

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Engine answers questions about one tree, in its state at the time of the question.
type Engine interface {
	Status(ctx context.Context) (Status, error)
	Search(ctx context.Context, q SearchQuery) (Hits, error)
	Deps(ctx context.Context, q DepsQuery) (Deps, error)
	Usages(ctx context.Context, q UsagesQuery) (Usages, error)
	Impact(ctx context.Context, q ImpactQuery) (Impact, error)
	Context(ctx context.Context, q ContextQuery) (Briefing, error)
	Map(ctx context.Context, q MapQuery) (Map, error)
	Cycles(ctx context.Context) (Cycles, error)
	Graph(ctx context.Context, q GraphQuery) (Graph, error)
	// Find returns the path of the first of these names that is a file of the index. The error
	// is about the last.
	Find(names ...string) (string, error)
}

// ErrNotIndexed is returned by every question before the tree is indexed.
var ErrNotIndexed = errors.New("this tree is not indexed")

// UnknownFileError is returned for a file that is not in the index.
type UnknownFileError struct {
	File    string
	Nearest []string // similar names, best first
}

// Error names the file and similar ones.
func (e *UnknownFileError) Error() string {
	s := fmt.Sprintf("find file %s: it is not in the index", e.File)
	if len(e.Nearest) > 0 {
		s += "; nearest: " + strings.Join(e.Nearest, ", ")
	}
	return s
}

// UnknownSymbolError is returned for a symbol that nothing declares.
type UnknownSymbolError struct {
	Symbol   string
	Nearest  []string
	Imported bool // some file imports it: from a package, or from a file that is gone or does not declare it
}

// Error names the symbol and similar ones.
func (e *UnknownSymbolError) Error() string {
	if e.Imported {
		return fmt.Sprintf("find symbol %s: nothing declares it, and something imports it: pictx kota usages %[1]s", e.Symbol)
	}
	s := fmt.Sprintf("find symbol %s: nothing declares or imports it", e.Symbol)
	if len(e.Nearest) > 0 {
		s += "; nearest: " + strings.Join(e.Nearest, ", ")
	}
	return s
}

// UnchangedError is returned when git says that no file of the index changed.
type UnchangedError struct{ Span string }

// Error names the commits.
func (e *UnchangedError) Error() string { return "find impact: no indexed file changed in " + e.Span }

// QueryError is returned for an invalid question.
type QueryError struct{ Cause string }

// Error returns the cause.
func (e *QueryError) Error() string { return e.Cause }
