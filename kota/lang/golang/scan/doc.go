// Package scan extracts facts from a Go file with the parser of the standard library: what it
// imports, declares and uses.
//
// A name that is not bound in a function belongs to the package, an import or the language; only
// the other files of the package can tell which. A name after a dot is known only when an import
// stands before the dot. Everything else would need types.
//
// The package opens nothing, runs nothing, and must not know where imports lead. Start reading at
// Scanner.File.
package scan
