package objects

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
)

// MaskNames masks matches in what objects are called: the paths of files, the ids of calls,
// nicknames, the reasons of transactions, and what is left of documents whose content is purged. Objects keep their ids and versions; a file
// at a masked path is a new object when it is met again.
func (s *Store) MaskNames(ctx context.Context, find history.Finder) error {
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		if err := maskKeys(ctx, tx, find); err != nil {
			return err
		}
		if err := maskDocuments(ctx, tx, find); err != nil {
			return err
		}
		if err := maskColumn(ctx, tx, find, `SELECT oid AS id, nickname AS text FROM objects WHERE nickname IS NOT NULL`,
			`UPDATE objects SET nickname = NULL WHERE ?1 <> '' AND oid = ?2`); err != nil { // masked, two could be the same
			return err
		}
		return maskColumn(ctx, tx, find, `SELECT id, reason AS text FROM object_tx WHERE reason <> ''`, `UPDATE object_tx SET reason = ?1 WHERE id = ?2`)
	})
	if err != nil {
		return fmt.Errorf("mask names of objects: %w", sqlite.Explain(err))
	}
	return nil
}

// maskKeys masks the keys of files and calls. A key stays unique by the id of its object.
func maskKeys(ctx context.Context, tx *sqlx.Conn, find history.Finder) error {
	var all []struct {
		OID     int64
		ID, Key string
	}
	err := tx.SelectContext(ctx, &all, `SELECT oid, id, key FROM objects WHERE kind IN (?, ?)`, string(object.KindFile), string(object.KindToolcall))
	if err != nil {
		return err
	}
	for _, o := range all {
		k, ok := object.ParseKey(o.Key)
		last := map[object.Kind]int{object.KindFile: 1, object.KindToolcall: 2}[k.Kind]
		if !ok || !history.Finds(find, k.Part(last)) {
			continue
		}
		masked := history.RedactText(k.Part(last), find)
		if k.Kind == object.KindFile {
			k = object.FileKey(k.Part(0)+"#"+o.ID, masked)
		} else {
			k = object.ToolcallKey(k.Part(0), k.Part(1), masked+"#"+o.ID)
		}
		if _, err := tx.ExecContext(ctx, `UPDATE objects SET key = ?, keyhash = ? WHERE oid = ?`, k.String(), keyHash(k.String()), o.OID); err != nil {
			return err
		}
	}
	return nil
}

// maskDocuments masks the documents of purged versions, which have the name of a tool or the
// path of a file.
func maskDocuments(ctx context.Context, tx *sqlx.Conn, find history.Finder) error {
	var all []struct {
		OID, Number int64
		Doc         string
	}
	if err := tx.SelectContext(ctx, &all, `SELECT oid, number, doc FROM object_versions WHERE purged = 1`); err != nil {
		return err
	}
	for _, v := range all {
		masked, n := history.RedactJSON([]byte(v.Doc), find)
		if n == 0 {
			continue
		}
		if _, err := object.Decode(masked); err != nil { // a name that every document has
			continue
		}
		if _, err := tx.ExecContext(ctx, `UPDATE object_versions SET doc = ? WHERE oid = ? AND number = ?`, string(masked), v.OID, v.Number); err != nil {
			return err
		}
	}
	return nil
}

// maskColumn masks matches in a column.
func maskColumn(ctx context.Context, tx *sqlx.Conn, find history.Finder, query, update string) error {
	var all []struct {
		ID   int64
		Text string
	}
	if err := tx.SelectContext(ctx, &all, query); err != nil {
		return err
	}
	for _, r := range all {
		if !history.Finds(find, r.Text) {
			continue
		}
		if _, err := tx.ExecContext(ctx, update, history.RedactText(r.Text, find), r.ID); err != nil {
			return err
		}
	}
	return nil
}
