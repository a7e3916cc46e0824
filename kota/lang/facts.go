package lang

import (
	"slices"
	"strings"
)

// Facts are what scanning finds in a file. Lines count from 1.
type Facts struct {
	Lines       int      // number of lines
	Partial     bool     // a bracket, string or comment is not closed; facts may be missing
	ImportsOnly bool     // only imports were read: the file is too large or generated
	RunsTests   bool     // it registers tests
	Generated   bool     // it is marked as generated
	Unit        string   // the package whose files share names, "" where files share none
	Outside     string   // why the default build leaves it out, "" when it does not
	Imports     []Import // in source order
	Exports     []Export
	Decls       []Decl
	Uses        []Use // sorted by name
}

// Kind is the form of an import.
type Kind uint8

// The kinds of imports.
const (
	Static    Kind = iota // import … from "x", import "x"
	ReExport              // export … from "x"
	Dynamic               // import("x")
	Require               // require("x")
	TypeOf                // import("x").T as a type
	Equals                // import x = require("x")
	Reference             // /// <reference path="x" />
	Source                // <script src="x">
	Augments              // declare module "x" { }, in a module
	Named                 // a file named otherwise: new URL("x", import.meta.url), require.resolve("x")

	// A Resolver adds these: the file has no import of the other one.
	Selected // names qualified with an imported package
	Sibling  // names of another file of the same package
	Methods  // methods in another file, of types that this file declares
	Called   // methods found by name alone
	Embedded // a file that go:embed builds into the program
	Matched  // a file that a path with a * in it matches
	Matching // a path with a * in it, as written: it leads to no file itself
)

// kindNames are the names of kinds in answers.
var kindNames = [...]string{"import", "re-export", "dynamic", "require", "type", "import=", "reference", "script", "augments", "by name", "import", "package", "methods", "call by name", "embed", "by name", "by name"}

// String returns the name of the kind in answers.
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return "unknown"
	}
	return kindNames[k]
}

// Import is an import of a module.
type Import struct {
	Spec     string // as written, "" when computed
	Kind     Kind
	TypeOnly bool // it imports only types and does not exist at run time
	Line     int
	Names    []Name
}

// Wanted returns what an import names: the specifier, or the names of an import that a Resolver
// added.
func (im Import) Wanted() string {
	if im.Kind < Selected || len(im.Names) == 0 {
		return im.Spec
	}
	names := make([]string, len(im.Names))
	for k, n := range im.Names {
		names[k] = n.Imported
	}
	if im.Spec == "." {
		return strings.Join(names, ", ")
	}
	return strings.Join(names, ", ") + " of " + im.Spec
}

// Special values of Name.Imported and Export.Name.
const (
	Default   = "default"
	Namespace = "*" // the whole module as an object
)

// Name is an imported name and its local name.
type Name struct {
	Imported string // an export's name, Default or Namespace
	Local    string
	TypeOnly bool
}

// IsNamespace reports whether the file imports a module as a namespace under a local name.
func (f *Facts) IsNamespace(local string) bool {
	return slices.ContainsFunc(f.Imports, func(im Import) bool {
		return slices.Contains(im.Names, Name{Imported: Namespace, Local: local})
	})
}

// TakesAny reports whether the k-th import takes one of these names of the module, which are sorted:
// to use it or to export it.
func (f *Facts) TakesAny(k int, names []string) bool {
	takes := func(taken string) bool {
		if taken == Namespace {
			return slices.ContainsFunc(names, func(name string) bool { return name != Default })
		}
		_, found := slices.BinarySearch(names, taken)
		return found
	}
	return slices.ContainsFunc(f.Imports[k].Names, func(n Name) bool { return takes(n.Imported) }) ||
		slices.ContainsFunc(f.Exports, func(x Export) bool { return x.From == k && takes(x.Local) })
}

// ExportsMember reports whether the file exports a member by its own name. Unless its owner is named in the
// question, what the file exports under that name from the top level comes before it.
func (f *Facts) ExportsMember(m Decl, owned bool) bool {
	top := func(d Decl) bool { return d.In == "" && d.Name == m.Name && d.Exported }
	return m.In != "" && slices.ContainsFunc(f.Exports, func(x Export) bool { return x.From < 0 && x.Local == m.In+"."+m.Name }) &&
		(owned || !slices.ContainsFunc(f.Decls, top))
}

// Export is a name that a file exports.
type Export struct {
	// Name is Namespace for "export * from". What a namespace A of the file exports from around it
	// is "A.name".
	Name string
	// Local is the local name or, in a re-export, the name in the module that From imports.
	// There Namespace is the module itself, as in "export * as a from". What is exported of a
	// namespace A of the file because the file exports A as a whole is "A.name".
	Local    string
	From     int // index of the import that is re-exported, -1 for the file's own
	TypeOnly bool
	Whole    bool // a require returns this value itself: "module.exports = a", "export = a"
	Line     int
}

// Take adds a name that other files take from this one to its exports, once.
func (f *Facts) Take(name string) {
	if name != Namespace && !slices.ContainsFunc(f.Exports, func(x Export) bool { return x.Name == name }) {
		f.Exports = append(f.Exports, Export{Name: name, Local: name, From: -1, Line: 1})
	}
}

// Class is the kind of a declaration.
type Class uint8

// The classes of declarations.
const (
	Function Class = iota
	ClassDecl
	Interface
	TypeAlias
	Enum
	NamespaceDecl
	Const
	Let
	Var
	Struct
	Method
	Property
	EnumMember
)

// classNames are the names of classes in answers.
var classNames = [...]string{
	"function", "class", "interface", "type", "enum", "namespace", "const", "let", "var", "struct", "method", "property", "enum member",
}

// String returns the name of the class in answers.
func (c Class) String() string {
	if int(c) >= len(classNames) {
		return "unknown"
	}
	return classNames[c]
}

// Member reports whether the class is that of a member.
func (c Class) Member() bool { return c >= Method }

// Decl is a declaration at the top level or in a namespace, or a member of one.
type Decl struct {
	Name      string
	In        string // the declaration it is a member of, "" at the top level
	Class     Class
	Exported  bool // under any name
	Line, End int
}

// DeclaredOn lists the top-level declarations that a line is part of.
func DeclaredOn(decls []Decl, line int) []string {
	var out []string
	for _, d := range decls {
		if d.In == "" && d.Line <= line && line <= d.End {
			out = append(out, d.Name)
		}
	}
	for _, d := range decls { // a method may be declared apart from its type
		if len(out) == 0 && d.Class == Method && d.Line <= line && line <= d.End {
			out = append(out, d.In+"."+d.Name)
		}
	}
	return out
}

// Use lists the lines that use a name: of an import or a declaration, "name.member" of an import,
// or ".member" of an unknown receiver.
type Use struct {
	Name  string
	Lines []int // ascending, without duplicates
}
