// Package syntax says of the tokens of TypeScript and JavaScript where a statement, a type or a
// body ends. It follows brackets and line breaks and builds no tree: what it costs is linear, and
// code that does not compile has an answer, too.
//
// It must not know what a statement declares, imports or uses.
package syntax
