package erase

import (
	"bytes"
	"context"
	"database/sql"
	"os"
)

// Soiled returns how many pages of an idle database have unused bytes that are not zero,
// beyond the two of the place of a row that was deleted.
func Soiled(ctx context.Context, db *sql.DB, path string) (int, error) {
	w, _, err := walked(ctx, db, path)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, p := range w.found {
		if err := w.readAt(p.page); err != nil {
			return 0, err
		}
		left := w.buf[max(p.from, 0):]
		if p.from == inTree {
			if err := w.tree.of(w.buf, p.page); err != nil {
				return 0, err
			}
			left = w.tree.unused
		}
		if len(left)-bytes.Count(left, []byte{0}) > 2 {
			n++
		}
	}
	return n, nil
}

// walked walks all pages of a database.
func walked(ctx context.Context, db *sql.DB, path string) (*walk, *os.File, error) {
	rows, err := db.QueryContext(ctx, `SELECT rootpage FROM sqlite_schema WHERE rootpage > 0`)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	var roots []uint32
	for rows.Next() {
		var root uint32
		if err := rows.Scan(&root); err != nil {
			return nil, nil, err
		}
		roots = append(roots, root)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	st, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	w, err := unusedPlaces(ctx, f, st.Size(), roots)
	return w, f, err
}

// WipeNow overwrites unused bytes if the log is empty, and reports whether it did.
func (s *Store) WipeNow(ctx context.Context) (bool, error) { return s.wipeNow(ctx) }

// Lazily calls write while SQLite does not overwrite the pages that become free.
func (s *Store) Lazily(ctx context.Context, write func() error) error { return s.lazily(ctx, write) }

// SecureDelete returns SQLite's setting of the connection: 1 overwrites all that is deleted,
// and 2 only what remains in a page in use.
func (s *Store) SecureDelete(ctx context.Context) (n int, err error) {
	err = s.db.GetContext(ctx, &n, `PRAGMA secure_delete`)
	return n, err
}
