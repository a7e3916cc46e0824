// Package scan extracts facts from a source file of TypeScript or JavaScript, or from the scripts
// of a component file (.vue, .svelte, .astro): what the file imports, exports and declares, and
// on which lines it uses those names.
//
// It is not a compiler and never fails. It skips what it cannot parse; a file with an unclosed
// bracket or literal still yields the facts before and after the break. It takes time linear in
// the size of the file, whatever the file holds.
//
// It must not know where a file is, what an import resolves to or which other files exist. It
// opens nothing: the same bytes under the same name give the same facts.
//
// Start reading at Scanner.File. Package lex cuts a file into tokens, and knows where
// statements, types and bodies end among them.
package scan
