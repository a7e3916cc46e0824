// Package store opens the store of a project with all of its parts. It creates and closes
// the parts, and runs in order what involves several of them: it counts what a store has,
// checks its parts against each other, and repairs what can be rebuilt from the rest. It must
// not know how they work.
package store
