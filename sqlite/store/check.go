package store

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/coctostan/pictx/sqlite"
)

// TableSize is the size of a table with its indexes in the file.
type TableSize struct {
	Name  string `json:"name"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"` // 0 when the library does not support this
}

// Health is the result of Check.
type Health struct {
	Schema int
	Bytes  int64 // size of the database and its WAL
	Tables []TableSize
	// Problems are the results of SQLite's check and of our own; none means sound.
	Problems []string
}

// Check checks the store. With quick it omits checks that read all of it.
func (s *Store) Check(ctx context.Context, quick bool) (Health, error) {
	var h Health
	var err error
	if h.Schema, err = s.db.Version(ctx); err != nil {
		return h, err
	}
	h.Bytes = s.db.Size()
	if h.Tables, err = s.tables(ctx); err != nil {
		return h, err
	}
	if !quick {
		h.Problems, err = s.db.Problems(ctx)
	}
	return h, err
}

// tables counts the rows of the tables that hold data.
func (s *Store) tables(ctx context.Context) ([]TableSize, error) {
	var out []TableSize
	for _, name := range []string{"conversations", "files", "messages", "content"} {
		t := TableSize{Name: name}
		if err := s.db.GetContext(ctx, &t.Rows, `SELECT count(*) FROM `+name); err != nil {
			return nil, fmt.Errorf("count %s: %w", name, sqlite.Explain(err))
		}
		// dbstat is a compile-time option of the library. Without it the size stays 0.
		_ = s.db.GetContext(ctx, &t.Bytes, `SELECT coalesce(sum(pgsize), 0) FROM dbstat
			WHERE aggregate = TRUE AND name IN (SELECT name FROM sqlite_master WHERE tbl_name = ?)`, name)
		out = append(out, t)
	}
	return out, nil
}

// remedyFix is the remedy of findings that Repair repairs.
const remedyFix = "pictx doctor --fix"

// Repair repairs findings of Examine, after copying the store to a file next to it, which it
// returns. It
// deletes summaries without sources, leaves first and then those made from them, so that
// they are written again. It rebuilds wrong indexes.
func (s *Store) Repair(ctx context.Context, found []Finding) (copied string, err error) {
	to := fmt.Sprintf("%s.repair-%s.bak", s.db.Path(), s.db.Now().UTC().Format("20060102T150405"))
	if err := s.db.Backup(ctx, to); err != nil {
		return "", err
	}
	if err := s.Summaries.DropBroken(ctx); err != nil {
		return to, err
	}
	if slices.ContainsFunc(found, func(f Finding) bool { return f.index }) {
		return to, s.Search.Rebuild(ctx)
	}
	return to, nil
}

// orphanFile is a session with entries whose parents are missing, and a file that it was
// read from.
type orphanFile struct {
	Conversation int64
	Entries      int
	Path         string
	Size, MTime  int64
}

// orphans finds entries whose parents are not in their session. Importing the session again
// helps only if its file has changed since.
func (s *Store) orphans(ctx context.Context) ([]Finding, error) {
	var files []orphanFile
	err := s.db.SelectContext(ctx, &files, `SELECT o.conversation, o.entries, coalesce(f.path, '') AS path,
		coalesce(f.size, 0) AS size, coalesce(f.mtime, 0) AS mtime FROM (
		  SELECT conversation, count(*) AS entries FROM messages m WHERE m.parent_id <> '' AND NOT EXISTS
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
