// Package scan reads a source file of TypeScript or JavaScript, or the scripts of
// a component file (.vue, .svelte, .astro), and says what it imports, exports and
// declares, and on which lines it uses what it imports and declares.
//
// It is not a compiler, and never fails: it skips what it cannot make sense of, and
// a file whose brackets or literals do not end still yields what stands before and
// after the break. It takes time linear in the size of the file, whatever the file
// holds.
//
// It must not know where a file lies, what an import resolves to or which other
// files there are: it opens nothing, and the same bytes under the same name give
// the same facts.
package scan
