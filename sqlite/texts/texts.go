package texts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/sqlite"
)

// Store packs and unpacks the texts of a database.
type Store struct {
	codec  codec
	last   lastTexts
	differ differ
}

// New returns what reads and writes texts. It is for all users of one database, because
// it remembers some of the texts.
func New() *Store { return &Store{} }

// Close frees what packing and unpacking took.
func (s *Store) Close() { s.codec.close() }

// Pack returns the form of a text that the table holds, and the codec of it.
func (s *Store) Pack(raw []byte) (codec int, data []byte, err error) { return s.codec.pack(raw) }

// PackInto is Pack with room for the result, which is used when it suffices.
func (s *Store) PackInto(raw, room []byte) (codec int, data []byte, err error) {
	return s.codec.packInto(raw, room)
}

// Unpack restores a text that is not a difference, into dst's space.
func (s *Store) Unpack(codec int, data, dst []byte) ([]byte, error) {
	return s.codec.unpack(codec, data, dst)
}

// Forget drops cached texts, because some were deleted.
func (s *Store) Forget() {
	s.last.forget()
	s.differ.forget()
}

// Queryer is what reading a text needs: the database or a transaction.
type Queryer interface {
	QueryRowxContext(ctx context.Context, query string, args ...any) *sqlx.Row
}

// Get returns a text of the content table.
func (s *Store) Get(ctx context.Context, q Queryer, id int64) ([]byte, error) {
	var kind, size int
	var base *int64
	var data, hash []byte
	if err := q.QueryRowxContext(ctx, `SELECT hash, codec, base, size, data FROM content WHERE id = ?`, id).Scan(&hash, &kind, &base, &size, &data); err != nil {
		return nil, sqlite.Explain(err)
	}
	switch kind {
	case Delta:
		return s.fromDelta(ctx, q, id)
	case Part:
		return s.fromPart(ctx, q, base, hash)
	}
	raw, err := s.codec.unpack(kind, data, make([]byte, 0, min(max(size, 0), maxContent)))
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(raw); !bytes.Equal(sum[:], hash) {
		return nil, fmt.Errorf("read text %d: %w: its hash differs from the one stored with it", id, sqlite.ErrDamaged)
	}
	return raw, nil
}

// Loosen stores whole what is a difference to a text that goes, or part of it, and stays itself.
// What was part of a line is in the index of the line's words alone, and so is listed as not
// indexed.
func (s *Store) Loosen(ctx context.Context, tx *sqlx.Conn, gone map[int64]bool) error {
	for id := range gone {
		var next []int64
		if err := tx.SelectContext(ctx, &next, `SELECT id FROM content WHERE base = ?`, id); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO object_unindexed (content) SELECT id FROM content WHERE base = ? AND codec = ?`, id, Part); err != nil {
			return err
		}
		for _, n := range next {
			if gone[n] {
				continue
			}
			raw, err := s.Get(ctx, tx, n)
			if errors.Is(err, sqlite.ErrDamaged) {
				continue // it could not be read before either
			}
			if err != nil {
				return err
			}
			kind, data, err := s.codec.pack(raw)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `UPDATE content SET codec = ?, base = NULL, data = ? WHERE id = ?`, kind, data, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// SlotBits is the number of bits in which the ids of texts of one second differ. The
// others are that second, so that whatever is in the order of ids, as the documents of
// a full-text index are, is in the order of time.
const SlotBits = 8

// latest is the last second that has an id of its own.
const latest = 1 << 40

// ID is the id that a text of some time asks for, in Unix milliseconds. When
// another text has it, the text gets one that FreeID finds. Texts without a time are
// spread over the first days there are, or each would have to pass all others.
func ID(ms int64, hash [32]byte) int64 {
	const spread = 1 << 20
	second := ms / 1000
	if second < spread {
		second = int64(binary.BigEndian.Uint32(hash[4:]) % spread)
	}
	return min(second, latest)<<SlotBits | int64(hash[0])
}

// IDRange is the range of ids that the lines of sessions of some time have, in Unix
// milliseconds; 0 for no limit. It is a little wider than that, because a text may have got the id of
// another second.
func IDRange(after, before int64) (least, most int64) {
	const slack = 3600 // seconds
	least, most = 0, math.MaxInt64
	if after > 0 && after/1000 > slack {
		least = min(after/1000-slack, latest) << SlotBits
	}
	if before > 0 {
		most = min(before/1000+slack, latest+1) << SlotBits
	}
	return least, most
}

// TimeOf is when the texts of an id are from, in Unix milliseconds.
func TimeOf(id int64) int64 { return (id >> SlotBits) * 1000 }

// FreeID returns an id that no text has, directly after one that a text has, so that
// ids stay close together. id must be taken. Many texts may have the same time, and then
// their ids follow one another: instead of visiting all of them, the search takes steps
// that double until it meets a free id, and then halves the last step.
func FreeID(ctx context.Context, tx *sqlx.Conn, id int64) (int64, error) {
	err := tx.GetContext(ctx, &id, `WITH RECURSIVE search (taken, free, probe) AS (
		SELECT ?1, NULL, ?1 + 1
		UNION ALL
		SELECT iif(c.id IS NULL, taken, probe), iif(c.id IS NULL, probe, free), CASE
			WHEN c.id IS NULL THEN (taken + probe) / 2
			WHEN free IS NULL THEN probe + 2 * (probe - taken)
			ELSE (probe + free) / 2 END
		FROM search LEFT JOIN content c ON c.id = probe WHERE free IS NULL OR free - taken > 1)
		SELECT free FROM search WHERE free - taken = 1`, id)
	return id, err
}
