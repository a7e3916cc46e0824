package objects

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/texts"
)

var errEmptyInterval = errors.New("it ends before it begins")

// newText is a text of an object in a column of its version.
type newText struct {
	column string
	raw    []byte
	at     object.Time // start of the version's interval
	line   []byte      // the session line that contains it, nil when unknown
	like   *int64      // id of a similar text, nil for none
}

// composed stores the content of a chat as references to its lines. It returns nil when that
// must be stored as a text of its own, because a line is unknown or the content is.
func (w *writer) composed(o *row, lines [][sha256.Size]byte, d *object.Document) (*int64, error) {
	if len(lines) == 0 {
		return nil, nil
	}
	k, ok := object.ParseKey(o.Key)
	if !ok || k.Kind != object.KindChat {
		return nil, nil
	}
	hash := sha256.Sum256(d.Content)
	var id int64
	var kind int
	known, err := w.one([]any{&id, &kind}, `SELECT id, codec FROM content WHERE hash = ?1
		UNION ALL SELECT 0, 0 FROM purged WHERE hash = ?1`, hash[:])
	if err != nil || known && kind != texts.Composed {
		return nil, err
	}
	if known {
		return &id, nil
	}
	base, err := w.lastText(o, `content`)
	if err != nil {
		return nil, err
	}
	return w.store.texts.Compose(w.ctx, w.Conn, texts.ChatText{Session: k.Session(), Text: d.Content, Lines: lines}, base)
}

// encodesAsItIs reports whether Encode keeps all that a chat says, because it is valid
// UTF-8.
func encodesAsItIs(d *object.Document) bool {
	plain := func(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, utf8.RuneError) }
	ok := utf8.Valid(d.Content)
	for _, t := range d.Chat.Turns {
		ok = ok && plain(t.User) && !slices.ContainsFunc(t.Assistant, func(s string) bool { return !plain(s) }) &&
			!slices.ContainsFunc(t.ToolcallIDs, func(s string) bool { return !plain(s) })
		for _, m := range t.Meta {
			ok = ok && plain(m.API+m.Provider+m.Model+m.StopReason) && plain(string(m.Usage))
		}
	}
	return ok
}

// withoutTurns returns what is stored of the document of a composed chat.
func withoutTurns(d *object.Document) *object.Document {
	out := *d
	out.Chat = &object.Chat{Session: d.Chat.Session}
	return &out
}

// text stores a text and returns its id, nil for one that must not be stored. A text that
// is in the line of an entry is stored as a part of that line. Another is stored as a
// delta, if that is shorter, to the last text of the object in the column or, without one,
// to the similar text.
func (w *writer) text(o *row, t newText) (*int64, error) {
	hash := sha256.Sum256(t.raw)
	if w.purge {
		var gone bool
		if _, err := w.one([]any{&gone}, `SELECT EXISTS (SELECT 1 FROM purged WHERE hash = ?)`, hash[:]); err != nil || gone {
			return nil, err
		}
	}
	var id int64
	known, err := w.one([]any{&id}, `SELECT id FROM content WHERE hash = ?`, hash[:])
	if err != nil || known {
		return &id, err
	}
	kind, data, on, err := w.pack(o, t, hash)
	if err != nil {
		return nil, err
	}
	if id = texts.ID(int64(t.at)/1000, hash); kind == texts.Part {
		if id, err = texts.PartID(w.ctx, w); err != nil {
			return nil, err
		}
	}
	for {
		n, err := w.exec(`INSERT INTO content (id, hash, codec, base, size, data) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			id, hash[:], kind, on, len(t.raw), data)
		if err != nil || n > 0 {
			return &id, err
		}
		if id, err = texts.FreeID(w.ctx, w.Conn, id); err != nil {
			return nil, err
		}
	}
}

// pack returns the stored form of a text, and the id of the text that it depends on, nil
// for none.
func (w *writer) pack(o *row, t newText, hash [sha256.Size]byte) (kind int, data []byte, on *int64, err error) {
	if t.column == `content` {
		if on, err = w.lineWith(o, t); on != nil || err != nil {
			return texts.Part, []byte{}, on, err
		}
	}
	base, err := w.lastText(o, t.column)
	if err != nil {
		return 0, nil, nil, err
	}
	if base == nil {
		base = t.like
	}
	return w.store.texts.PackAfter(w.ctx, w, hash, t.raw, base)
}

// lineWith returns the line of the entry with a call's result, if the store has it and its
// text equals t; else nil. Its words are in the index of history then.
func (w *writer) lineWith(o *row, t newText) (*int64, error) {
	k, ok := object.ParseKey(o.Key)
	if !ok || k.Kind != object.KindToolcall || !texts.MayBePart(t.raw) {
		return nil, nil
	}
	var id int64
	var found bool
	var err error
	line := t.line
	if line != nil {
		hash := sha256.Sum256(line)
		found, err = w.one([]any{&id}, `SELECT id FROM content t WHERE hash = ? AND EXISTS (SELECT 1 FROM messages m WHERE m.content = t.id)`, hash[:])
	}
	if err == nil && !found {
		found, err = w.readLine(&id, k)
		line = w.line
	}
	if errors.Is(err, sqlite.ErrDamaged) || errors.Is(err, sqlite.ErrNewer) || err == nil && !found {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	e, err := w.parser.ParseEntry(line)
	if err != nil || !bytes.Equal(e.AppendBody(nil, line), t.raw) || !strings.HasSuffix(history.SearchText(&e, line), string(t.raw)) {
		return nil, nil // results of pictx's own searches are not in the index of history
	}
	return &id, nil
}

// readLine reads the line of the entry with the result of a call into w.line, and reports
// whether the store has it.
func (w *writer) readLine(id *int64, call object.Key) (bool, error) {
	var codec int
	var data sql.RawBytes
	return w.first([]any{id, &codec, &data}, func() error {
		var err error
		w.line, err = w.store.texts.Unpack(codec, data, w.line)
		return err
	}, `SELECT t.id, t.codec, t.data FROM messages m JOIN content t ON t.id = m.content
		WHERE m.entry_id = ? AND m.conversation = (SELECT id FROM conversations WHERE session_id = ?) ORDER BY m.id DESC LIMIT 1`, call.Part(1), call.Session())
}
