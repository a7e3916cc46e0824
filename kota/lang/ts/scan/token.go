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

// Values of token.op that are not a character of the source: longer operators, and kinds of JSX
// and template tokens.
const (
	opArrow  = 'A' // =>
	opSpread = 'E' // ...
	opChain  = 'Q' // ?.
	opStep   = 'P' // ++ and --
	opOther  = 'O' // any other operator
	opOpen   = 'J' // the < that opens a JSX element; its pair is opClose
	opClose  = 'K'
	opWhole  = 'n' // of a quasi: a template without substitutions
	opHead   = 'h' // of a quasi: the first part; its pair is the opTail
	opMiddle = 'm'
	opTail   = 't'
)

// token is a token of the source. Comments, white space and the text of JSX elements are not
// tokens.
type token struct {
	start, end int32 // offsets in the source
	line       int32 // line of start, from 1
	pair       int32 // of a bracket: index of the matching bracket, -1 without one
	kind       kind
	op         byte // of a punct: its character or one of the constants above
	first      bool // it is the first token on its line
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
