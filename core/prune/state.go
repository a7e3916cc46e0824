package prune

import (
	"slices"

	"github.com/coctostan/pictx/core/prune/state"
)

// States returns the states of objects on the branch. stored are the changes of the store.
// Those that are on no branch of the session apply here too and are the second result, for
// the session to carry from now on.
func (b *Branch) States(stored []state.Change) (state.States, []state.Change, error) {
	var l state.Log
	var err error
	if slices.ContainsFunc(b.asides(), state.Is) {
		l, err = state.On(b.path, b.line)
	}
	if err != nil {
		return state.States{}, nil, err
	}
	carry, err := state.Unknown(b.customs(), b.line, stored)
	if err != nil {
		return state.States{}, nil, err
	}
	for _, c := range carry {
		l.Apply(c)
	}
	return l.States, carry, nil
}
