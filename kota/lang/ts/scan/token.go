package scan

// kind is the kind of a token.
type kind uint8

// The kinds of tokens.
const (
	word   kind = iota // an identifier, a keyword or a private name
	punct              // see token.op
	text               // a string literal
	quasi              // a template literal, or a part of one
	number             // a number
	regex              // a regular expression
)

// The operators that are not one character, and what else op tells apart.
const (
	opArrow  = 'A' // =>
	opSpread = 'E' // ...
	opChain  = 'Q' // ?.
	opStep   = 'P' // ++ and --
	opOther  = 'O' // any other operator
	opOpen   = 'J' // where a JSX element begins; its pair is opClose
	opClose  = 'K'
	opWhole  = 'n' // of a quasi: a template without substitutions
	opHead   = 'h' // of a quasi: its beginning; its pair is the opTail
	opMiddle = 'm'
	opTail   = 't'
)

// token is a piece of source. Comments, white space and the text of JSX elements
// are none.
type token struct {
	start, end int32 // in the source
	line       int32 // of start, from 1
	pair       int32 // of a bracket: the index of the other one, -1 without
	kind       kind
	op         byte // the character of a punct
	first      bool // the first on its line
}

// frame is a bracket that is open.
type frame struct {
	tok     int32 // its token
	kind    byte  // ( [ { ` or one of the frames below
	flag    bool  // of (: a statement follows its end; of {: it is a block
	named   bool  // of inTag: its name was read
	parens  int32 // ( frames since the innermost brace, this one included
	squares int32
}

// The frames of JSX.
const (
	inTag      = 'T' // between < and >
	inChildren = 'C' // between <a> and </a>
	inBraces   = 'X' // { } in either
)
