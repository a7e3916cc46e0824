package sqlite

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
)

// Text returns a text of the content table.
func (d *DB) Text(ctx context.Context, q sqlx.QueryerContext, id int64) ([]byte, error) {
	return d.TextInto(ctx, q, id, nil)
}

// TextInto is Text with a buffer for the text, used if it is large enough.
func (d *DB) TextInto(ctx context.Context, q sqlx.QueryerContext, id int64, room []byte) ([]byte, error) {
	rows, err := q.QueryxContext(ctx, `SELECT hash, codec, size, data FROM content WHERE id = ?`, id)
	if err != nil {
		return nil, Explain(err)
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, Explain(cmp.Or(rows.Err(), sql.ErrNoRows))
	}
	var codec, size int
	var hash, data sql.RawBytes
	if err := rows.Scan(&hash, &codec, &size, &data); err != nil {
		return nil, Explain(err)
	}
	if size = min(max(size, 1), maxContent); cap(room) < size {
		room = make([]byte, 0, size)
	}
	raw, err := d.Unpack(codec, data, room)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(raw); !bytes.Equal(sum[:], hash) {
		return nil, fmt.Errorf("read text %d: %w: its hash differs from the one stored with it", id, ErrDamaged)
	}
	return raw, nil
}

// TextBits is the number of low bits in which the ids of texts of one second differ. The
// high bits are the second, so that the order of ids, for example in a full-text index, is
// the order of time. They are few, because an index stores the differences between ids: with
// eight, that of the recorded sessions was a fifth larger.
const TextBits = 4

// latestSecond is the last second with ids of its own.
const latestSecond = 1 << 40

// TextID returns the preferred id of a text of a time in Unix milliseconds. If it is taken,
// FreeTextID finds another. Texts without a time are spread over the first days of the epoch,
// because with one common id each would have to pass all others.
func TextID(ms int64, hash [32]byte) int64 {
	const spread = 1 << 20
	second := ms / 1000
	if second < spread {
		second = int64(binary.BigEndian.Uint32(hash[4:]) % spread)
	}
	return min(second, latestSecond) << TextBits
}

// TextIDs returns the range of ids of session lines of a period in Unix milliseconds; 0
// means no limit. It is slightly wider, because a text may have got the id of another
// second.
func TextIDs(after, before int64) (least, most int64) {
	const slack = 24 * 3600 // seconds
	least, most = 0, math.MaxInt64
	if after > 0 && after/1000 > slack {
		least = min(after/1000-slack, latestSecond) << TextBits
	}
	if before > 0 {
		most = min(before/1000+slack, latestSecond+1) << TextBits
	}
	return least, most
}

// TextTime returns the time of an id, in Unix milliseconds.
func TextTime(id int64) int64 { return (id >> TextBits) * 1000 }

// FreeTextID returns a free id directly after taken ones, so that ids stay close together. id
// must be taken. Many texts may have the same time and thus consecutive ids: instead of
// visiting all of them, the search doubles its steps until it finds a free id, and then
// halves the last step.
func FreeTextID(ctx context.Context, tx *sqlx.Conn, id int64) (int64, error) {
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

// PurgedAs reports whether a line of a session was purged, and returns the id of the text that
// replaced it, 0 for none.
func PurgedAs(ctx context.Context, q sqlx.QueryerContext, session string, hash []byte) (id int64, gone bool, err error) {
	err = sqlx.GetContext(ctx, q, &id, `SELECT 0 FROM purged_from WHERE session_id = ?1 AND hash = ?2
		UNION ALL SELECT coalesce(content, 0) FROM purged WHERE hash = ?2 LIMIT 1`, session, hash)
	if NoRows(err) {
		return 0, false, nil
	}
	return id, err == nil, err
}
