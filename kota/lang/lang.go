// Package lang is the interface between the index and a programming language: the Language that
// the index calls, and the facts and import targets that it returns.
//
// A language is one package below this one, and one entry in the Set with which the program is
// built. Its results depend only on its arguments: it opens no file and starts no process, so
// that the same bytes under the same name give the same results on every machine.
//
// The package must not know any particular language, nor what an index does with the results.
package lang

import (
	"context"
	"path"
	"slices"
)

// Language is a programming language as the index knows it. A field may be left out when its comment
// names a default. Paths are relative to the root of the tree, with slashes.
type Language struct {
	// Name is the name of the language for people.
	Name string
	// Extensions are the extensions of files to scan, with the dot.
	Extensions []string
	// Endings are the ends of file names that people leave out, most likely first. The
	// default is Extensions.
	Endings []string

	// IsConfig reports whether a file may decide what imports resolve to.
	IsConfig func(path string) bool
	// Manifest is the name of the file that makes a directory a package, "" if there is no
	// such file.
	Manifest string
	// IsTest reports whether a path is that of a test or of a file among the tests, for
	// callers who know only the path. It is also asked about files of no language.
	IsTest func(path string) bool
	// Roles returns the function that tells the Role of a file by its path and facts, for one state
	// of a tree; facts is nil when the file was not read.
	Roles func(Tree) func(path string, facts *Facts) Role
	// ChoosesTests reports whether a file, of code too, may decide which files are tests or what
	// imports resolve to. The default is false for all files.
	ChoosesTests func(path string) bool
	// IsProgram reports whether a file of this name shows that a project is written in the
	// language, as opposed to configuring some tool in it.
	IsProgram func(name string) bool

	// Scanner returns a Scanner for one goroutine.
	Scanner func() Scanner
	// Resolver returns a Resolver for one state of a tree. Long work ends early when the
	// context does; the Resolver is of no use after that.
	Resolver func(context.Context, Tree) Resolver

	// Package returns the package that an import from outside the tree refers to. The default
	// is the specifier itself.
	Package func(spec string) string
	// Subject returns the name that a test shares with the file it tests: its own name
	// without the extension and the mark of a test.
	Subject func(test string) string
	// Members lists where the files of a tree, all of which its Read returns, mention a member. By default
	// the index asks Mentions for every file.
	Members func(context.Context, Tree, MemberSearch) []MemberUse
	// Head returns the type of a declaration or, for a type, what that is derived from. text begins with the declaration's first line.
	// The default is none.
	Head func(text []byte, d Decl) TypeNames
	// Mentions lists where a file mentions a member of a name, with clues to the type that
	// has the member. ok is false when it cannot read the file. By default it never can; the
	// index then searches for the name after a dot or before a colon.
	Mentions func(file string, data []byte, q MentionQuery) (list []Mention, ok bool)
	// Describes lists the paths of the code that a declaration file may describe, nil for any
	// other file. The default is nil for all files.
	Describes func(file string) []string
}

// Scanner scans files one after the other, and may reuse its memory.
type Scanner interface {
	// File returns the facts of a file. It never fails: it skips what it cannot parse and
	// then sets Facts.Partial. The facts may also depend on name, which is a path.
	File(name string, data []byte) Facts
}

// Tree is one state of a tree, as a Resolver sees it.
type Tree struct {
	Files []string // every file of any kind
	// Read returns the content of a configuration file, listed or not, and whether it exists.
	Read func(path string) ([]byte, bool)
	// Facts returns the facts of a file without its uses, and whether it was read.
	Facts func(path string) (Facts, bool)
}

// Resolver resolves imports. It is not safe for concurrent use.
//
// It also links the files of a language in which those of a package share names, or one import stands
// for many files: it adds imports, and resolves these too.
type Resolver interface {
	// Resolve resolves an import in file from.
	Resolve(from string, im Import) Target
	// Consulted lists the configuration files that were read or looked for, sorted. Results
	// stay valid while these files and the list of files do not change.
	Consulted() []string
	// Notes lists problems with configuration files, a sentence each.
	Notes() []string
	// Link returns the imports of a file: the written ones, followed by one for each file
	// from which it takes names. facts include uses, and may include imports that an earlier
	// Link added.
	Link(from string, facts *Facts) []Import
	// Links reports whether a file may need Link, by its imports.
	Links(facts *Facts) bool
	// Depends reports whether the result of Link may differ after the declarations of these
	// other files changed.
	Depends(from string, facts *Facts, changed []string) bool
}

// Role is the role of a file in a project's tests.
type Role uint8

// The roles of files.
const (
	Production Role = iota
	Support         // tests need it: a helper, a fixture, a setup
	Test            // a test runner runs it
)

// Status is the outcome of resolving an import.
type Status uint8

// The outcomes of resolving an import.
const (
	Found      Status = iota // the target is a file of the tree
	External                 // the target is a package outside the tree
	Builtin                  // the target is part of the language's runtime
	Unresolved               // the target should be in the tree and is missing
	Computed                 // the specifier is computed at run time
	Spread                   // the target is a package of the tree; imports added by a Resolver name its files
)

// Target is what an import resolves to.
type Target struct {
	Status Status
	Path   string // the file, when Found
	// Inferred is set when the language's own rules would not find the file: it is not built
	// or not linked, needs a bundler, or differs in case.
	Inferred bool
}

// Set is a set of languages. The zero Set has none.
type Set struct {
	all   []*Language
	byExt map[string]int // index in all
}

// NewSet returns a set of languages. An extension that several languages claim belongs to the
// first of them.
func NewSet(languages ...Language) Set {
	s := Set{byExt: make(map[string]int)}
	for i, l := range languages {
		s.all = append(s.all, l.withDefaults())
		for _, ext := range l.Extensions {
			if _, taken := s.byExt[ext]; !taken {
				s.byExt[ext] = i
			}
		}
	}
	return s
}

// withDefaults returns the language with every optional field set.
func (l Language) withDefaults() *Language {
	if l.Endings == nil {
		l.Endings = l.Extensions
	}
	if l.ChoosesTests == nil {
		l.ChoosesTests = func(string) bool { return false }
	}
	if l.Package == nil {
		l.Package = func(spec string) string { return spec }
	}
	if l.Head == nil {
		l.Head = func([]byte, Decl) TypeNames { return TypeNames{} }
	}
	if l.Mentions == nil {
		l.Mentions = func(string, []byte, MentionQuery) ([]Mention, bool) { return nil, false }
	}
	if l.Describes == nil {
		l.Describes = func(string) []string { return nil }
	}
	return &l
}

// All lists the languages.
func (s Set) All() []*Language { return s.all }

// Index returns the index in All of a file's language, -1 when it has none.
func (s Set) Index(file string) int {
	if i, ok := s.byExt[path.Ext(file)]; ok {
		return i
	}
	return -1
}

// Of returns the language of a file, one with only defaults when the set has none.
func (s Set) Of(file string) *Language {
	if i := s.Index(file); i >= 0 {
		return s.all[i]
	}
	return Language{}.withDefaults()
}

// IsCode reports whether a file is written in one of the languages.
func (s Set) IsCode(file string) bool { return s.Index(file) >= 0 }

// IsConfig reports whether a file may decide what imports resolve to in any of the languages.
func (s Set) IsConfig(file string) bool {
	return slices.ContainsFunc(s.all, func(l *Language) bool { return l.IsConfig(file) })
}

// ChoosesTests reports whether a file may decide which files are tests in any of
// the languages.
func (s Set) ChoosesTests(file string) bool {
	return slices.ContainsFunc(s.all, func(l *Language) bool { return l.ChoosesTests(file) })
}

// IsTest reports whether a path is that of a test, by the convention of its own language. A file
// of no language is a test by that of any language.
func (s Set) IsTest(file string) bool {
	if i := s.Index(file); i >= 0 {
		return s.all[i].IsTest(file)
	}
	return slices.ContainsFunc(s.all, func(l *Language) bool { return l.IsTest(file) })
}

// Manifests lists the names of the files that make a directory a package in the language of a
// file. For a file of no language it lists those of all languages.
func (s Set) Manifests(file string) []string {
	languages := s.all
	if i := s.Index(file); i >= 0 {
		languages = s.all[i : i+1]
	}
	var out []string
	for _, l := range languages {
		if l.Manifest != "" {
			out = append(out, l.Manifest)
		}
	}
	return out
}

// IsProgram reports whether a file of this name shows that a project is written
// in one of the languages.
func (s Set) IsProgram(name string) bool {
	return slices.ContainsFunc(s.all, func(l *Language) bool { return l.IsProgram(name) })
}
