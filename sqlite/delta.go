package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
	"github.com/klauspost/compress/zstd"
)

// delta is the codec of a text stored as a delta: zstd with the text of base, which is stored
// whole, as dictionary.
const delta = 3

// deltaID is the dictionary number in the zstd frames of deltas.
const deltaID = 2

// maxDelta is the maximum size in bytes of a text stored as a delta: a larger one does not
// fit into zstd's window together with its base.
const maxDelta = 3 << 20

// wholeFrom is the fraction of a text from which on its delta is too large: the versions of a
// file move away from the one that is stored whole.
const wholeFrom = 32

// PackAfter returns the stored form of a text, and the id of the text that it is a delta
// to, nil for none. before is a text that it may resemble.
func (d *DB) PackAfter(ctx context.Context, q sqlx.QueryerContext, raw []byte, before *int64) (codec int, data []byte, base *int64, err error) {
	if before != nil && len(raw) >= minCompressed && len(raw) <= maxDelta && !likeLine(raw) {
		base = new(int64)
		if err := q.QueryRowxContext(ctx, `SELECT coalesce(base, id) FROM content WHERE id = ?`, *before).Scan(base); err != nil {
			return 0, nil, nil, err
		}
		from, err := d.Text(ctx, q, *base)
		switch {
		case err != nil && !errors.Is(err, ErrDamaged): // nothing more should depend on a damaged text
			return 0, nil, nil, err
		case err == nil && len(from) > 0 && len(from) <= maxDelta:
			if data, err = difference(raw, from); err != nil {
				return 0, nil, nil, fmt.Errorf("compress text: %w", err)
			}
			if len(data) < len(raw)/wholeFrom { // else the next texts resemble this one more
				return delta, data, base, nil
			}
		}
	}
	codec, data, err = d.Pack(raw)
	return codec, data, nil, err
}

// likeLine reports whether a text may be a line of a session. Lines are read by the
// thousand, so they are never stored as deltas.
func likeLine(raw []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r"), []byte("{")) && bytes.IndexByte(raw, '\n') < 0
}

// difference compresses a text as a delta.
func difference(raw, base []byte) ([]byte, error) {
	window, level := 1<<16, zstd.SpeedDefault
	if len(raw)+len(base) <= window {
		level = zstd.SpeedFastest // in larger texts it misses much that both have
	}
	for window < len(raw)+len(base) && window < 8<<20 {
		window *= 2
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window),
		zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true), zstd.WithEncoderDictRaw(deltaID, base))
	if err != nil {
		return nil, err
	}
	return enc.EncodeAll(raw, nil), enc.Close()
}

// undelta restores a text that is a delta to the text with an id.
func (d *DB) undelta(ctx context.Context, q sqlx.QueryerContext, data []byte, base *int64) ([]byte, error) {
	var from []byte
	whole := false
	if base != nil {
		err := q.QueryRowxContext(ctx, `SELECT codec <> ? FROM content WHERE id = ?`, delta, *base).Scan(&whole)
		if err == nil && whole {
			from, err = d.Text(ctx, q, *base)
		}
		if err != nil && !NoRows(err) {
			return nil, err
		}
	}
	if !whole {
		return nil, fmt.Errorf("%w: the text is missing to which it is a difference", ErrDamaged)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxContent), zstd.WithDecoderDictRaw(deltaID, from))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	raw, err := dec.DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return raw, nil
}

// Loosen prepares the deletion of texts: what stays and is a delta to one of them is stored
// whole.
func (d *DB) Loosen(ctx context.Context, tx *sqlx.Conn, gone map[int64]bool) error {
	for id := range gone {
		var next []int64
		if err := tx.SelectContext(ctx, &next, `SELECT id FROM content WHERE base = ?`, id); err != nil {
			return err
		}
		for _, n := range next {
			if gone[n] {
				continue
			}
			if err := d.storeWhole(ctx, tx, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// storeWhole stores a text without reference to another one. A text that cannot be read
// stays as it is.
func (d *DB) storeWhole(ctx context.Context, tx *sqlx.Conn, id int64) error {
	raw, err := d.Text(ctx, tx, id)
	if errors.Is(err, ErrDamaged) {
		return nil
	}
	if err != nil {
		return err
	}
	codec, data, err := d.Pack(raw)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE content SET codec = ?, base = NULL, data = ? WHERE id = ?`, codec, data, id)
	return err
}
