// Package lang is the seam between the index and a programming language: the
// Language that the index asks, and the facts and import targets in which a
// language answers.
//
// A language is one package below this one, and one entry in the Set that the
// program is built with. Everything it says follows from what it is handed: it
// opens no file and starts no process, so that the same bytes under the same
// name mean the same on every machine.
//
// The package must not know any particular language, nor what an index does with
// what a language says.
package lang

import (
	"context"
	"path"
	"slices"
	"strings"
)

// Language is a programming language as the index knows it. Extensions, Scanner
// and Resolver are required; what is left out of the rest has the default that
// its comment names. Paths are relative to the root of the tree, with slashes.
type Language struct {
	// Name is what people call it.
	Name string
	// Extensions are those of the files that are scanned, each with its dot.
	Extensions []string
	// Endings are what people leave out at the end of a file's name, the likeliest
	// first. The default is Extensions.
	Endings []string

	// IsConfig reports whether a file may decide what imports mean. By default no
	// file does.
	IsConfig func(path string) bool
	// Manifest is the name of the file that makes a directory a package, "" when
	// packages have none.
	Manifest string
	// IsTest reports whether a file is in the tests or looks like one, by its path
	// alone: for those who know nothing else about it. It is also asked about files
	// that belong to no language. By default no file is.
	IsTest func(path string) bool
	// Roles returns what knows the tests of one state of a tree. By default a file
	// that is in the tests by IsTest is a Test.
	Roles func(Tree) Roles
	// ChoosesTests reports whether a file may decide which files are tests. By default
	// no file does.
	ChoosesTests func(path string) bool
	// IsProgram reports whether a file of this name shows that a project is written
	// in the language, rather than that some tool is configured in it. By default
	// every file with one of Extensions does.
	IsProgram func(name string) bool

	// Scanner returns a Scanner for one goroutine.
	Scanner func() Scanner
	// Resolver returns a Resolver for one state of a tree. It looks at the context
	// as often as its work may be long, and is of no use once that has ended.
	Resolver func(context.Context, Tree) Resolver
	// Linker returns the same for a language whose files take names from each other
	// without importing each other, which needs no Resolver beside it. The default is
	// nil: imports name files.
	Linker func(context.Context, Tree) Linker

	// Package is the package that the import of something outside the tree names.
	// The default is the specifier itself.
	Package func(spec string) string
	// Target is the path that a specifier means when it is relative to the file it
	// stands in, written as Stems writes paths, "" when it is not relative. By
	// default no specifier is.
	Target func(from, spec string) string
	// Subject is the name that a test has in common with the file it is about: what is
	// left of its own without the extension and what marks it as a test. The default is
	// the file's name up to its first dot.
	Subject func(test string) string
	// Typed lists the names that a text declares with a type. The default is nil: none
	// are known.
	Typed func(data []byte, typ string) map[string]bool
	// Related lists the types that a text makes of a type, and the functions that return
	// one. The default knows none.
	Related func(data []byte, typ string) (types, makers []string)
	// Head reads what a declaration says of types, of which the text begins with the
	// first line of the declaration. The default knows nothing.
	Head func(text []byte, d Decl) Head
	// Mentions lists where a file has a name as that of a member, with what it says of
	// what that is a member of; ok is false when it cannot tell. By default it never
	// can, and the lines are looked through for the name behind a dot or before a colon.
	Mentions func(file string, data []byte, q MentionQuery) (list []Mention, ok bool)
	// Describes lists the paths of which one may be the code that a file of declarations
	// alone describes, nil for any other file. By default no file is one.
	Describes func(file string) []string
	// Stems are the paths by which a relative specifier may name a file. The
	// default is the file's path.
	Stems func(file string) []string
}

// Scanner reads files one after the other, so that it can reuse its memory.
type Scanner interface {
	// File reads a file. It never fails: it skips what it cannot make sense of, and
	// says so by Facts.Partial. What it says may depend on name, a path, too.
	File(name string, data []byte) Facts
}

// Tree is one state of a tree, as a Resolver sees it.
type Tree struct {
	Files []string // every file, of whatever kind
	// Read returns the content of a configuration file, listed or not, and whether
	// there is one.
	Read func(path string) ([]byte, bool)
	// Facts returns what a file says, without its uses, and whether it was read.
	Facts func(path string) (Facts, bool)
}

// Resolver finds what imports mean. It is not safe for concurrent use.
type Resolver interface {
	// Resolve finds what an import in a file of the tree means.
	Resolve(from string, im Import) Target
	// Consulted lists the configuration files that were read or looked for, sorted:
	// while they and the list of files stay the same, so do the answers.
	Consulted() []string
	// Notes lists what is wrong with configuration files, one sentence each.
	Notes() []string
}

// Linker is the Resolver of a language in which names are shared by the files of a
// package. It resolves the imports that it adds as well.
type Linker interface {
	Resolver
	// Link returns the imports that a file should have: those that are written, and
	// behind them one for each file that it takes names from. facts are those of the
	// file with its uses, and may hold what an earlier Link added.
	Link(from string, facts *Facts) []Import
	// Depends reports whether Link may add something else to a file after the
	// declarations of these other files have changed.
	Depends(from string, facts *Facts, changed []string) bool
}

// Role is what a file is to the tests of a project.
type Role uint8

// The roles of files.
const (
	Production Role = iota
	Support         // tests need it, and it is not a test: a helper, a fixture, a setup
	Test            // a runner runs it
)

// Roles tells tests from what supports them and from the rest.
type Roles interface {
	// Role says what a file is, from its path and its facts; facts is nil when the
	// file was not read.
	Role(path string, facts *Facts) Role
}

// byPath are roles by paths alone.
type byPath func(path string) bool

// Role implements Roles.
func (isTest byPath) Role(path string, _ *Facts) Role {
	if isTest(path) {
		return Test
	}
	return Production
}

// Status is how looking for an import's target ended.
type Status uint8

// The outcomes of resolving an import.
const (
	Found      Status = iota // it is a file of the tree
	External                 // it is a package that is not in the tree
	Builtin                  // it comes with the language's runtime
	Unresolved               // it means a file of the tree that is missing
	Computed                 // its specifier is not known before the program runs
	Spread                   // it is a package of the tree, whose files other imports name
)

// Target is what an import means.
type Target struct {
	Status Status
	Path   string // of the file, when it is Found
	// Inferred is set when the language's own rules would not find the file: it is
	// not built, not linked, needs a bundler or differs in case.
	Inferred bool
}

// Set is the languages that an index knows. The zero value knows none.
type Set struct {
	all   []*Language
	byExt map[string]int // index in all
}

// NewSet returns a set of languages. An extension that several claim belongs to
// the first of them.
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

// withDefaults returns the language with a function in every field.
func (l Language) withDefaults() *Language {
	no := func(string) bool { return false }
	if l.Endings == nil {
		l.Endings = l.Extensions
	}
	if l.IsConfig == nil {
		l.IsConfig = no
	}
	if l.IsTest == nil {
		l.IsTest = no
	}
	if l.Roles == nil {
		isTest := byPath(l.IsTest)
		l.Roles = func(Tree) Roles { return isTest }
	}
	if l.ChoosesTests == nil {
		l.ChoosesTests = no
	}
	if l.IsProgram == nil {
		l.IsProgram = func(name string) bool { return slices.Contains(l.Extensions, path.Ext(name)) }
	}
	if l.Package == nil {
		l.Package = func(spec string) string { return spec }
	}
	if l.Target == nil {
		l.Target = func(string, string) string { return "" }
	}
	if l.Linker != nil && l.Resolver == nil {
		linker := l.Linker
		l.Resolver = func(ctx context.Context, t Tree) Resolver { return linker(ctx, t) }
	}
	if l.Typed == nil {
		l.Typed = func([]byte, string) map[string]bool { return nil }
	}
	if l.Related == nil {
		l.Related = func([]byte, string) ([]string, []string) { return nil, nil }
	}
	if l.Head == nil {
		l.Head = func([]byte, Decl) Head { return Head{} }
	}
	if l.Mentions == nil {
		l.Mentions = func(string, []byte, MentionQuery) ([]Mention, bool) { return nil, false }
	}
	if l.Subject == nil {
		l.Subject = func(test string) string {
			name, _, _ := strings.Cut(path.Base(test), ".")
			return name
		}
	}
	if l.Describes == nil {
		l.Describes = func(string) []string { return nil }
	}
	if l.Stems == nil {
		l.Stems = func(file string) []string { return []string{file} }
	}
	return &l
}

// All lists the languages.
func (s Set) All() []*Language { return s.all }

// Index returns the place in All of the language that a file is written in, -1
// when it is written in none.
func (s Set) Index(file string) int {
	if i, ok := s.byExt[path.Ext(file)]; ok {
		return i
	}
	return -1
}

// Of returns the language that a file is written in: one that has nothing but
// defaults when the set does not know it.
func (s Set) Of(file string) *Language {
	if i := s.Index(file); i >= 0 {
		return s.all[i]
	}
	return Language{}.withDefaults()
}

// IsCode reports whether a file is written in one of the languages.
func (s Set) IsCode(file string) bool { return s.Index(file) >= 0 }

// IsConfig reports whether a file may decide what imports mean in any of the
// languages.
func (s Set) IsConfig(file string) bool {
	return slices.ContainsFunc(s.all, func(l *Language) bool { return l.IsConfig(file) })
}

// ChoosesTests reports whether a file may decide which files are tests in any of
// the languages.
func (s Set) ChoosesTests(file string) bool {
	return slices.ContainsFunc(s.all, func(l *Language) bool { return l.ChoosesTests(file) })
}

// IsTest reports whether a file is a test by its path: by its own language's convention, or
// by that of any language when it is written in none.
func (s Set) IsTest(file string) bool {
	if i := s.Index(file); i >= 0 {
		return s.all[i].IsTest(file)
	}
	return slices.ContainsFunc(s.all, func(l *Language) bool { return l.IsTest(file) })
}

// Manifests lists the names of the files that make a directory a package, for its
// own language, or for every language when a file is written in none.
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
