package lang

import "strings"

// Facts are what a file says about itself. Lines count from 1.
type Facts struct {
	Lines       int      // how many lines it has
	Partial     bool     // a bracket, string or comment does not end: something may be missing
	ImportsOnly bool     // only its imports were read: it is too large, or written by a machine
	RunsTests   bool     // it calls a test runner
	Generated   bool     // a program wrote it, and says so
	Unit        string   // the package whose names it shares, "" where files share none
	Outside     string   // why the default build leaves it out, "" when it does not
	Imports     []Import // in the order of the source
	Exports     []Export
	Decls       []Decl
	Uses        []Use // by name
}

// Kind is the way a module is imported.
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

	// These are added by a Linker: no import in the file names the other one.
	Selected // names of a package that is imported as a whole
	Sibling  // names of another file of the same package
	Methods  // of types that the file declares, and that stand in another one
	Called   // methods by their names alone
	Embedded // a file that is built into the program
)

// kindNames are the kinds as answers show them.
var kindNames = [...]string{"import", "re-export", "dynamic", "require", "type", "import=", "reference", "script", "augments", "import", "package", "methods", "call by name", "embed"}

// String is the kind as answers show it.
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return "unknown"
	}
	return kindNames[k]
}

// Import is one place where a module is named.
type Import struct {
	Spec     string // as it is written, "" when it is computed
	Kind     Kind
	TypeOnly bool // it is gone when the types are
	Line     int
	Names    []Name
}

// Wanted is what an import names: of one that stands for names alone, those.
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

// The names that stand for something else than an export of that name.
const (
	Default   = "default"
	Namespace = "*" // all of a module, as an object
)

// Name is what an import takes from a module and what it is called here.
type Name struct {
	Imported string // an export's name, Default or Namespace
	Local    string
	TypeOnly bool
}

// Export is a name that a file gives to others.
type Export struct {
	Name string // Namespace for "export * from"
	// Local is what it is in this file; in the module it comes from when From is
	// one: there Namespace is the module itself, as in "export * as a from".
	Local    string
	From     int // index of the import it passes on, -1 when it is the file's own
	TypeOnly bool
	Whole    bool // require gives this itself, as it does of "module.exports = a" and "export = a"
	Line     int
}

// Class is what a declaration declares.
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

// classNames are the classes as answers show them.
var classNames = [...]string{
	"function", "class", "interface", "type", "enum", "namespace", "const", "let", "var", "struct", "method", "property", "enum member",
}

// String is the class as answers show it.
func (c Class) String() string {
	if int(c) >= len(classNames) {
		return "unknown"
	}
	return classNames[c]
}

// Member reports whether it is a part of another declaration.
func (c Class) Member() bool { return c >= Method }

// Decl is a declaration at the top level of a file or of a namespace in it, or a
// member of one.
type Decl struct {
	Name      string
	In        string // what it is a member of, "" at the top level
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
	for _, d := range decls { // a method may stand apart from its type
		if len(out) == 0 && d.Class == Method && d.Line <= line && line <= d.End {
			out = append(out, d.In+"."+d.Name)
		}
	}
	return out
}

// Use is where a name is used: one that the file imports or declares, or
// "name.member" of one that it imports, or ".member" of something unknown.
type Use struct {
	Name  string
	Lines []int // ascending, each once
}
