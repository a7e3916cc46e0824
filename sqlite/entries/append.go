package entries

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/search"
)

// fileRow is a row of files, joined with its conversation.
type fileRow struct {
	Identity string
	Size     int64
	Mtime    int64
	Offset   int64
	Lines    int
	Entries  int
	Tail     []byte
	Session  string `db:"session_id"`
	CWD      string
	Version  int
	Parent   string
	Started  int64
}

// FileState returns what is stored about the session file at path, nil if it was never
// read.
func (s *Store) FileState(ctx context.Context, path string) (*history.FileState, error) {
	var r fileRow
	err := s.db.GetContext(ctx, &r, `
		SELECT f.identity, f.size, f.mtime, f.offset, f.lines, f.entries, f.tail,
		       c.session_id, c.cwd, c.version, c.parent, c.started
		FROM files f JOIN conversations c ON c.id = f.conversation WHERE f.path = ?`, path)
	if sqlite.NoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read state of %s: %w", path, sqlite.Explain(err))
	}
	return &history.FileState{
		FileInfo: history.FileInfo{Path: path, Identity: r.Identity, Size: r.Size, ModTime: r.Mtime},
		Header:   message.Header{ID: r.Session, Version: r.Version, CWD: r.CWD, Parent: r.Parent, Time: r.Started},
		Position: message.Position{Offset: r.Offset, Lines: r.Lines, Entries: r.Entries},
		Tail:     r.Tail,
	}, nil
}

// Encode compresses the texts of a batch.
func (s *Store) Encode(b *history.Batch) error {
	for i := range b.Records {
		r := &b.Records[i]
		kind, data, err := s.db.Pack(r.Raw)
		if err != nil {
			return err
		}
		r.Packed = history.Packed{Codec: kind, Data: data}
	}
	return nil
}

// Append stores a batch in one transaction: its entries, their texts, the index, and the
// position it reached. It returns the number of new entries, or history.ErrOvertaken.
func (s *Store) Append(ctx context.Context, b *history.Batch) (added int, err error) {
	err = s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		// With a cancellable context the driver starts a goroutine per statement.
		// Transactions are short, so they are always completed.
		ctx := context.WithoutCancel(ctx)
		w, err := newWriter(ctx, tx)
		if err != nil {
			return err
		}
		defer w.close()
		if added, err = w.putBatch(ctx, b); err != nil {
			return err
		}
		return s.search.Add(ctx, tx, w.fresh)
	})
	if err != nil {
		return 0, fmt.Errorf("store session %s: %w", b.State.Header.ID, err)
	}
	return added, nil
}

// putBatch stores a batch without its index.
func (w *writer) putBatch(ctx context.Context, b *history.Batch) (int, error) {
	conv, err := putConversation(ctx, w.tx, b.State.Header)
	if err != nil {
		return 0, err
	}
	w.conv, w.session = conv, b.State.Header.ID
	if err := putFile(ctx, w.tx, conv, b); err != nil {
		return 0, err
	}
	return w.put(ctx, b.Records)
}

// putConversation returns the row id of a session, adding the session if it is new.
func putConversation(ctx context.Context, tx *sqlx.Conn, h message.Header) (int64, error) {
	var id int64
	err := tx.GetContext(ctx, &id, `
		INSERT INTO conversations (session_id, cwd, version, parent, name, started)
		VALUES (?, ?, ?, ?, '', ?)
		ON CONFLICT (session_id) DO UPDATE SET version = excluded.version
		RETURNING id`, h.ID, h.CWD, h.Version, h.Parent, h.Time)
	return id, err
}

// putFile stores how far a file was read. It returns history.ErrOvertaken if another process
// has read the file further in the meantime.
func putFile(ctx context.Context, tx *sqlx.Conn, conv int64, b *history.Batch) error {
	st, known := &b.State, &b.Known
	res, err := tx.ExecContext(ctx, `
		INSERT INTO files (path, conversation, identity, size, mtime, offset, lines, entries, tail)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (path) DO UPDATE SET conversation = excluded.conversation,
		  identity = excluded.identity, size = excluded.size, mtime = excluded.mtime,
		  offset = excluded.offset, lines = excluded.lines, entries = excluded.entries,
		  tail = excluded.tail
		WHERE files.identity = ? AND files.size = ? AND files.mtime = ? AND files.offset = ?`,
		st.Path, conv, st.Identity, st.Size, st.ModTime,
		st.Position.Offset, st.Position.Lines, st.Position.Entries, st.Tail,
		known.Identity, known.Size, known.ModTime, known.Position.Offset)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); n > 0 || err != nil {
		return err
	}
	return history.ErrOvertaken
}

// writer stores records in an open transaction.
type writer struct {
	conv    int64
	purged  bool // there are texts that must not be stored again
	session string
	last    *history.Record // the last record stored
	tx      *sqlx.Conn
	fresh   []search.NewText // new texts
	content *sqlx.Stmt
	lookup  *sqlx.Stmt
	message *sqlx.Stmt
	rename  *sqlx.Stmt
	latest  *sqlx.Stmt
}

// newWriter prepares the statements of a writer.
func newWriter(ctx context.Context, tx *sqlx.Conn) (*writer, error) {
	w := &writer{tx: tx}
	if err := tx.GetContext(ctx, &w.purged, `SELECT EXISTS (SELECT 1 FROM purged) OR EXISTS (SELECT 1 FROM purged_from)`); err != nil {
		return nil, err
	}
	for _, p := range []struct {
		to  **sqlx.Stmt
		sql string
	}{
		{&w.content, `INSERT INTO content (id, hash, codec, size, data) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`},
		{&w.lookup, `SELECT id, 1 + EXISTS (SELECT 1 FROM messages m WHERE m.content = t.id) AS state FROM content t WHERE hash = ?`},
		{&w.message, `INSERT INTO messages
			(conversation, entry_id, parent_id, ordinal, type, role, tool, is_error, time, content, turn)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`},
		// An earlier text of an entry becomes its present one again.
		{&w.latest, `UPDATE messages SET id = (SELECT max(id) + 1 FROM messages) WHERE entry_id = ?1 AND conversation = ?2 AND content = ?3
			AND id < (SELECT max(id) FROM messages WHERE entry_id = ?1 AND conversation = ?2)`},
		{&w.rename, `UPDATE conversations SET name = ? WHERE id = ?`},
	} {
		var err error
		if *p.to, err = tx.PreparexContext(ctx, p.sql); err != nil {
			w.close()
			return nil, err
		}
	}
	return w, nil
}

func (w *writer) close() {
	for _, st := range []*sqlx.Stmt{w.content, w.lookup, w.message, w.latest, w.rename} {
		if st != nil {
			st.Close()
		}
	}
}

// changed runs a statement and returns how many rows it changed.
func changed(ctx context.Context, st *sqlx.Stmt, args ...any) (int64, error) {
	res, err := st.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// put stores entries and returns the number of new ones. It handles one table after the
// other: alternating between tables evicts their pages from the processor's cache, which
// costs a twentieth of an import.
func (w *writer) put(ctx context.Context, records []history.Record) (int, error) {
	ids := make([]int64, len(records))
	for i := range records {
		id, is, err := w.putContent(ctx, &records[i])
		if err != nil {
			return 0, fmt.Errorf("entry %s: %w", records[i].EntryID, err)
		}
		if ids[i] = id; is != textOfEntry && records[i].Text != "" {
			w.fresh = append(w.fresh, search.NewText{ID: id, Known: is == textOfNone, Record: &records[i]})
		}
	}
	added := 0
	for i := range records {
		if ids[i] == 0 { // it was purged
			continue
		}
		isNew, err := w.putMessage(ctx, &records[i], ids[i])
		if err != nil {
			return 0, fmt.Errorf("entry %s: %w", records[i].EntryID, err)
		}
		if isNew {
			added++
		}
	}
	return added, nil
}

// textState is how a text was stored before.
type textState int

const (
	textNew     textState = iota
	textOfNone            // stored for an object, so not in the index of words
	textOfEntry           // stored for an entry, or must not be stored
)

// putContent stores a text unless it exists. The id is 0 for a text that must not be
// stored.
func (w *writer) putContent(ctx context.Context, r *history.Record) (id int64, is textState, err error) {
	for _, hash := range [][sha256.Size]byte{r.Hash, r.Unmasked} {
		if !w.purged || hash == [sha256.Size]byte{} {
			continue
		}
		if id, gone, err := sqlite.PurgedAs(ctx, w.tx, w.session, hash[:]); gone || err != nil {
			return id, textOfEntry, err
		}
	}
	for id = sqlite.TextID(r.Time, r.Hash); ; {
		n, err := changed(ctx, w.content, id, r.Hash[:], r.Packed.Codec, len(r.Raw), r.Packed.Data)
		if err != nil || n > 0 {
			return id, textNew, err
		}
		var known struct {
			ID    int64
			State textState
		}
		if err = w.lookup.GetContext(ctx, &known, r.Hash[:]); err == nil || !sqlite.NoRows(err) {
			return known.ID, known.State, err
		}
		// Another text has the id.
		if id, err = sqlite.FreeTextID(ctx, w.tx, id); err != nil {
			return 0, textOfEntry, err
		}
	}
}

// putMessage stores an entry and reports whether it was new.
func (w *writer) putMessage(ctx context.Context, r *history.Record, content int64) (bool, error) {
	turn, err := w.startsBranch(ctx, r)
	if err != nil {
		return false, err
	}
	n, err := changed(ctx, w.message, w.conv, r.EntryID, r.ParentID, r.Ordinal,
		string(r.Type), string(r.Role), r.Tool, r.IsError, r.Time, content, turn)
	isNew := n > 0
	if err == nil && !isNew {
		n, err = changed(ctx, w.latest, r.EntryID, w.conv, content)
	}
	if err != nil || n == 0 {
		return false, err
	}
	if isNew {
		w.last = r
	}
	if r.Type == message.EntrySessionInfo {
		_, err = w.rename.ExecContext(ctx, r.Name, w.conv)
	}
	return isNew, err
}

// startsBranch returns 1 if an entry's parent is not the preceding entry, because the
// session went back or began there, else 0.
func (w *writer) startsBranch(ctx context.Context, r *history.Record) (int64, error) {
	if r.Type == message.EntrySession {
		return 0, nil
	}
	if l := w.last; l != nil && l.Ordinal == r.Ordinal-1 && l.EntryID == r.ParentID {
		return 0, nil // the common case, which needs no query
	}
	var turn int64
	err := w.tx.GetContext(ctx, &turn, `SELECT NOT EXISTS (SELECT 1 FROM messages WHERE conversation = ? AND ordinal = ? AND entry_id = ?)`,
		w.conv, r.Ordinal-1, r.ParentID)
	return turn, err
}
