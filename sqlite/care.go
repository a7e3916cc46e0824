package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"
)

// LibraryInfo describes the SQLite this binary was built with.
type LibraryInfo struct {
	Version  string
	FullText bool // FTS5 is in it
}

// Library describes the SQLite this binary was built with.
func Library() LibraryInfo {
	version, _, _ := sqlite3.Version()
	return LibraryInfo{Version: version, FullText: builtWithFTS5}
}

// TableSize is what a table and its indexes take in the file.
type TableSize struct {
	Name  string `json:"name"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"` // 0 when the library cannot tell
}

// Health is what Check finds.
type Health struct {
	Schema    int
	Bytes     int64 // of the database and its WAL
	Tables    []TableSize
	Unindexed int // texts that the index of words lacks
	Underived int // entries that the indexes of parts of words lack
	HasIndex  bool
	// Problems are what SQLite's own check and ours found; empty is sound.
	Problems []string
}

// Check looks the store over. quick leaves out what reads all of it.
func (s *Store) Check(ctx context.Context, quick bool) (Health, error) {
	var h Health
	var err error
	if h.Schema, err = s.Version(ctx); err != nil {
		return h, err
	}
	for _, suffix := range []string{"", "-wal"} {
		if st, err := os.Stat(s.path + suffix); err == nil {
			h.Bytes += st.Size()
		}
	}
	if h.Tables, err = s.tables(ctx); err != nil {
		return h, err
	}
	if h.Unindexed, err = s.Unindexed(ctx); err != nil {
		return h, err
	}
	if h.Underived, err = s.Underived(ctx); err != nil {
		return h, err
	}
	if h.HasIndex, err = s.HasIndex(ctx); err != nil {
		return h, err
	}
	if !quick {
		h.Problems, err = s.problems(ctx)
	}
	return h, err
}

// tables counts the rows of the tables that hold data.
func (s *Store) tables(ctx context.Context) ([]TableSize, error) {
	var out []TableSize
	for _, name := range []string{"conversations", "files", "messages", "content"} {
		t := TableSize{Name: name}
		if err := s.db.GetContext(ctx, &t.Rows, `SELECT count(*) FROM `+name); err != nil {
			return nil, fmt.Errorf("count %s: %w", name, explain(err))
		}
		// dbstat is an option of the library; without it the size stays 0.
		_ = s.db.GetContext(ctx, &t.Bytes, `SELECT coalesce(sum(pgsize), 0) FROM dbstat
			WHERE aggregate = TRUE AND name IN (SELECT name FROM sqlite_master WHERE tbl_name = ?)`, name)
		out = append(out, t)
	}
	return out, nil
}

// problems runs SQLite's check and looks for rows that point nowhere.
func (s *Store) problems(ctx context.Context) ([]string, error) {
	var found []string
	if err := s.db.SelectContext(ctx, &found, `PRAGMA quick_check(20)`); err != nil {
		if err = explain(err); errors.Is(err, ErrDamaged) {
			return []string{err.Error()}, nil
		}
		return nil, err
	}
	var out []string
	for _, f := range found {
		// A build without FTS5 cannot check the index's own tables.
		if f != "ok" && !strings.Contains(f, "no such module") {
			out = append(out, f)
		}
	}
	for what, query := range map[string]string{
		"entries without text":    `SELECT count(*) FROM messages m LEFT JOIN content t ON t.id = m.content WHERE t.id IS NULL`,
		"entries without session": `SELECT count(*) FROM messages m LEFT JOIN conversations c ON c.id = m.conversation WHERE c.id IS NULL`,
	} {
		var n int
		if err := s.db.GetContext(ctx, &n, query); err != nil {
			return nil, explain(err)
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, what))
		}
	}
	return out, nil
}

// Checkpoint moves the WAL into the database file. Hooks leave it to commands.
func (s *Store) Checkpoint(ctx context.Context) error {
	_, err := s.db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return explain(err)
}

// Tidy moves what it can of the WAL into the database file and empties it, unless
// somebody else is using it: a hook does it when the agent rests.
func (s *Store) Tidy(ctx context.Context) error {
	if _, err := s.db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		return fmt.Errorf("checkpoint store: %w", explain(err))
	}
	return nil
}

// Discard closes the store and deletes it, with everything that is in it.
func (s *Store) Discard() error {
	s.codec.close()
	err := s.db.Close()
	for _, end := range []string{"", "-wal", "-shm"} {
		if rerr := os.Remove(s.path + end); rerr != nil && !errors.Is(rerr, os.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	if err != nil {
		return fmt.Errorf("delete store: %w", err)
	}
	return nil
}

// Move makes the store at from the store at to. A store that is at to already is
// kept beside it, with the time in its name.
func Move(ctx context.Context, from, to string, now func() time.Time) error {
	s, err := Open(ctx, from, Write, now)
	if err != nil {
		return err
	}
	if err := errors.Join(s.Checkpoint(ctx), s.Close()); err != nil {
		return fmt.Errorf("move store: %w", err)
	}
	if _, err := os.Stat(to); err == nil {
		kept := fmt.Sprintf("%s.%s.bak", to, now().UTC().Format("20060102T150405"))
		old, err := Open(ctx, to, Write, now)
		if err != nil {
			return err
		}
		if err := errors.Join(old.Checkpoint(ctx), old.Close(), os.Rename(to, kept)); err != nil {
			return fmt.Errorf("move store: %w", err)
		}
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		// Empty after the checkpoint; left behind they would belong to the wrong file.
		_ = os.Remove(from + suffix)
		_ = os.Remove(to + suffix)
	}
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("move store: %w", err)
	}
	return nil
}
