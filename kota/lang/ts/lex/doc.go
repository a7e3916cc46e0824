// Package lex cuts source of TypeScript or JavaScript into tokens and matches their brackets. It
// never fails: what is not closed is paired as well as it can be, and the Lexer says that it was.
// It takes time linear in the source. Tokens walks them: where a statement, a type or a body ends.
//
// It must not know what tokens mean, nor where the source is from.
package lex
