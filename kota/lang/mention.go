package lang

// MentionQuery is what Language.Mentions searches for.
type MentionQuery struct {
	Name  string // name of the member
	Owner string // name of its owner in the file
}

// Mention is a place where a name refers to a member of something.
type Mention struct {
	Line     int
	Receiver string    // the name before the dot, "" without one
	Dotted   bool      // it follows a dot; otherwise it is a key of an object or a pattern
	Type     TypeNames // the type that has the member, as far as the file says
}

// Owner is what a type checker says about the type that has a member.
type Owner uint8

// The values of Owner.
const (
	Unsaid     Owner = iota // nothing
	Owned                   // the receiver is declared with one of the types
	Disowned                // the receiver is declared with another type
	Assignable              // the receiver is declared with a type that one of the types can be assigned to
)

// MemberSearch is what Language.Members searches for.
type MemberSearch struct {
	File        string // the file that declares the member
	Owner, Name string
	// Mentions reports whether a file may mention a member of that name.
	Mentions func(path string) bool
}

// MemberUse is a line that mentions a member of that name, and what its type says. The declarations of the
// member in types that the owner can be assigned to, or that can be assigned to the owner, are Assignable.
type MemberUse struct {
	File string
	Line int
	Says Owner
}

// TypeNames are the names in a type.
type TypeNames struct {
	Names []string // alternatives, or parts, of the type
	Inner []string // type arguments
	Open  bool     // the type may be wider than its names
}

// Add adds a name. At a depth above 0 it is a type argument.
func (t *TypeNames) Add(name string, depth int) {
	if depth > 0 {
		t.Inner = append(t.Inner, name)
	} else {
		t.Names = append(t.Names, name)
	}
}
