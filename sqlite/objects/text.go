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

// contentOf stores the content of an op's document, raw, and returns its id, nil when it
// must not be stored. A text that is in the line of an entry is stored as a part of that
// line; inLine is set then, because the index of history has its words.
func (w *writer) contentOf(o *row, op *object.Op, raw []byte, at object.Time) (id *int64, inLine bool, err error) {
	line, err := w.lineWith(o, op, raw)
	if err != nil {
		return nil, false, err
	}
	if line == nil {
		id, err = w.text(o, newText{column: `content`, raw: raw, at: at})
		return id, false, err
	}
	hash := sha256.Sum256(raw)
	if gone, err := isPurged(w, hash); err != nil || gone {
		return nil, false, err
	}
	return w.part.store(w, newPart{*line, raw, hash})
}

// isPurged reports whether a text must not be stored.
func isPurged(w *writer, hash [sha256.Size]byte) (gone bool, err error) {
	if w.purge {
		_, err = w.one([]any{&gone}, `SELECT EXISTS (SELECT 1 FROM purged WHERE hash = ?)`, hash[:])
	}
	return gone, err
}

// insertContent stores a text unless its id or its hash is taken.
const insertContent = `INSERT INTO content (id, hash, codec, base, size, data) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`

// lastPart is the id of the part that a transaction stored last, 0 for unknown.
type lastPart int64

// newPart is a text that is in a line.
type newPart struct {
	line int64 // id of the line
	raw  []byte
	hash [sha256.Size]byte
}

// store stores a text as a part of its line, unless the store has it already, perhaps not as a
// part, and returns its id. Most are new, so it is looked up only when it could not be stored.
func (last *lastPart) store(w *writer, t newPart) (id *int64, isPart bool, err error) {
	for {
		if *last == 0 {
			next, err := texts.PartID(w.ctx, w)
			if err != nil {
				return nil, false, err
			}
			*last = lastPart(next) + 1
		}
		free, kind := int64(*last)-1, texts.Part
		n, err := w.exec(insertContent, free, t.hash[:], kind, t.line, len(t.raw), []byte{})
		if err == nil && n > 0 {
			*last = lastPart(free)
			return &free, true, nil
		}
		known := false
		if err == nil {
			known, err = w.one([]any{&free, &kind}, `SELECT id, codec FROM content WHERE hash = ?`, t.hash[:])
		}
		if err != nil || known {
			return &free, kind == texts.Part, err
		}
		*last = 0 // a chat, which this transaction composed, has the id
	}
}

// text stores a text and returns its id, nil for one that must not be stored. It is stored
// as a delta, if that is shorter, to the last text of the object in the column or, without
// one, to the similar text.
func (w *writer) text(o *row, t newText) (*int64, error) {
	hash := sha256.Sum256(t.raw)
	if gone, err := isPurged(w, hash); err != nil || gone {
		return nil, err
	}
	var id int64
	known, err := w.one([]any{&id}, `SELECT id FROM content WHERE hash = ?`, hash[:])
	if err != nil || known {
		return &id, err
	}
	base, err := w.lastText(o, t.column)
	if err != nil {
		return nil, err
	}
	if base == nil {
		base = t.like
	}
	kind, data, on, err := w.store.texts.PackAfter(w.ctx, w, hash, t.raw, base)
	if err != nil {
		return nil, err
	}
	id = texts.ID(int64(t.at)/1000, hash)
	for {
		n, err := w.exec(insertContent, id, hash[:], kind, on, len(t.raw), data)
		if err != nil || n > 0 {
			return &id, err
		}
		if id, err = texts.FreeID(w.ctx, w.Conn, id); err != nil {
			return nil, err
		}
	}
}

// lineWith returns the line of the entry with a call's result, if the store has it and its
// text equals raw; else nil. Its words are in the index of history then.
func (w *writer) lineWith(o *row, op *object.Op, raw []byte) (*int64, error) {
	k, ok := object.ParseKey(o.Key)
	if !ok || k.Kind != object.KindToolcall || !texts.MayBePart(raw) {
		return nil, nil
	}
	line, err := op.Line, error(nil)
	id, found := w.lines[op]
	if !found {
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
	if err != nil || !bytes.Equal(e.AppendBody(nil, line), raw) || !strings.HasSuffix(history.SearchText(&e, line), string(raw)) {
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
