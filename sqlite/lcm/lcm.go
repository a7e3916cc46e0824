package lcm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"path/filepath"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/entries"
)

// ErrNotLCM is returned for a database that pi-lcm did not create.
var ErrNotLCM = errors.New("it is not a database of pi-lcm")

// Database is a database of pi-lcm, opened read-only to import its content.
type Database struct {
	db   *sqlx.DB
	info history.FileInfo
}

// Open opens the database of pi-lcm at path. It returns ErrNotLCM when tables are missing.
func Open(ctx context.Context, path string) (*Database, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open database of pi-lcm: %w", err)
	}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: "mode=ro"}
	db, err := sqlite.Connect(ctx, u.String())
	if sqlite.CannotOpen(err) && sqlite.IsEmpty(path+"-wal") {
		db, err = sqlite.Connect(ctx, u.String()+"&immutable=1")
	}
	if err != nil {
		return nil, fmt.Errorf("open database of pi-lcm %s: %w", path, err)
	}
	if _, err := db.ExecContext(ctx, `PRAGMA cell_size_check = ON`); err != nil {
		db.Close()
		return nil, fmt.Errorf("open database of pi-lcm %s: %w", path, sqlite.Explain(err))
	}
	l := &Database{db: db, info: history.FileInfo{Path: path, Identity: entries.OriginLCM, Size: st.Size(), ModTime: st.ModTime().UnixNano()}}
	var n int
	err = db.GetContext(ctx, &n, `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('conversations', 'messages', 'summaries', 'summary_sources')`)
	if err == nil && n != 4 {
		err = ErrNotLCM
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("open database of pi-lcm %s: %w", path, sqlite.Explain(err))
	}
	return l, nil
}

// Close closes the database.
func (l *Database) Close() error { return l.db.Close() }

// Session is a session in a database of pi-lcm.
type Session struct {
	ID        string // the id of pi's session
	CWD       string
	Messages  int
	Summaries int

	row conversation
	l   *Database
	// known counts the messages, by the hash of their bodies, that the store already has.
	known map[[sha256.Size]byte]int
}

type conversation struct {
	ID        string
	SessionID string `db:"session_id"`
	CWD       string
	CreatedAt string `db:"created_at"`
	Messages  int
	Summaries int
}

// Sessions lists the sessions in the database.
func (l *Database) Sessions(ctx context.Context) ([]*Session, error) {
	var rows []conversation
	err := l.db.SelectContext(ctx, &rows, `SELECT id, session_id, cwd, created_at,
		(SELECT count(*) FROM messages m WHERE m.conversation_id = c.id) AS messages,
		(SELECT count(*) FROM summaries s WHERE s.conversation_id = c.id) AS summaries
		FROM conversations c ORDER BY created_at, id`)
	if err != nil {
		return nil, fmt.Errorf("read database of pi-lcm: %w", sqlite.Explain(err))
	}
	var out []*Session
	for _, r := range rows {
		out = append(out, &Session{ID: r.SessionID, CWD: r.CWD, Messages: r.Messages, Summaries: r.Summaries, row: r, l: l})
	}
	return out, nil
}

// Except skips messages that the store has from the session's own file.
func (s *Session) Except(ctx context.Context, st *entries.Store) error {
	bodies, err := st.Bodies(ctx, s.ID)
	if err != nil {
		return err
	}
	s.known = make(map[[sha256.Size]byte]int)
	for hash, ids := range bodies {
		s.known[hash] = len(ids)
	}
	return nil
}

var _ history.File = (*Session)(nil)

// Info implements history.File: every session is a file of its own.
func (s *Session) Info() (history.FileInfo, error) {
	info := s.l.info
	info.Path += "#" + s.row.ID
	return info, nil
}

// Before implements history.File. An import never resumes.
func (s *Session) Before(message.Position) ([]byte, error) { return nil, nil }

// storedMessage is a row of pi-lcm's messages.
type storedMessage struct {
	ID        string
	Seq       int64
	EntryID   *string `db:"entry_id"`
	Content   string  `db:"content_json"`
	Timestamp int64
}

// Open implements history.File: it yields the messages as lines of a session file, always
// from the first.
func (s *Session) Open(message.Position) (history.Lines, error) {
	r := &lines{session: s}
	return r, r.read(storedMessage{Seq: math.MinInt64})
}

// lines converts rows to lines.
type lines struct {
	session *Session
	rows    []storedMessage // read in batches to bound memory
	next    int             // index of the next row
	at      int             // lines yielded plus messages skipped
	ordinal int
	size    int64
	parent  string
	parser  message.Parser
}

// read reads the next batch of messages after one.
func (r *lines) read(after storedMessage) error {
	const some = 500
	r.rows, r.next = r.rows[:0], 0
	err := r.session.l.db.Select(&r.rows, `SELECT id, seq, entry_id, content_json, timestamp FROM messages
		WHERE conversation_id = ? AND (seq, id) > (?, ?) ORDER BY seq, id LIMIT ?`, r.session.row.ID, after.Seq, after.ID, some)
	if err != nil {
		return fmt.Errorf("read database of pi-lcm: %w", sqlite.Explain(err))
	}
	return nil
}

// Close implements history.Lines.
func (*lines) Close() error { return nil }

// Position implements history.Lines.
func (r *lines) Position() message.Position {
	return message.Position{Offset: r.size, Lines: r.at, Entries: r.ordinal}
}

// Next implements history.Lines: first the header, then the messages that are not known.
func (r *lines) Next() (message.Line, error) {
	if r.at == 0 {
		header, err := r.header()
		if err != nil {
			return message.Line{}, err
		}
		return r.line(header), nil
	}
	for len(r.rows) > 0 {
		if r.next == len(r.rows) {
			if err := r.read(r.rows[r.next-1]); err != nil {
				return message.Line{}, err
			}
			continue
		}
		m := r.rows[r.next]
		r.next++
		if hash := sha256.Sum256([]byte(m.Content)); r.session.known[hash] > 0 {
			r.session.known[hash]--
			r.at++
			continue
		}
		return r.line(r.entry(m)), nil
	}
	return message.Line{}, io.EOF
}

// line parses a converted line.
func (r *lines) line(raw []byte) message.Line {
	r.at++
	l := message.Line{Raw: raw, Offset: r.size, Number: r.at, Ordinal: r.ordinal}
	r.size += int64(len(raw)) + 1
	if l.Entry, l.Err = r.parser.ParseEntry(raw); l.Err == nil {
		r.ordinal++
	}
	return l
}

func (r *lines) header() ([]byte, error) {
	c := r.session.row
	return json.Marshal(struct {
		Type      string `json:"type"`
		Version   int    `json:"version"`
		ID        string `json:"id"`
		Timestamp string `json:"timestamp"`
		CWD       string `json:"cwd"`
	}{"session", 3, c.SessionID, c.CreatedAt, c.CWD})
}

// entry formats a message as pi writes it to a session file. pi-lcm kept neither the tree
// nor, mostly, the ids, so each message follows the previous one.
func (r *lines) entry(m storedMessage) []byte {
	id := entryID(m)
	parent := "null"
	if r.parent != "" {
		parent = string(message.AppendQuote(nil, r.parent))
	}
	r.parent = id
	line := fmt.Appendf(nil, `{"type":"message","id":%s,"parentId":%s,"timestamp":%q,"message":`,
		message.AppendQuote(nil, id), parent, text.Time(m.Timestamp))
	return append(append(line, m.Content...), '}')
}

// entryID returns the id of a message: pi's if pi-lcm knew it, else one that is the same in
// every import.
func entryID(m storedMessage) string {
	if m.EntryID != nil && *m.EntryID != "" {
		return *m.EntryID
	}
	sum := sha256.Sum256([]byte(m.ID))
	return hex.EncodeToString(sum[:4])
}

// title names the origin of imported data.
func (l *Database) title() string { return "pi-lcm " + filepath.Base(l.info.Path) }
