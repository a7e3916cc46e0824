package objects

import (
	"slices"

	"github.com/coctostan/pictx/core/object"
)

// metObjects are the objects that a session has events of, up to one event. Events are
// only ever added, so that what a store remembers of them stays true, whoever else
// writes: the next transaction reads those that came since.
type metObjects struct {
	last int64 // the event
	oids map[int64]bool
}

// maxMet is how many sessions are remembered.
const maxMet = 8

// meet reads what the session has met, if an op asks for that. It is read before the
// transaction writes: what it writes may never be.
func (w *writer) meet(ops []object.Op) error {
	if w.session == nil || !slices.ContainsFunc(ops, func(op object.Op) bool { return op.Do == object.Record && op.Once }) {
		return nil
	}
	// Who has a transaction has the one connection of the store, and with it this map.
	all := w.store.met
	if all == nil || len(all) > maxMet {
		all = make(map[int64]*metObjects)
		w.store.met = all
	}
	if w.met = all[*w.session]; w.met == nil {
		w.met = &metObjects{oids: make(map[int64]bool)}
		all[*w.session] = w.met
	}
	var seq, oid int64
	return w.each([]any{&seq, &oid}, func() { w.met.last, w.met.oids[oid] = max(seq, w.met.last), true },
		`SELECT seq, oid FROM object_events WHERE session = ? AND seq > ?`, w.session, w.met.last)
}

// hasMet reports whether the session has an event of an object.
func (w *writer) hasMet(o *row) bool {
	return o.met || !o.made && w.met.oids[o.OID]
}
