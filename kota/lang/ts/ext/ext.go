// Package ext knows the extensions of TypeScript and JavaScript: what is written
// in a file, and in which order extensions are tried for a path that lacks one.
// No other package spells an extension out.
//
// It must not know how a file is read, nor which files there are.
package ext

import (
	"path"
	"strings"
)

// Kind is what is written in a file; several make a set.
type Kind uint8

// The kinds of files.
const (
	Source    Kind = 1 << iota // TypeScript
	Types                      // declarations alone
	Script                     // JavaScript
	Component                  // scripts among markup
	Module    = Source | Types | Script
)

// Scanned are the extensions of the files that are scanned. A file of
// declarations has the extension of its source, as path.Ext sees it.
var Scanned = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".astro"}

// Of returns what is written in a file with an extension, 0 when it is not code.
func Of(extension string) Kind {
	switch extension {
	case ".ts", ".tsx", ".mts", ".cts":
		return Source
	case ".d.ts", ".d.mts", ".d.cts":
		return Types
	case ".js", ".jsx", ".mjs", ".cjs":
		return Script
	case ".vue", ".svelte", ".astro":
		return Component
	}
	return 0
}

// OfFile returns what is written in a file, by the last part of its extension:
// declarations count as Source.
func OfFile(name string) Kind { return Of(path.Ext(name)) }

// HasJSX reports whether a file may hold JSX: where it may, "<" can open an
// element, where it may not, a type assertion.
func HasJSX(name string) bool {
	switch path.Ext(name) {
	case ".ts", ".mts", ".cts":
		return false
	}
	return true
}

// System is the module system that a file uses.
type System uint8

// The module systems.
const (
	ByPackage System = iota // the one that package.json names
	ECMAScript
	CommonJS
)

// SystemOf returns the module system that a file's extension demands.
func SystemOf(name string) System {
	switch path.Ext(name) {
	case ".mts", ".mjs":
		return ECMAScript
	case ".cts", ".cjs":
		return CommonJS
	}
	return ByPackage
}

// The orders in which extensions are tried.
var (
	// Added are those that TypeScript adds to a path without one.
	Added = []string{".ts", ".tsx", ".d.ts", ".js", ".jsx"}
	// Guessed are those that only a bundler adds.
	Guessed = []string{".mts", ".cts", ".mjs", ".cjs", ".d.mts", ".d.cts", ".vue", ".svelte", ".astro", ".json", ".node"}
	// Folded are the endings tried where upper and lower case are the same.
	Folded = []string{"", ".ts", ".tsx", ".d.ts", ".js", ".jsx", "/index.ts", "/index.tsx", "/index.js"}
	// Omitted are the endings that people leave out when they name a file.
	Omitted = []string{
		".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".vue", ".svelte", ".astro",
		"/index.ts", "/index.tsx", "/index.js", "/index.jsx", "/index.d.ts",
	}

	ofECMAScript = []string{".mts", ".d.mts", ".mjs"}
	ofCommonJS   = []string{".cts", ".d.cts", ".cjs"}
	ofJSX        = []string{".tsx", ".ts", ".d.ts", ".jsx", ".js"}
)

// Origins cuts the extension off a path and returns those that TypeScript tries
// in its place: what the path names may be compiled from another file. The list
// is nil when the path has no extension of a module.
func Origins(p string) (stem string, origins []string) {
	end := path.Ext(p)
	stem = strings.TrimSuffix(p, end)
	switch end {
	case ".mjs", ".mts":
		return strings.TrimSuffix(stem, ".d"), ofECMAScript
	case ".cjs", ".cts":
		return strings.TrimSuffix(stem, ".d"), ofCommonJS
	case ".jsx", ".tsx":
		return stem, ofJSX
	case ".ts":
		return strings.TrimSuffix(stem, ".d"), Added
	case ".js":
		return stem, Added
	}
	return stem, nil
}

// Declarations is the file that declares the types of one that is not a module,
// as a.d.css.ts does for a.css.
func Declarations(p string) string {
	end := path.Ext(p)
	return strings.TrimSuffix(p, end) + ".d" + end + ".ts"
}

// Described lists the paths of the code that a file of declarations may describe, nil for
// any other file.
func Described(p string) []string {
	stem, end := strings.TrimSuffix(p, path.Ext(p)), path.Ext(p)
	stem, found := strings.CutSuffix(stem, ".d")
	switch {
	case !found:
		return nil
	case end == ".ts":
		return []string{stem + ".js", stem + ".jsx"}
	case end == ".mts":
		return []string{stem + ".mjs"}
	case end == ".cts":
		return []string{stem + ".cjs"}
	}
	return nil
}
