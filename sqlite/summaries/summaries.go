package summaries

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/token"
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

// summaryRow is a row of summaries.
type summaryRow struct {
	ID         int64
	Key        string
	SessionID  string `db:"session_id"`
	Depth      int
	Kind       string
	Hash       string
	FirstEntry string `db:"first_entry"`
	LastEntry  string `db:"last_entry"`
	Entries    int
	Started    int64
	Ended      int64
	Text       string
	Tokens     int
	Input      int `db:"input_tokens"`
	Model      string
	Prompt     int
	Created    int64
}

func (r *summaryRow) node() summary.Node {
	return summary.Node{
		Key: r.Key, Session: r.SessionID, Depth: r.Depth, Kind: summary.Kind(r.Kind), Hash: r.Hash,
		First: r.FirstEntry, Last: r.LastEntry, Entries: r.Entries, From: r.Started, To: r.Ended, Text: r.Text,
		Tokens: token.Count(r.Tokens), Input: token.Count(r.Input), Name: r.Model, Prompt: r.Prompt, Created: r.Created,
	}
}

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

// summaries reads summaries with their sources.
func (s *Store) summaries(ctx context.Context, where string, args ...any) ([]summary.Node, error) {
	var rows []summaryRow
	err := s.db.SelectContext(ctx, &rows, `
		SELECT s.id, s.key, s.session_id, s.depth, s.kind, s.hash, s.first_entry, s.last_entry, s.entries,
		       s.started, s.ended, s.text, s.tokens, s.input_tokens, s.model, s.prompt, s.created
		FROM summaries s `+where+` ORDER BY s.id`, args...)
	if err != nil {
		return nil, fmt.Errorf("read summaries: %w", sqlite.Explain(err))
	}
	out := make([]summary.Node, len(rows))
	for i := range rows {
		out[i] = rows[i].node()
		err := s.db.SelectContext(ctx, &out[i].Sources, `SELECT source FROM summary_sources WHERE summary = ? ORDER BY ord`, rows[i].ID)
		if err != nil {
			return nil, fmt.Errorf("read summaries: %w", sqlite.Explain(err))
		}
	}
	return out, nil
}

// PutSummary stores a summary with its sources if the caller still holds the lease. An
// existing summary with its key stays as it is.
func (s *Store) PutSummary(ctx context.Context, l summary.Lease, n *summary.Node) error {
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		if err := s.renew(ctx, tx, l); err != nil {
			return err
		}
		if err := stands(ctx, tx, n); err != nil {
			return err
		}
		_, err := put(ctx, tx, n)
		return err
	})
	if err != nil {
		return fmt.Errorf("store summary: %w", err)
	}
	return nil
}

// stands returns summary.ErrErased when a source of a summary was erased since it was read.
func stands(ctx context.Context, tx *sqlx.Conn, n *summary.Node) error {
	gone, err := tx.PreparexContext(ctx, `SELECT EXISTS (SELECT 1 FROM purged WHERE hash = ?1)
		OR EXISTS (SELECT 1 FROM purged_from WHERE session_id = ?2 AND hash = ?1)`)
	if err != nil {
		return err
	}
	defer gone.Close()
	for _, hash := range n.Lines {
		var erased bool
		if err := gone.GetContext(ctx, &erased, hash[:], n.Session); err != nil {
			return err
		}
		if erased {
			return summary.ErrErased
		}
	}
	for _, key := range n.Sources {
		if n.Depth == 0 {
			break
		}
		var there bool
		if err := tx.GetContext(ctx, &there, `SELECT EXISTS (SELECT 1 FROM summaries WHERE key = ?)`, key); err != nil {
			return err
		}
		if !there {
			return summary.ErrErased
		}
	}
	return nil
}

// put stores a summary with its sources, and reports whether it is new.
func put(ctx context.Context, tx *sqlx.Conn, n *summary.Node) (isNew bool, err error) {
	var id int64
	err = tx.GetContext(ctx, &id, `
		INSERT INTO summaries (key, session_id, depth, kind, hash, first_entry, last_entry, entries, started, ended,
		                       text, tokens, input_tokens, model, prompt, created)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (key) DO NOTHING RETURNING id`,
		n.Key, n.Session, n.Depth, string(n.Kind), n.Hash, n.First, n.Last, n.Entries, n.From, n.To,
		n.Text, int(n.Tokens), int(n.Input), n.Name, n.Prompt, n.Created)
	if sqlite.NoRows(err) {
		return false, nil // it exists
	}
	if err != nil {
		return false, err
	}
	source, err := tx.PreparexContext(ctx, `INSERT INTO summary_sources (summary, ord, source) VALUES (?, ?, ?)`)
	if err != nil {
		return false, err
	}
	defer source.Close()
	for i, from := range n.Sources {
		if _, err := source.ExecContext(ctx, id, i, from); err != nil {
			return false, err
		}
	}
	return true, nil
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

// SummaryStats returns figures of a session.
func (s *Store) SummaryStats(ctx context.Context, session string) (summary.Stats, error) {
	var out summary.Stats
	err := s.db.QueryRowxContext(ctx, `
		SELECT count(*) FROM messages m JOIN conversations c ON c.id = m.conversation
		WHERE c.session_id = ? AND m.role NOT IN ('', 'system')`, session).Scan(&out.Messages)
	if err == nil { // not the file sizes: the write-ahead log is larger than its content
		err = s.db.QueryRowxContext(ctx, `SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()`).Scan(&out.Bytes)
	}
	if err != nil {
		return out, fmt.Errorf("count messages: %w", sqlite.Explain(err))
	}
	return out, nil
}

// asked selects the summaries that pictx asked a model for: neither those that the session
// had itself (GivenName) nor those from another program's store.
const asked = "kind = ? AND hash <> '' AND model <> ?"

// SummariesAsked lists the requests that produced the summaries of a session.
func (s *Store) SummariesAsked(ctx context.Context, session string) ([]summary.Asked, error) {
	var out []summary.Asked
	err := s.db.SelectContext(ctx, &out, `SELECT created AS at, input_tokens + ? AS input, tokens AS output FROM summaries
		WHERE session_id = ? AND `+asked, summary.Instructions, session, summary.Model, summary.GivenName)
	if err != nil {
		return nil, fmt.Errorf("list requests for summaries: %w", sqlite.Explain(err))
	}
	return out, nil
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

// Written is a summary that a model wrote.
type Written struct {
	Session string `db:"session_id"`
	Model   string
	At      int64 // when it was stored, in Unix milliseconds
	Input   int64 // tokens read
	Output  int64 // tokens written
}

// Written lists what models were asked to summarize since a time in Unix milliseconds.
func (s *Store) Written(ctx context.Context, since int64) ([]Written, error) {
	var out []Written
	err := s.db.SelectContext(ctx, &out, `SELECT session_id, model, created AS at, input_tokens AS input, tokens AS output
		FROM summaries WHERE created >= ? AND `+asked+` ORDER BY created`, since, summary.Model, summary.GivenName)
	if err != nil {
		return nil, fmt.Errorf("count summaries: %w", sqlite.Explain(err))
	}
	return out, nil
}
