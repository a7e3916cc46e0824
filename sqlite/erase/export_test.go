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
