package lex

import (
	"path"
	"strings"
)

// FileKind is the kind of a file's contents. Kinds combine to sets.
type FileKind uint8

// The kinds of files.
const (
	Source    FileKind = 1 << iota // TypeScript
	Types                          // only declarations
	Script                         // JavaScript
	Component                      // markup with scripts
	Module    = Source | Types | Script
)

// Scanned are the extensions of the files that are scanned, as path.Ext returns them: a.d.ts has
// ".ts".
var Scanned = []string{".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", ".astro"}

// KindOf returns the kind of a file with this extension, 0 when it is not code.
func KindOf(extension string) FileKind {
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

// OfFile returns the kind of a file by its last extension. A declaration file counts as Source.
func OfFile(name string) FileKind { return KindOf(path.Ext(name)) }

// HasJSX reports whether a file may contain JSX. In such a file "<" may open an element, in
// others a type assertion.
func HasJSX(name string) bool {
	switch path.Ext(name) {
	case ".ts", ".mts", ".cts":
		return false
	}
	return true
}

// System is a module system.
type System uint8

// The module systems.
const (
	ByPackage System = iota // the system that package.json states
	ECMAScript
	CommonJS
)

// SystemKindOf returns the module system that a file's extension demands.
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
	// Added are those that TypeScript adds to a path without an extension.
	Added = []string{".ts", ".tsx", ".d.ts", ".js", ".jsx"}
	// Guessed are those that only a bundler adds.
	Guessed = []string{".mts", ".cts", ".mjs", ".cjs", ".d.mts", ".d.cts", ".vue", ".svelte", ".astro", ".json", ".node"}
	// Omitted are the endings that people leave out of file names.
	Omitted = []string{
		".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".vue", ".svelte", ".astro",
		"/index.ts", "/index.tsx", "/index.js", "/index.jsx", "/index.d.ts",
	}

	ofECMAScript = []string{".mts", ".d.mts", ".mjs"}
	ofCommonJS   = []string{".cts", ".d.cts", ".cjs"}
	ofJSX        = []string{".tsx", ".ts", ".d.ts", ".jsx", ".js"}
)

// Origins splits the extension off a path and lists the extensions that TypeScript tries instead,
// because the path may name the output of another file: a.ts compiles to a.js. The list is nil
// when the extension is not that of a module.
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

// Declarations returns the file that declares the types of a file that is not a module:
// a.d.css.ts for a.css.
func Declarations(p string) string {
	end := path.Ext(p)
	return strings.TrimSuffix(p, end) + ".d" + end + ".ts"
}

// Described lists the paths of the code that a declaration file may describe, nil for any other
// file.
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
