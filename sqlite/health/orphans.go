package health

import (
	"context"
	"fmt"
	"os"

	"github.com/coctostan/pictx/sqlite"
)

// orphanFile is a session that has entries whose parents it lacks, and a file it was read
// from.
type orphanFile struct {
	Conversation int64
	Entries      int
	Path         string
	Size, MTime  int64
}

// orphans finds entries whose parents are not in their sessions. Reading a session again
// helps where its file is another than the one that was read; else nothing does.
func (c *Checker) orphans(ctx context.Context) ([]Finding, error) {
	var files []orphanFile
	err := c.db.SelectContext(ctx, &files, `SELECT o.conversation, o.entries, coalesce(f.path, '') AS path,
		coalesce(f.size, 0) AS size, coalesce(f.mtime, 0) AS mtime FROM (
		  SELECT conversation, count(*) AS entries FROM messages m WHERE m.parent_id <> '' AND m.origin = '' AND NOT EXISTS
		    (SELECT 1 FROM messages p WHERE p.entry_id = m.parent_id AND p.conversation = m.conversation)
		    AND NOT EXISTS (SELECT 1 FROM purged_from) GROUP BY conversation) o
		LEFT JOIN files f ON f.conversation = o.conversation ORDER BY o.conversation`)
	if err != nil {
		return nil, fmt.Errorf("examine history: %w", sqlite.Explain(err))
	}
	entries, changed := make(map[int64]int), make(map[int64]bool)
	for _, f := range files {
		entries[f.Conversation] = f.Entries
		st, err := os.Stat(f.Path)
		changed[f.Conversation] = changed[f.Conversation] || err == nil && (st.Size() != f.Size || st.ModTime().UnixNano() != f.MTime)
	}
	again := Finding{Name: "entries whose parent is not in their session", Remedy: "pictx import"}
	never := Finding{Name: "entries whose parent is neither in their session nor in its file"}
	for conversation, n := range entries {
		if changed[conversation] {
			again.Count += n
		} else {
			never.Count += n
		}
	}
	var out []Finding
	for _, f := range []Finding{again, never} {
		if f.Count > 0 {
			out = append(out, f)
		}
	}
	return out, nil
}
