package texts

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/sqlite"
)

// Store compresses and restores the texts of a database.
type Store struct{ codec codec }

// New returns a store of texts.
func New() *Store { return &Store{} }

// Close releases the codecs.
func (s *Store) Close() { s.codec.close() }

// Pack returns the stored form of a text, and its codec.
func (s *Store) Pack(raw []byte) (codec int, data []byte, err error) { return s.codec.pack(raw) }

// Unpack restores a text into the buffer dst.
func (s *Store) Unpack(codec int, data, dst []byte) ([]byte, error) {
	return s.codec.unpack(codec, data, dst)
}

// Queryer is the database or a transaction.
type Queryer interface {
	QueryRowxContext(ctx context.Context, query string, args ...any) *sqlx.Row
	QueryxContext(ctx context.Context, query string, args ...any) (*sqlx.Rows, error)
}

// Get returns a text of the content table.
func (s *Store) Get(ctx context.Context, q Queryer, id int64) ([]byte, error) {
	return s.GetInto(ctx, q, id, nil)
}

// GetInto is Get with a buffer for the text, used if it is large enough.
func (s *Store) GetInto(ctx context.Context, q Queryer, id int64, room []byte) ([]byte, error) {
	rows, err := q.QueryxContext(ctx, `SELECT hash, codec, base, size, data FROM content WHERE id = ?`, id)
	if err != nil {
		return nil, sqlite.Explain(err)
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, sqlite.Explain(cmp.Or(rows.Err(), sql.ErrNoRows))
	}
	var codec, size int
	var base *int64
	var hash []byte
	var data sql.RawBytes
	if err := rows.Scan(&hash, &codec, &base, &size, &data); err != nil {
		return nil, sqlite.Explain(err)
	}
	var raw []byte
	if codec == delta {
		data = bytes.Clone(data)
		rows.Close() // the next query needs the connection
		if raw, err = s.undelta(ctx, q, data, base); err != nil {
			return nil, fmt.Errorf("read text %d: %w", id, err)
		}
	} else {
		if size = min(max(size, 1), maxContent); cap(room) < size {
			room = make([]byte, 0, size)
		}
		if raw, err = s.codec.unpack(codec, data, room); err != nil {
			return nil, err
		}
	}
	if sum := sha256.Sum256(raw); !bytes.Equal(sum[:], hash) {
		return nil, fmt.Errorf("read text %d: %w: its hash differs from the one stored with it", id, sqlite.ErrDamaged)
	}
	return raw, nil
}

// SlotBits is the number of low bits in which the ids of texts of one second differ. The
// high bits are the second, so that the order of ids, for example in a full-text index, is
// the order of time. They are few, because an index stores the differences between ids: with
// eight, that of the recorded sessions was a fifth larger.
const SlotBits = 4

// latest is the last second with ids of its own.
const latest = 1 << 40

// ID returns the preferred id of a text of a time in Unix milliseconds. If it is taken,
// FreeID finds another. Texts without a time are spread over the first days of the epoch,
// because with one common id each would have to pass all others.
func ID(ms int64, hash [32]byte) int64 {
	const spread = 1 << 20
	second := ms / 1000
	if second < spread {
		second = int64(binary.BigEndian.Uint32(hash[4:]) % spread)
	}
	return min(second, latest) << SlotBits
}

// IDRange returns the range of ids of session lines of a period in Unix milliseconds; 0
// means no limit. It is slightly wider, because a text may have got the id of another
// second.
func IDRange(after, before int64) (least, most int64) {
	const slack = 24 * 3600 // seconds
	least, most = 0, math.MaxInt64
	if after > 0 && after/1000 > slack {
		least = min(after/1000-slack, latest) << SlotBits
	}
	if before > 0 {
		most = min(before/1000+slack, latest+1) << SlotBits
	}
	return least, most
}

// TimeOf returns the time of an id, in Unix milliseconds.
func TimeOf(id int64) int64 { return (id >> SlotBits) * 1000 }

// FreeID returns a free id directly after taken ones, so that ids stay close together. id
// must be taken. Many texts may have the same time and thus consecutive ids: instead of
// visiting all of them, the search doubles its steps until it finds a free id, and then
// halves the last step.
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
