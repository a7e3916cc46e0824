package objects

import (
	"context"
	"errors"
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
		m := masking{ctx, tx, find}
		return errors.Join(
			m.keys(),
			// A document whose members are matched, as every document's are, stays.
			m.column(`SELECT oid AS id, number, doc AS text FROM object_versions WHERE purged = 1`,
				`UPDATE object_versions SET doc = ?1 WHERE oid = ?2 AND number = ?3`, func(doc string) string {
					masked, _ := history.RedactJSON([]byte(doc), find)
					if _, err := object.Decode(masked); err != nil {
						return doc
					}
					return string(masked)
				}),
			m.column(`SELECT oid AS id, 0 AS number, nickname AS text FROM objects WHERE nickname IS NOT NULL`,
				`UPDATE objects SET nickname = nullif(?1, '') WHERE oid = ?2 + ?3`, func(name string) string {
					if history.Finds(find, name) {
						return "" // masked, two could be the same
					}
					return name
				}),
			m.column(`SELECT id, 0 AS number, reason AS text FROM object_tx WHERE reason <> ''`,
				`UPDATE object_tx SET reason = ?1 WHERE id = ?2 + ?3`, func(reason string) string { return history.RedactText(reason, find) }),
		)
	})
	if err != nil {
		return fmt.Errorf("mask names of objects: %w", sqlite.Explain(err))
	}
	return nil
}

// masking masks matches in one transaction.
type masking struct {
	ctx  context.Context
	tx   *sqlx.Conn
	find history.Finder
}

// keys masks the keys of files and calls. A key stays unique by the id of its object.
func (m masking) keys() error {
	var all []row
	if err := m.tx.SelectContext(m.ctx, &all, `SELECT oid, id, key FROM objects WHERE kind IN (?, ?)`, string(object.KindFile), string(object.KindToolcall)); err != nil {
		return err
	}
	for _, o := range all {
		k := o.Key
		last := k.Part(1)
		if k.Kind == object.KindToolcall {
			last = k.Part(2)
		}
		if !history.Finds(m.find, last) {
			continue
		}
		masked := history.RedactText(last, m.find)
		if k.Kind == object.KindFile {
			k = object.FileKey(k.Part(0)+"#"+o.ID, masked)
		} else {
			k = object.ToolcallKey(k.Part(0), k.Part(1), masked+"#"+o.ID)
		}
		if err := setKey(m.ctx, m.tx, o.OID, k); err != nil {
			return err
		}
	}
	return nil
}

// column updates the texts of a query that masked changes.
func (m masking) column(query, update string, masked func(text string) string) error {
	var all []struct {
		ID, Number int64
		Text       string
	}
	if err := m.tx.SelectContext(m.ctx, &all, query); err != nil {
		return err
	}
	for _, r := range all {
		if now := masked(r.Text); now != r.Text {
			if _, err := m.tx.ExecContext(m.ctx, update, now, r.ID, r.Number); err != nil {
				return err
			}
		}
	}
	return nil
}
