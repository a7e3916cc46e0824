package prune

import "github.com/coctostan/pictx/core/prune/state"

// States returns the states of objects on the branch. stored are the changes of the store.
// Those that are on no branch of the session apply here too and are the second result, for
// the session to carry from now on.
func (b *Branch) States(stored []state.Change) (state.States, []state.Change, error) {
	return state.On(b.path, b.customs(), b.line, stored)
}
