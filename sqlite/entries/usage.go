package entries

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/usage"
	"github.com/coctostan/pictx/sqlite"
)

// Responses calls fn with the responses of models and the usage of all other requests that
// sessions record since a time, in Unix milliseconds, session by session, or of one session
// unless it is "". With once, a response that forks
// share counts only in the oldest session. A response that an agent wrote as several
// messages, one per block, counts once.
func (s *Store) Responses(ctx context.Context, session string, since int64, once bool, fn func(usage.Response)) error {
	rows, err := s.db.QueryxContext(ctx, `SELECT c.session_id, c.cwd, m.time, t.id, t.codec, t.data FROM conversations c
		CROSS JOIN messages m ON m.conversation = c.id CROSS JOIN content t ON t.id = m.content
		WHERE (? = '' OR c.session_id = ?) AND (m.role = 'assistant' OR m.type IN ('compaction', 'branch_summary', 'usage')) AND m.time >= ? ORDER BY c.started, c.id, m.ordinal`, session, session, since)
	if err != nil {
		return fmt.Errorf("read usage: %w", sqlite.Explain(err))
	}
	defer rows.Close()
	var raw []byte
	seen := make(map[int64]bool)
	got := responses{parts: make(map[part]bool), fn: fn}
	for rows.Next() {
		var r response
		var kind int
		var data []byte
		if err := rows.Scan(&r.session, &r.cwd, &r.time, &r.content, &kind, &data); err != nil {
			return fmt.Errorf("read usage: %w", sqlite.Explain(err))
		}
		if once && seen[r.content] {
			continue
		}
		seen[r.content] = true
		if raw, err = s.db.Unpack(kind, data, raw); err == nil { // doctor reports damaged texts
			got.add(r, raw)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read usage: %w", sqlite.Explain(err))
	}
	got.flush()
	return nil
}

// Recorded returns the sessions that were recorded with pictx since a time, in Unix
// milliseconds: those with entries of extensions, or edits.
func (s *Store) Recorded(ctx context.Context, since int64) (ids []string, err error) {
	err = s.db.SelectContext(ctx, &ids, `SELECT c.session_id FROM conversations c WHERE EXISTS
		(SELECT 1 FROM messages m WHERE m.conversation = c.id AND m.type IN ('context_edit', 'custom') AND m.time >= ?) ORDER BY c.started, c.id`, since)
	if err != nil {
		return nil, fmt.Errorf("list sessions with pictx: %w", sqlite.Explain(err))
	}
	return ids, nil
}

// response is the location of a response.
type response struct {
	session, cwd  string
	time, content int64
}

// part is what the messages of one response have in common: see message.SameAnswer.
type part struct {
	session, id, model string
	prompt             message.Usage
}

// responses combines messages into responses. It passes a response on when the next one
// begins, because only its last message has the whole output.
type responses struct {
	parts map[part]bool
	of    part // the response in held
	held  *usage.Response
	model string // of the response before
	fn    func(usage.Response)
}

// add adds a message.
func (rs *responses) add(r response, raw []byte) {
	var p message.Parser
	e, err := p.ParseEntry(raw)
	if err != nil {
		return
	}
	h := &e.Message
	u, ok := usage.Of(&e)
	if e.Type == message.EntryCompaction {
		u, ok = usage.OfCompaction(&e, raw)
	}
	if !ok {
		return
	}
	if u.Model == "" {
		u.Model = rs.model
	}
	u.Session, u.Project, u.Time = r.session, r.cwd, r.time
	if u.Kind != usage.Answer {
		rs.flush()
		rs.fn(u)
		return
	}
	rs.model = u.Model
	of := part{r.session, h.ResponseID, h.Model, h.Usage.Prompt()}
	if of.id != "" && rs.parts[of] {
		if of == rs.of && rs.held != nil {
			rs.held.Grow(u.Output)
		}
		return
	}
	rs.flush()
	rs.parts[of], rs.of, rs.held = true, of, &u
}

// flush passes the response in held on.
func (rs *responses) flush() {
	if rs.held != nil {
		rs.fn(*rs.held)
		rs.held = nil
	}
}

// Title returns a title for a session: see usage.Title. It is "" for a session without
// prompts, and for one that the store does not have.
func (s *Store) Title(ctx context.Context, id string) (string, error) {
	var name string
	var contents []int64
	err := s.db.GetContext(ctx, &name, `SELECT coalesce((SELECT name FROM conversations WHERE session_id = ?), '')`, id)
	if err == nil && name != "" {
		return usage.Title(name, ""), nil
	}
	if err == nil {
		err = s.db.SelectContext(ctx, &contents, `SELECT m.content FROM conversations c CROSS JOIN messages m ON m.conversation = c.id
			WHERE c.session_id = ? AND m.role = 'user' ORDER BY m.ordinal LIMIT 3`, id)
	}
	if err != nil {
		return "", fmt.Errorf("read session %s: %w", id, sqlite.Explain(err))
	}
	title := ""
	for _, content := range contents {
		raw, err := s.db.Text(ctx, s.db, content)
		if err != nil {
			return "", fmt.Errorf("read session %s: %w", id, err)
		}
		var p message.Parser
		e, err := p.ParseEntry(raw)
		if err != nil {
			continue // not a message
		}
		if t := usage.Title("", string(e.AppendBody(nil, raw))); t != "" {
			title = t
		}
		if usage.Recognisable(title) {
			break
		}
	}
	return title, nil
}
