package lang

// MentionQuery is what Language.Mentions looks for.
type MentionQuery struct {
	Name   string          // of the member
	Types  map[string]bool // what its owner is called, and what is made of it
	Makers map[string]bool // functions that return an owner
}

// Mention is where a name stands for a member of something.
type Mention struct {
	Line     int
	Receiver string // the name before the dot, "" when there is none
	Dotted   bool   // behind a dot: otherwise it is a key of an object or of a pattern
	Says     Owner
}

// Owner is what a file says about the declaration that has a member.
type Owner uint8

// What a file can say.
const (
	Unsaid   Owner = iota // nothing
	Owned                 // it is declared with one of the types
	Disowned              // it is declared with another type
)
