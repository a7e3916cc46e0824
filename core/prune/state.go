package prune

import (
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/state"
)

// States returns the states of objects on the branch. stored are the changes of the store.
// Those that are on no branch of the session apply here too and are the second result, for
// the session to carry from now on.
func (b *Branch) States(stored []state.Change) (state.States, []state.Change, error) {
	var l state.Log
	var err error
	if slices.ContainsFunc(b.source.asides(), state.Is) {
		l, err = state.On(b.source.path, b.source.line)
	}
	if err != nil {
		return state.States{}, nil, err
	}
	carry, err := b.unknownStates(stored)
	if err != nil {
		return state.States{}, nil, err
	}
	for _, c := range carry {
		l.Apply(c)
	}
	return l.States, carry, nil
}

// unknownStates returns the elements of stored that are on no branch of the session.
func (b *Branch) unknownStates(stored []state.Change) ([]state.Change, error) {
	if len(stored) == 0 {
		return nil, nil
	}
	var p message.Parser
	var known []state.Change
	for _, n := range b.customs() {
		changes, err := state.Of(&p, n, b.source.line)
		if err != nil {
			return nil, err
		}
		known = append(known, changes...)
	}
	var out []state.Change
	for _, s := range stored {
		if !slices.ContainsFunc(known, s.Same) {
			out = append(out, s)
		}
	}
	return out, nil
}
