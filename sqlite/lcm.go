package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// originLCM marks entries that a database of pi-lcm had and no session file.
const originLCM = "lcm"

// ErrNotLCM is returned for a database that pi-lcm did not make.
var ErrNotLCM = errors.New("it is no database of pi-lcm")

// LCM is a database of the extension pi-lcm, opened to take over what is in it.
// It is only read.
type LCM struct {
	db   *sqlx.DB
	info history.FileInfo
}

// OpenLCM opens the database of pi-lcm at path. ErrNotLCM when it lacks the
// tables.
func OpenLCM(ctx context.Context, path string) (*LCM, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open database of pi-lcm: %w", err)
	}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: "mode=ro"}
	db, err := sqlx.ConnectContext(ctx, "sqlite3", u.String())
	if cannotOpen(explain(err)) && empty(path+"-wal") {
		db, err = sqlx.ConnectContext(ctx, "sqlite3", u.String()+"&immutable=1")
	}
	if err != nil {
		return nil, fmt.Errorf("open database of pi-lcm %s: %w", path, explain(err))
	}
	db.SetMaxOpenConns(1)
	l := &LCM{db: db, info: history.FileInfo{Path: path, Identity: originLCM, Size: st.Size(), ModTime: st.ModTime().UnixNano()}}
	var n int
	err = db.GetContext(ctx, &n, `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('conversations', 'messages', 'summaries', 'summary_sources')`)
	if err == nil && n != 4 {
		err = ErrNotLCM
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("open database of pi-lcm %s: %w", path, explain(err))
	}
	return l, nil
}

// Close closes the database.
func (l *LCM) Close() error { return l.db.Close() }

// LCMSession is a session in a database of pi-lcm.
type LCMSession struct {
	ID        string // of pi's session
	CWD       string
	Messages  int
	Summaries int

	row lcmConversation
	l   *LCM
	// known tells which messages the store has already, by their bodies.
	known map[[sha256.Size]byte]int
}

type lcmConversation struct {
	ID        string
	SessionID string `db:"session_id"`
	CWD       string
	CreatedAt string `db:"created_at"`
	Messages  int
	Summaries int
}

// Sessions lists the sessions that the database has.
func (l *LCM) Sessions(ctx context.Context) ([]*LCMSession, error) {
	var rows []lcmConversation
	err := l.db.SelectContext(ctx, &rows, `SELECT id, session_id, cwd, created_at,
		(SELECT count(*) FROM messages m WHERE m.conversation_id = c.id) AS messages,
		(SELECT count(*) FROM summaries s WHERE s.conversation_id = c.id) AS summaries
		FROM conversations c ORDER BY created_at, id`)
	if err != nil {
		return nil, fmt.Errorf("read database of pi-lcm: %w", explain(err))
	}
	var out []*LCMSession
	for _, r := range rows {
		out = append(out, &LCMSession{ID: r.SessionID, CWD: r.CWD, Messages: r.Messages, Summaries: r.Summaries, row: r, l: l})
	}
	return out, nil
}

// Except leaves out messages that the store has from the session's own file.
func (s *LCMSession) Except(ctx context.Context, st *Store) error {
	bodies, err := st.bodies(ctx, s.ID, "")
	if err != nil {
		return err
	}
	s.known = make(map[[sha256.Size]byte]int)
	for hash, ids := range bodies {
		s.known[hash] = len(ids)
	}
	return nil
}

var _ history.File = (*LCMSession)(nil)

// Info implements history.File: every session is a file of its own.
func (s *LCMSession) Info() (history.FileInfo, error) {
	info := s.l.info
	info.Path += "#" + s.row.ID
	return info, nil
}

// Before implements history.File. Nothing is taken up where it stopped.
func (s *LCMSession) Before(message.Position) ([]byte, error) { return nil, nil }

// lcmMessage is a row of pi-lcm's messages.
type lcmMessage struct {
	ID        string
	EntryID   *string `db:"entry_id"`
	Content   string  `db:"content_json"`
	Timestamp int64
}

// Open implements history.File: the messages as lines of a session file. It begins
// with the first, whatever from is.
func (s *LCMSession) Open(message.Position) (history.Lines, error) {
	var rows []lcmMessage
	err := s.l.db.Select(&rows, `SELECT id, entry_id, content_json, timestamp FROM messages WHERE conversation_id = ? ORDER BY seq, id`, s.row.ID)
	if err != nil {
		return nil, fmt.Errorf("read database of pi-lcm: %w", explain(err))
	}
	return &lcmLines{session: s, rows: rows}, nil
}

// lcmLines makes lines of rows.
type lcmLines struct {
	session *LCMSession
	rows    []lcmMessage
	at      int // lines given
	ordinal int
	size    int64
	parent  string
	parser  message.Parser
}

// Close implements history.Lines.
func (*lcmLines) Close() error { return nil }

// Position implements history.Lines.
func (r *lcmLines) Position() message.Position {
	return message.Position{Offset: r.size, Lines: r.at, Entries: r.ordinal}
}

// Next implements history.Lines: first the header, then the messages that are not
// known from elsewhere.
func (r *lcmLines) Next() (message.Line, error) {
	if r.at == 0 {
		header, err := r.header()
		if err != nil {
			return message.Line{}, err
		}
		return r.line(header), nil
	}
	for r.at <= len(r.rows) {
		m := r.rows[r.at-1]
		if hash := sha256.Sum256([]byte(m.Content)); r.session.known[hash] > 0 {
			r.session.known[hash]--
			r.at++
			continue
		}
		return r.line(r.entry(m)), nil
	}
	return message.Line{}, io.EOF
}

// line parses a line that was made.
func (r *lcmLines) line(raw []byte) message.Line {
	r.at++
	l := message.Line{Raw: raw, Offset: r.size, Number: r.at, Ordinal: r.ordinal}
	r.size += int64(len(raw)) + 1
	if l.Entry, l.Err = r.parser.ParseEntry(raw); l.Err == nil {
		r.ordinal++
	}
	return l
}

func (r *lcmLines) header() ([]byte, error) {
	c := r.session.row
	return json.Marshal(struct {
		Type      string `json:"type"`
		Version   int    `json:"version"`
		ID        string `json:"id"`
		Timestamp string `json:"timestamp"`
		CWD       string `json:"cwd"`
	}{"session", 3, c.SessionID, c.CreatedAt, c.CWD})
}

// entry is a message as pi writes it into a session file. pi-lcm kept neither the
// tree nor, mostly, the ids: each message follows the one before.
func (r *lcmLines) entry(m lcmMessage) []byte {
	id := lcmEntryID(m)
	parent := "null"
	if r.parent != "" {
		parent = string(message.AppendQuote(nil, r.parent))
	}
	r.parent = id
	line := fmt.Appendf(nil, `{"type":"message","id":%s,"parentId":%s,"timestamp":%q,"message":`,
		message.AppendQuote(nil, id), parent, text.Time(m.Timestamp))
	return append(append(line, m.Content...), '}')
}

// lcmEntryID is the id of a message: pi's where pi-lcm knew it, else one that is the
// same at every import.
func lcmEntryID(m lcmMessage) string {
	if m.EntryID != nil && *m.EntryID != "" {
		return *m.EntryID
	}
	sum := sha256.Sum256([]byte(m.ID))
	return hex.EncodeToString(sum[:4])
}

// bodies returns the entries of a session by the hash of what their messages are,
// whatever their lines say else. origin is that of the entries, "" for those of
// session files.
func (s *Store) bodies(ctx context.Context, session, origin string) (map[[sha256.Size]byte][]int64, error) {
	return s.bodiesIn(ctx, s.db, session, origin)
}

func (s *Store) bodiesIn(ctx context.Context, q sqlx.QueryerContext, session, origin string) (map[[sha256.Size]byte][]int64, error) {
	rows, err := q.QueryxContext(ctx, `SELECT m.id, t.codec, t.data FROM conversations c
		CROSS JOIN messages m ON m.conversation = c.id CROSS JOIN content t ON t.id = m.content
		WHERE c.session_id = ? AND m.type = 'message' AND m.origin = ? ORDER BY m.ordinal`, session, origin)
	if err != nil {
		return nil, fmt.Errorf("read session %s: %w", session, explain(err))
	}
	defer rows.Close()
	out := make(map[[sha256.Size]byte][]int64)
	var p message.Parser
	var raw []byte
	for rows.Next() {
		var id int64
		var kind int
		var data []byte
		if err := rows.Scan(&id, &kind, &data); err != nil {
			return nil, fmt.Errorf("read session %s: %w", session, explain(err))
		}
		if raw, err = s.codec.unpack(kind, data, raw); err != nil {
			return nil, err
		}
		if e, err := p.ParseEntry(raw); err == nil {
			hash := sha256.Sum256(e.Body.Of(raw))
			out[hash] = append(out[hash], id)
		}
	}
	return out, explain(rows.Err())
}

// lcmTitle names where something came from.
func (l *LCM) lcmTitle() string { return "pi-lcm " + filepath.Base(l.info.Path) }
