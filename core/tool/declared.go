package tool

import "github.com/coctostan/pictx/core/token"

// DeclaredEntry is the type of the custom entry that says what pictx declares to the
// model from there on. Every request that follows carries it, and pays for it.
const DeclaredEntry = "pictx.declared"

// Declared is the data of a DeclaredEntry.
type Declared struct {
	// Names are those of the tools and sections, none when nothing is declared.
	Names []string `json:"names"`
	// Tokens is their size in a request.
	Tokens token.Count `json:"tokens"`
}
