package lex

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens.
const (
	Word   Kind = iota // an identifier, a keyword or a private name
	Punct              // see Token.Op
	Text               // a string literal
	Quasi              // a template literal, or a part of one
	Number             // a number
	Regex              // a regular expression
)

// Values of Token.Op that are not a character of the source: longer operators, and kinds of JSX
// and template tokens.
const (
	Arrow  = 'A' // =>
	Spread = 'E' // ...
	Chain  = 'Q' // ?.
	Step   = 'P' // ++ and --
	Other  = 'O' // any other operator
	Open   = 'J' // the < that opens a JSX element; its pair is Close
	Close  = 'K'
	Whole  = 'n' // of a Quasi: a template without substitutions
	Head   = 'h' // of a Quasi: the first part; its pair is the Tail
	Middle = 'm'
	Tail   = 't'
)

// Token is a token of the source. Comments, white space and the text of JSX elements are not
// tokens.
type Token struct {
	Start, End int32 // offsets in the source
	Line       int32 // line of Start, from 1
	Pair       int32 // of a bracket: index of the matching bracket, -1 without one
	Kind       Kind
	Op         byte // of a Punct: its character or one of the constants above
	First      bool // it is the first token on its line
}

// frame is an open bracket.
type frame struct {
	tok     int32 // index of its token
	kind    byte  // ( [ { ` or one of the frames below
	flag    bool  // of (: a statement follows its end; of {: it is a block
	named   bool  // of inTag: the name of the tag was read
	parens  int32 // ( frames since the innermost brace, this one included
	squares int32
}

// The frames of JSX.
const (
	inTag      = 'T' // between < and >
	inChildren = 'C' // between <a> and </a>
	inBraces   = 'X' // { } in either
)
