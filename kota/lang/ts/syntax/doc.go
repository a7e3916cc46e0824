// Package syntax finds where statements, types and bodies end among the tokens of TypeScript and
// JavaScript. It follows brackets and line breaks and builds no tree: its cost is linear, and it has
// an answer for code that does not compile, too.
//
// It must not know what a statement declares, imports or uses.
package syntax
