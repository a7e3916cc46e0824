// Package graph is the import graph of a tree: which files import which, how far one is from
// another, how much leads to it, and which import each other in circles.
//
// Files are numbers. The package must not know their names or contents, and knows of a
// programming language only the kinds of links that kota/lang declares.
package graph
