// Package resolve resolves the imports of Go files: the directory that an import path refers to,
// by go.mod, go.work and vendor directories, and the file of the package there that declares a
// name.
//
// Files of a package use each other's names without imports, and an import names a package, not a
// file. So the Linker adds an import to a file for every other file whose names it uses. A method
// is found by name alone, among the types of the packages that the file knows; such an import is
// inferred.
//
// The package opens nothing, runs nothing, and must not know what an index does with the results.
// Start reading at Resolver.Link in link.go.
package resolve
