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
	Clue
	// Shape has the other members that the same thing is seen to have, once all of the
	// file is read; it may be nil.
	Shape *Shape
}

// Clue is what a file says about the declaration that has a member.
type Clue struct {
	Says   Owner
	Origin Origin
	Named  TypeNames // how that is called: types, or the one function or property
}

// Owner is what a file says about the owner of a member.
type Owner uint8

// What a file can say.
const (
	Unsaid   Owner = iota // nothing
	Owned                 // it is declared with one of the types
	Disowned              // it is declared with another type
)

// Origin is where the thing comes from that has a member.
type Origin uint8

// The origins that can be looked up in other files.
const (
	Nowhere  Origin = iota
	Declared        // with a type
	Returned        // by a function
	Held            // by a property
	Passed          // to a function
)

// Shape is a list of names of members.
type Shape struct{ Names []string }

// TypeNames are the names in a type.
type TypeNames struct {
	Names []string // of which one or all are the type
	Inner []string // that it takes as arguments
	Open  bool     // it may be more than its names say
}

// Head is what a declaration says of types.
type Head struct {
	Is     TypeNames // its own type, or what the type that it declares is made of
	Result TypeNames // what it returns
	Takes  TypeNames // its parameters
}
