package kota

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Engine answers questions about one tree. Every answer is about the tree as it
// is when it is asked.
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
}

// ErrNotIndexed is returned by every question while there is no index.
var ErrNotIndexed = errors.New("this tree is not indexed")

// UnknownFileError is asking about a file that is not in the index.
type UnknownFileError struct {
	File    string
	Nearest []string // names that look like it, the best first
}

// Error says which file, and what it may have meant.
func (e *UnknownFileError) Error() string {
	s := fmt.Sprintf("find file %s: it is not in the index", e.File)
	if len(e.Nearest) > 0 {
		s += "; nearest: " + strings.Join(e.Nearest, ", ")
	}
	return s
}

// UnknownSymbolError is asking for a symbol that nothing declares.
type UnknownSymbolError struct {
	Symbol   string
	Nearest  []string
	Imported bool // from a package, or from a file that is gone or does not declare it
}

// Error says which symbol, and what it may have meant.
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

// QueryError is a question that cannot be asked.
type QueryError struct{ Cause string }

// Error says what is wrong with it.
func (e *QueryError) Error() string { return e.Cause }

// UnsupportedError is a question that the engine cannot answer, and another can.
type UnsupportedError struct {
	Engine   string
	Question string // "draw a graph"
	Verb     string // of the command that asks it
}

// Error says which engine cannot do what.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s: %s cannot", e.Question, e.Engine)
}

// ErrBusy is returned by an engine that serves another process.
var ErrBusy = errors.New("it is busy with another process")
