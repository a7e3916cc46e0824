package texts

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/jmoiron/sqlx"
)

// The ids of texts are times, so that whatever is in the order of ids, as the
// documents of a full-text index are, is in the order of time: the second of the
// entry, and SlotBits bits in which the texts of one second differ.
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

// IDRange is the range of ids that texts of some time have, in Unix milliseconds;
// 0 for no limit. It is a little wider than that, because a text may have got the id of
// another second.
func IDRange(after, before int64) (least, most int64) {
	const slack = 3600 // seconds
	least, most = math.MinInt64, math.MaxInt64
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
