package screen

import "context"

// Library is where a Model finds what it shows. Its methods may be called at the same time;
// a context ends when its result is no longer wanted. Texts that it returns are safe
// for a terminal.
type Library interface {
	// Sessions returns a few sessions, the latest first, from the i-th on; none at the end.
	Sessions(ctx context.Context, i int) ([]Row, error)
	// Search returns the entries that match words, the best first.
	Search(ctx context.Context, words string) ([]Row, error)
	// Open returns the conversation that a row is from, or is part of.
	Open(ctx context.Context, r Row) ([]Block, error)
}

// Row is a line of the list: a session, or an entry that was found.
type Row struct {
	Session string // by which the library opens it
	Entry   string // "" for a session
	Match   string // what was found in the entry
	Head    string // when, and what it is about
	Text    string // what was found, or what is known of a session
}

// Block is one piece of a conversation: a prompt, a response, a call with its result.
type Block struct {
	ID    string // the entry, as pictx expand takes it
	Call  string // the entry of the call whose result this is, "" for none
	Head  string // when, who and about what, on one line
	Text  string // without tabs
	Folds bool   // only the first lines are shown until it is unfolded
}
