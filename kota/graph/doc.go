// Package graph is the import graph of a tree: which files import which, how far one is from
// another, how central it is, and which of them form cycles.
//
// Files are numbers. The package must not know their names or contents, and knows of a
// programming language only the kinds of links that kota/lang declares.
package graph
