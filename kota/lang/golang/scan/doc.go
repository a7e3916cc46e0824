// Package scan reads a Go file: what it imports, declares and uses, by the parser of
// the standard library.
//
// A name that is not bound in a function is one of the package, of an import or of the
// language: which of them it is, the other files of the package tell. What stands behind
// a dot is known only where an import stands before it; all else would take types.
//
// The package opens nothing and runs nothing, and must not know where imports lead.
package scan
