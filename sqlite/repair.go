package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/jmoiron/sqlx"
)

// remedyFix is the remedy of what Repair mends.
const remedyFix = "pictx history doctor --fix"

// SummarizedSessions lists the sessions that summaries were made in.
func (s *Store) SummarizedSessions(ctx context.Context) ([]string, error) {
	var out []string
	err := s.db.SelectContext(ctx, &out, `SELECT DISTINCT session_id FROM summaries ORDER BY session_id`)
	if err != nil && !noTable(err) {
		return nil, fmt.Errorf("list summaries: %w", explain(err))
	}
	return out, nil
}

// Exposed lists the files of the store that others than their owner may read.
func (s *Store) Exposed() ([]string, error) {
	var out []string
	for _, p := range []string{s.path, s.path + "-wal", s.path + "-shm"} {
		st, err := os.Stat(p)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, fmt.Errorf("check permissions: %w", err)
		case st.Mode().Perm()&0o077 != 0:
			out = append(out, p)
		}
	}
	return out, nil
}

// Repaired is what Repair did.
type Repaired struct {
	Copy      string // of the store as it was
	Summaries int    // that were taken out
	Indexed   int    // texts
}

// Repair mends what Examine found, after it made a copy of the store beside it: it
// takes out the summaries whose sources are gone, the leaves first and then what was
// made from them, so that they are written anew, and makes the indexes again when
// they are not as they should be.
func (s *Store) Repair(ctx context.Context, found []Finding) (Repaired, error) {
	var r Repaired
	to := fmt.Sprintf("%s.repair-%s.bak", s.path, s.now().UTC().Format("20060102T150405"))
	if err := s.Backup(ctx, to); err != nil {
		return r, err
	}
	r.Copy = to
	if err := s.narrow(); err != nil {
		return r, err
	}
	var err error
	if r.Summaries, err = s.dropBroken(ctx); err != nil {
		return r, err
	}
	if slices.ContainsFunc(found, func(f Finding) bool { return f.index }) {
		r.Indexed, err = s.Reindex(ctx)
	}
	return r, err
}

// narrow lets nobody but the owner read the files of the store.
func (s *Store) narrow() error {
	exposed, err := s.Exposed()
	if err != nil {
		return err
	}
	for _, p := range exposed {
		st, err := os.Stat(p)
		if err == nil {
			err = os.Chmod(p, st.Mode().Perm()&^0o077)
		}
		if err != nil {
			return fmt.Errorf("narrow permissions: %w", err)
		}
	}
	return nil
}

// dropBroken deletes the summaries whose sources are gone, from the leaves up: what
// was made from one that goes has lost a source.
func (s *Store) dropBroken(ctx context.Context) (int, error) {
	total := 0
	err := s.tx(ctx, func(tx *sqlx.Conn) error {
		for {
			res, err := tx.ExecContext(ctx, `DELETE FROM summaries WHERE id IN (`+brokenSummaries+`)`)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if err != nil || n == 0 {
				return err
			}
			total += int(n)
		}
	})
	if err != nil {
		return 0, fmt.Errorf("take out summaries: %w", err)
	}
	return total, nil
}

// brokenSummaries are the summaries that lack a source, or were made from one that is
// no shallower.
const brokenSummaries = `SELECT DISTINCT s.id FROM summaries s JOIN summary_sources x ON s.id = x.summary
	WHERE (s.depth = 0 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.entry_id = x.source OR m.alias = x.source))
	   OR (s.depth > 0 AND NOT EXISTS (SELECT 1 FROM summaries b WHERE b.key = x.source AND b.depth < s.depth))`
