package objects

import (
	"crypto/sha256"
	"encoding/json"
	"slices"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite/texts"
)

// foreseen is what a transaction looked up for all of its changes together. A statement for
// each would take longer than everything that it finds.
type foreseen struct {
	asked map[string]bool      // keys whose objects were looked up
	lines map[*object.Op]int64 // ids of the lines of ops that the store has
}

// foresee looks up the objects and the lines that ops refer to. A transaction that also
// erases may delete them in between, so it looks up each when it needs it.
func foresee(w *writer, ops []object.Op) error {
	if slices.ContainsFunc(ops, func(op object.Op) bool { return op.Do == object.Evict }) {
		return nil
	}
	if err := foreseeObjects(w, ops); err != nil {
		return err
	}
	return foreseeLines(w, ops)
}

// foreseeObjects looks up the objects that ops name by their keys.
func foreseeObjects(w *writer, ops []object.Op) error {
	w.asked = make(map[string]bool)
	var hashes []int64
	for i := range ops {
		if ops[i].ID != "" || ops[i].Key.IsZero() {
			continue
		}
		if key := ops[i].Key.String(); !w.asked[key] {
			w.asked[key] = true
			hashes = append(hashes, keyHash(key))
		}
	}
	asked, err := json.Marshal(hashes)
	if err != nil || len(hashes) == 0 {
		return err
	}
	var r row
	return w.each(r.fields(), func() {
		if o := r; w.asked[o.Key] { // not one whose key merely has the same hash
			w.know(&o)
		}
	}, `SELECT `+columns+` FROM json_each(?) j CROSS JOIN objects o ON o.keyhash = j.value`, string(asked))
}

// foreseeLines looks up the lines that ops come with.
func foreseeLines(w *writer, ops []object.Op) error {
	var of []*object.Op
	var hashes [][sha256.Size]byte
	for i := range ops {
		if ops[i].Do == object.Put && ops[i].Line != nil {
			of, hashes = append(of, &ops[i]), append(hashes, sha256.Sum256(ops[i].Line))
		}
	}
	if len(hashes) == 0 {
		return nil
	}
	w.lines = make(map[*object.Op]int64, len(of))
	return texts.EachLine(w.ctx, w, hashes, func(i int, id int64) { w.lines[of[i]] = id })
}
