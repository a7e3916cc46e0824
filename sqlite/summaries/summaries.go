package summaries

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/sqlite"
)

var (
	_ summary.Reader  = (*Store)(nil)
	_ summary.Store   = (*Store)(nil)
	_ summary.Counter = (*Store)(nil)
)

// Store stores the summaries of one database, and controls who may write them.
type Store struct {
	db *sqlite.DB
}

// New returns the summaries of a database.
func New(db *sqlite.DB) *Store { return &Store{db: db} }

// Summaries returns the summaries of a session, and those of others that begin at an entry
// of it, in the order of creation.
func (s *Store) Summaries(ctx context.Context, session string) ([]summary.Node, error) {
	return s.summaries(ctx, `
		WHERE s.session_id = ? OR EXISTS (
		  SELECT 1 FROM messages m JOIN conversations c ON c.id = m.conversation
		  WHERE m.entry_id = s.first_entry AND c.session_id = ?)`, session, session)
}

// SummaryParents returns the summaries made from one.
func (s *Store) SummaryParents(ctx context.Context, key string) ([]summary.Node, error) {
	return s.summaries(ctx, `WHERE s.depth > 0 AND s.id IN (SELECT summary FROM summary_sources WHERE source = ?)`, key)
}

// Summary returns the summary whose key begins with prefix.
func (s *Store) Summary(ctx context.Context, prefix string) (*summary.Node, error) {
	found, err := s.summaries(ctx, `WHERE s.key >= ? AND s.key < ?`, prefix, prefix+"\U0010ffff")
	if err != nil {
		return nil, err
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("find %s: %w", prefix, summary.ErrNotFound)
	case 1:
		return &found[0], nil
	}
	many := &summary.AmbiguousError{Prefix: prefix}
	for i := range found {
		many.Keys = append(many.Keys, found[i].Key)
	}
	return nil, many
}

// SummariesAsked returns the summaries that pictx asked a model for since a time in Unix
// milliseconds, in a session or, with "", in all: neither those that sessions had themselves
// nor those from another program's store.
func (s *Store) SummariesAsked(ctx context.Context, session string, since int64) ([]summary.Node, error) {
	return s.summaries(ctx, `WHERE (?1 = '' OR s.session_id = ?1) AND s.created >= ?2
		AND s.kind = ?3 AND s.hash <> '' AND s.model <> ?4`, session, since, summary.Model, summary.GivenName)
}

// summaries reads summaries with their sources.
func (s *Store) summaries(ctx context.Context, where string, args ...any) ([]summary.Node, error) {
	var rows []struct {
		Below string // its sources, as a JSON array
		summary.Node
	}
	err := s.db.SelectContext(ctx, &rows, `
		SELECT s.key, s.session_id AS session, s.depth, s.kind, s.hash, s.first_entry AS first, s.last_entry AS last, s.entries,
		       s.started AS "from", s.ended AS "to", s.text, s.tokens, s.input_tokens AS input, s.model AS name, s.prompt, s.created,
		       (SELECT json_group_array(source) FROM (SELECT source FROM summary_sources WHERE summary = s.id ORDER BY ord)) AS below
		FROM summaries s `+where+` ORDER BY s.id`, args...)
	if err != nil {
		return nil, fmt.Errorf("read summaries: %w", sqlite.Explain(err))
	}
	out := make([]summary.Node, len(rows))
	for i, r := range rows {
		out[i] = r.Node
		if err := json.Unmarshal([]byte(r.Below), &out[i].Sources); err != nil {
			return nil, fmt.Errorf("read summaries: %w", err)
		}
	}
	return out, nil
}

// PutSummary stores a summary with its sources if the caller still holds the lease. An
// existing summary with its key stays as it is.
func (s *Store) PutSummary(ctx context.Context, l summary.Lease, n *summary.Node) error {
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		if err := set(ctx, tx, l, s.expiry()); err != nil {
			return err
		}
		if err := stands(ctx, tx, n); err != nil {
			return err
		}
		return put(ctx, tx, n)
	})
	if err != nil {
		return fmt.Errorf("store summary: %w", err)
	}
	return nil
}

// stands returns summary.ErrErased when a source of a summary was erased since it was read.
func stands(ctx context.Context, tx *sqlx.Conn, n *summary.Node) error {
	lines, below := []string{}, []string{}
	for _, hash := range n.Lines {
		lines = append(lines, hex.EncodeToString(hash[:]))
	}
	if n.Depth > 0 {
		below = n.Sources
	}
	erased := false
	hashes, _ := json.Marshal(lines)
	keys, _ := json.Marshal(below)
	err := tx.GetContext(ctx, &erased, `SELECT
		EXISTS (SELECT 1 FROM json_each(?1) l JOIN purged p ON p.hash = unhex(l.value))
		OR EXISTS (SELECT 1 FROM json_each(?1) l JOIN purged_from p ON p.session_id = ?2 AND p.hash = unhex(l.value))
		OR EXISTS (SELECT 1 FROM json_each(?3) k WHERE NOT EXISTS (SELECT 1 FROM summaries WHERE key = k.value))`, string(hashes), n.Session, string(keys))
	if err == nil && erased {
		return summary.ErrErased
	}
	return err
}

// put stores a summary with its sources, unless there is one with its key.
func put(ctx context.Context, tx *sqlx.Conn, n *summary.Node) error {
	res, err := tx.ExecContext(ctx, `
		INSERT INTO summaries (key, session_id, depth, kind, hash, first_entry, last_entry, entries, started, ended,
		                       text, tokens, input_tokens, model, prompt, created)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
		n.Key, n.Session, n.Depth, string(n.Kind), n.Hash, n.First, n.Last, n.Entries, n.From, n.To,
		n.Text, int(n.Tokens), int(n.Input), n.Name, n.Prompt, n.Created)
	if err != nil {
		return err
	}
	if stored, err := res.RowsAffected(); err != nil || stored == 0 {
		return err
	}
	id, err := res.LastInsertId()
	for i := 0; i < len(n.Sources) && err == nil; i++ {
		_, err = tx.ExecContext(ctx, `INSERT INTO summary_sources (summary, ord, source) VALUES (?, ?, ?)`, id, i, n.Sources[i])
	}
	return err
}

// Lines calls fn with the stored lines of a session in the order they were written. A line
// is valid until fn returns.
func (s *Store) Lines(ctx context.Context, session string, fn func(raw []byte) error) error {
	rows, err := s.db.QueryContext(ctx, `
		SELECT coalesce(t.codec, -1), t.data FROM messages m JOIN conversations c ON c.id = m.conversation
		LEFT JOIN content t ON t.id = m.content WHERE c.session_id = ? ORDER BY m.ordinal, m.id`, session)
	if err != nil {
		return fmt.Errorf("read session: %w", sqlite.Explain(err))
	}
	defer rows.Close()
	var buf []byte
	for rows.Next() {
		var kind int
		var data []byte
		if err := rows.Scan(&kind, &data); err != nil {
			return fmt.Errorf("read session: %w", sqlite.Explain(err))
		}
		if kind < 0 {
			return fmt.Errorf("read session: %w: the text of an entry is missing", sqlite.ErrDamaged)
		}
		if buf, err = s.db.Unpack(kind, data, buf); err != nil {
			return fmt.Errorf("read session: %w", err)
		}
		if err := fn(buf); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read session: %w", sqlite.Explain(err))
	}
	if err := s.db.Refute(ctx, "entries of the session are missing", lostEntries, session); err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	return nil
}

// lostEntries finds a session that cannot be found by its id, and entries of it that are
// missing in one of its two indexes.
const lostEntries = `SELECT 1 FROM conversations c NOT INDEXED WHERE c.session_id = ? AND (
	NOT EXISTS (SELECT 1 FROM conversations d WHERE d.session_id = c.session_id AND +d.id = c.id)
	OR EXISTS (SELECT 1 FROM messages m INDEXED BY messages_span WHERE m.conversation = c.id AND NOT EXISTS (
		SELECT 1 FROM messages x INDEXED BY messages_conversation
		WHERE x.conversation = m.conversation AND x.ordinal = m.ordinal AND x.id = m.id)))`

// EntryLine returns the latest line of an entry: the session's own if it has an entry with
// this id, else that of any session.
func (s *Store) EntryLine(ctx context.Context, session, entry string) ([]byte, error) {
	var id int64
	err := s.db.GetContext(ctx, &id, `
		SELECT m.content FROM messages m JOIN conversations c ON c.id = m.conversation
		WHERE m.entry_id = ? ORDER BY c.session_id = ? DESC, m.id DESC LIMIT 1`, entry, session)
	if sqlite.NoRows(err) {
		return nil, fmt.Errorf("read entry %s: %w", entry, history.ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("read entry %s: %w", entry, sqlite.Explain(err))
	}
	return s.db.Text(ctx, s.db, id)
}

// SummaryStats counts the messages of a session and the bytes of the database.
func (s *Store) SummaryStats(ctx context.Context, session string) (messages int, size int64, err error) {
	// The size is not that of the files: the write-ahead log is larger than its content.
	err = s.db.QueryRowxContext(ctx, `
		SELECT count(*), (SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size())
		FROM messages m JOIN conversations c ON c.id = m.conversation
		WHERE c.session_id = ? AND m.role NOT IN ('', 'system')`, session).Scan(&messages, &size)
	if err != nil {
		return 0, 0, fmt.Errorf("count messages: %w", sqlite.Explain(err))
	}
	return messages, size, nil
}

// Sessions lists the sessions in which summaries were made.
func (s *Store) Sessions(ctx context.Context) ([]string, error) {
	var out []string
	err := s.db.SelectContext(ctx, &out, `SELECT DISTINCT session_id FROM summaries ORDER BY session_id`)
	if err != nil {
		return nil, fmt.Errorf("list summaries: %w", sqlite.Explain(err))
	}
	return out, nil
}

// DropBroken deletes the summaries whose sources are gone, from the leaves up: a node made
// from a deleted one has lost a source too.
func (s *Store) DropBroken(ctx context.Context) error {
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		for {
			res, err := tx.ExecContext(ctx, `DELETE FROM summaries WHERE id IN (`+Broken+`)`)
			if err != nil {
				return err
			}
			if n, err := res.RowsAffected(); err != nil || n == 0 {
				return err
			}
		}
	})
	if err != nil {
		return fmt.Errorf("delete summaries: %w", err)
	}
	return nil
}

// Broken selects the summaries that lack a source, or whose source is not less deep.
const Broken = `SELECT DISTINCT s.id FROM summaries s JOIN summary_sources x ON s.id = x.summary
	WHERE (s.depth = 0 AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.entry_id = x.source))
	   OR (s.depth > 0 AND NOT EXISTS (SELECT 1 FROM summaries b WHERE b.key = x.source AND b.depth < s.depth))`

// ExtractStats counts the summaries of a store, and those that a model has yet to write.
type ExtractStats struct {
	Summaries int
	// Extracts is the number of extracts that were not replaced, in how many Sessions.
	// Latest is the session of the newest of them.
	Extracts, Sessions int
	Latest             string
}

// Extracts counts the summaries of all sessions. An extract is replaced when a model
// summarized the same source, or when a source of it is replaced. An extract below a
// model's summary need not be replaced: readers see the latter.
func (s *Store) Extracts(ctx context.Context) (ExtractStats, error) {
	var out ExtractStats
	err := s.db.QueryRowxContext(ctx, `
		WITH RECURSIVE gone (key) AS (
		  SELECT e.key FROM summaries e JOIN summaries m ON m.hash = e.hash AND m.depth = e.depth
		  WHERE e.kind = 'extract' AND m.kind <> 'extract' AND e.hash <> ''
		  UNION SELECT up.key FROM gone JOIN summary_sources x ON x.source = gone.key
		  JOIN summaries up ON up.id = x.summary AND up.depth > 0),
		below (key) AS (
		  SELECT x.source FROM summaries m JOIN summary_sources x ON x.summary = m.id WHERE m.kind <> 'extract' AND m.depth > 0
		  UNION SELECT x.source FROM below JOIN summaries e ON e.key = below.key AND e.depth > 0
		  JOIN summary_sources x ON x.summary = e.id),
		open AS (SELECT id, session_id FROM summaries
		  WHERE kind = 'extract' AND key NOT IN (SELECT key FROM gone) AND key NOT IN (SELECT key FROM below))
		SELECT (SELECT count(*) FROM summaries), count(*), count(DISTINCT session_id),
		  coalesce((SELECT session_id FROM open ORDER BY id DESC LIMIT 1), '') FROM open`).
		Scan(&out.Summaries, &out.Extracts, &out.Sessions, &out.Latest)
	if err != nil {
		return out, fmt.Errorf("count summaries: %w", sqlite.Explain(err))
	}
	return out, nil
}
