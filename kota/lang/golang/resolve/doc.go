// Package resolve finds what a Go file takes from other files: which directory an
// import path means, by go.mod, go.work and vendor directories, and which file of the
// package there declares a name.
//
// Files of one package take names from each other without an import, and an import
// names a package, not a file. So the Linker adds to the imports of a file one for each
// file that it takes names from. A method is found by its name alone, among the types
// of the packages that a file knows: those imports are inferred.
//
// The package opens nothing and runs nothing, and must not know what an index does with
// what it says.
package resolve
