package texts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
)

// Part is the codec of a text that is the message text in the line of an entry, which is
// base. Nothing of it is stored a second time.
const Part = 4

// Body returns the message text in the line of an entry, nil without any.
func Body(line []byte) []byte {
	var p message.Parser
	e, err := p.ParseEntry(line)
	if err != nil {
		return nil
	}
	return e.AppendBody(nil, line)
}

// MayBePart reports whether a text may be stored as Part of a line that contains it. A text
// that may itself be a session line is not, and a short one takes no more space whole.
func MayBePart(raw []byte) bool { return len(raw) >= minCompressed && !likeLine(raw) }

// PartID returns the id of the next part. Parts have descending ids below zero: among the
// lines they would be spread over the whole table, and storing the objects of a session
// would rewrite every page with its lines.
func PartID(ctx context.Context, q Queryer) (int64, error) {
	var id int64
	err := q.QueryRowxContext(ctx, `SELECT min(0, coalesce(min(id), 0)) - 1 FROM content`).Scan(&id)
	return id, err
}

// fromPart returns the message text of the entry whose line is base.
func (s *Store) fromPart(ctx context.Context, q Queryer, base *int64, hash []byte) ([]byte, error) {
	if base == nil {
		return nil, fmt.Errorf("read text: %w: it is part of nothing", sqlite.ErrDamaged)
	}
	line, err := s.whole(ctx, q, *base)
	if err != nil {
		return nil, fmt.Errorf("read text %d, which another is part of: %w", *base, missing(err))
	}
	raw := Body(line)
	if sum := sha256.Sum256(raw); !bytes.Equal(sum[:], hash) {
		return nil, fmt.Errorf("read part of text %d: %w: its hash differs from the one stored with it", *base, sqlite.ErrDamaged)
	}
	return raw, nil
}

// whole returns a text that depends on no other, as session lines do not. The check
// prevents an endless recursion in a damaged store.
func (s *Store) whole(ctx context.Context, q Queryer, id int64) ([]byte, error) {
	var kind int
	var data []byte
	if err := q.QueryRowxContext(ctx, `SELECT codec, data FROM content WHERE id = ?`, id).Scan(&kind, &data); err != nil {
		return nil, sqlite.Explain(err)
	}
	if kind == Delta || kind == Part || kind == Composed {
		return nil, fmt.Errorf("%w: it is not a line of a session", sqlite.ErrDamaged)
	}
	return s.Unpack(kind, data, nil)
}

// missing returns the error for a text that another depends on.
func missing(err error) error {
	if sqlite.NoRows(err) {
		return fmt.Errorf("%w: it is missing", sqlite.ErrDamaged)
	}
	return err
}
