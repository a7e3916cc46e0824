package objects

import (
	"slices"

	"github.com/coctostan/pictx/core/object"
)

// sessionObjects are the objects that a session has events of, up to one event. Events are
// only ever added, so what a store remembers of them stays true whichever process writes:
// the next transaction reads those that were added since.
type sessionObjects struct {
	last int64 // the event
	oids map[int64]bool
}

// maxSessions is how many sessions are remembered.
const maxSessions = 8

// readSession reads which objects the session has events of, if an op needs that. It reads
// them before the transaction writes, because what it writes may be rolled back.
func (w *writer) readSession(ops []object.Op) error {
	if w.session == nil || !slices.ContainsFunc(ops, func(op object.Op) bool { return op.Do == object.Record && op.Once }) {
		return nil
	}
	// A transaction has the only connection of the store, and with it this map.
	all := w.store.met
	if all == nil || len(all) > maxSessions {
		all = make(map[int64]*sessionObjects)
		w.store.met = all
	}
	if w.met = all[*w.session]; w.met == nil {
		w.met = &sessionObjects{oids: make(map[int64]bool)}
		all[*w.session] = w.met
	}
	var seq, oid int64
	return w.each([]any{&seq, &oid}, func() { w.met.last, w.met.oids[oid] = max(seq, w.met.last), true },
		`SELECT seq, oid FROM object_events WHERE session = ? AND seq > ?`, w.session, w.met.last)
}

// hasEvent reports whether the session has an event of an object.
func (w *writer) hasEvent(o *row) bool {
	return o.met || !o.made && w.met.oids[o.OID]
}
