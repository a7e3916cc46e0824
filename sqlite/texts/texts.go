package texts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

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
	var data, hash []byte
	if err := q.QueryRowxContext(ctx, `SELECT hash, codec, size, data FROM content WHERE id = ?`, id).Scan(&hash, &kind, &size, &data); err != nil {
		return nil, sqlite.Explain(err)
	}
	if kind == Delta {
		return s.fromDelta(ctx, q, id)
	}
	raw, err := s.codec.unpack(kind, data, make([]byte, 0, min(max(size, 0), maxContent)))
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(raw); !bytes.Equal(sum[:], hash) {
		return nil, fmt.Errorf("read text %d: %w: it has not the hash that it was stored with", id, sqlite.ErrDamaged)
	}
	return raw, nil
}

// Loosen stores whole what is a difference to a text that goes and stays itself.
func (s *Store) Loosen(ctx context.Context, tx *sqlx.Conn, gone map[int64]bool) error {
	for id := range gone {
		var next []int64
		if err := tx.SelectContext(ctx, &next, `SELECT id FROM content WHERE base = ?`, id); err != nil {
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
