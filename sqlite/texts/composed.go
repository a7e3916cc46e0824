package texts

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/chat"
	"github.com/coctostan/pictx/sqlite"
)

// Composed is the codec of a chat that is composed of lines of entries. Its data is a list
// of references, after those of base if it has one: what a chat grows by is all that its
// next version stores. The table chat_lines has the same references by line.
//
// A line does not stay because a chat consists of it: when it is erased, the chat is
// evicted.
const Composed = 5

// maxLinks is the maximum number of lists that a composed chat is read from.
const maxLinks = 32

// digestSize is the size in bytes of a digest of lines.
const digestSize = 16

// digest identifies a sequence of lines by their hashes.
type digest [digestSize]byte

func (d digest) with(line [sha256.Size]byte) (out digest) {
	var both [digestSize + sha256.Size]byte
	copy(both[:], d[:])
	copy(both[digestSize:], line[:])
	sum := sha256.Sum256(both[:])
	copy(out[:], sum[:])
	return out
}

// references are the data of a composed chat.
type references struct {
	session string
	digest  digest  // of all lines of the chat
	total   int     // the number of these lines
	links   int     // the lists that it is read from, this one included
	lines   []int64 // the lines that base lacks
}

func (r *references) encode() []byte {
	b := binary.AppendUvarint(nil, uint64(len(r.session)))
	b = append(append(b, r.session...), r.digest[:]...)
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(r.total)), uint64(r.links))
	last := int64(0)
	for _, id := range r.lines {
		b, last = binary.AppendVarint(b, id-last), id
	}
	return b
}

var errReferences = fmt.Errorf("%w: its references to lines cannot be read", sqlite.ErrDamaged)

func decodeReferences(b []byte) (*references, error) {
	r := &references{}
	size, n := binary.Uvarint(b)
	if n <= 0 || uint64(len(b)-n) < size || len(b)-n-int(size) < digestSize {
		return nil, errReferences
	}
	b = b[n:]
	r.session, b = string(b[:size]), b[size:]
	b = b[copy(r.digest[:], b):]
	for _, to := range []*int{&r.total, &r.links} {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > maxContent {
			return nil, errReferences
		}
		*to, b = int(v), b[n:]
	}
	for last := int64(0); len(b) > 0; {
		v, n := binary.Varint(b)
		if n <= 0 {
			return nil, errReferences
		}
		last, b = last+v, b[n:]
		r.lines = append(r.lines, last)
	}
	return r, nil
}

// ChatText is the text of a chat with the hashes of the lines that it is composed of.
type ChatText struct {
	Session string
	Text    []byte
	Lines   [][sha256.Size]byte
}

// Compose stores a chat as references to its lines. base is the previous version, nil for
// none. It returns nil when the store lacks one of the lines: then the chat cannot be
// composed.
func (s *Store) Compose(ctx context.Context, tx *sqlx.Conn, c ChatText, base *int64) (*int64, error) {
	r := &references{session: c.Session, total: len(c.Lines), links: 1}
	before, err := s.composedBefore(ctx, tx, base)
	if err != nil {
		return nil, err
	}
	from := 0
	for i, line := range c.Lines {
		r.digest = r.digest.with(line)
		if before != nil && i+1 == before.total && before.session == c.Session && before.digest == r.digest && before.links < maxLinks {
			from, r.links = i+1, before.links+1
		}
	}
	if from == 0 {
		base = nil
	}
	if r.lines, err = linesOf(ctx, tx, c.Lines[from:]); err != nil || len(r.lines) < len(c.Lines)-from {
		return nil, err
	}
	id, err := PartID(ctx, tx)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256(c.Text)
	if _, err := tx.ExecContext(ctx, `INSERT INTO content (id, hash, codec, base, size, data) VALUES (?, ?, ?, ?, ?, ?)`,
		id, hash[:], Composed, base, len(c.Text), r.encode()); err != nil {
		return nil, err
	}
	return &id, enter(ctx, tx, id, r.lines)
}

// composedBefore returns the references of a text, nil when it is not composed.
func (s *Store) composedBefore(ctx context.Context, q Queryer, id *int64) (*references, error) {
	if id == nil {
		return nil, nil
	}
	r, _, err := referencesOf(ctx, q, *id)
	if errors.Is(err, sqlite.ErrDamaged) || errors.Is(err, errNotComposed) {
		return nil, nil
	}
	return r, err
}

var errNotComposed = errors.New("it is not composed of lines")

// referencesOf reads what a composed chat stores itself, and its base.
func referencesOf(ctx context.Context, q Queryer, id int64) (r *references, base *int64, err error) {
	var kind int
	var data []byte
	if err := q.QueryRowxContext(ctx, `SELECT codec, base, data FROM content WHERE id = ?`, id).Scan(&kind, &base, &data); err != nil {
		return nil, nil, sqlite.Explain(err)
	}
	if kind != Composed {
		return nil, nil, errNotComposed
	}
	r, err = decodeReferences(data)
	return r, base, err
}

// linesOf returns the ids of the lines of entries with these hashes. It ends before the
// first that the store lacks.
func linesOf(ctx context.Context, q Queryer, lines [][sha256.Size]byte) ([]int64, error) {
	var out []int64
	err := EachLine(ctx, q, lines, func(i int, id int64) {
		if i == len(out) {
			out = append(out, id)
		}
	})
	return out, err
}

// EachLine calls fn, in order, with the index and the id of each of the lines with these
// hashes that the store has as the line of an entry.
func EachLine(ctx context.Context, q Queryer, lines [][sha256.Size]byte, fn func(i int, id int64)) error {
	hashes := make([]string, len(lines))
	for i, h := range lines {
		hashes[i] = hex.EncodeToString(h[:])
	}
	return eachOf(ctx, q, hashes, `SELECT j.key, t.id FROM json_each(?) j CROSS JOIN content t ON t.hash = unhex(j.value)
		WHERE EXISTS (SELECT 1 FROM messages m WHERE m.content = t.id)`, func(rows *sqlx.Rows) error {
		var i int
		var id int64
		err := rows.Scan(&i, &id)
		if err == nil {
			fn(i, id)
		}
		return err
	})
}

// eachOf calls fn with the rows of a query about values.
func eachOf(ctx context.Context, q Queryer, values any, query string, fn func(*sqlx.Rows) error) error {
	asked, err := json.Marshal(values)
	if err != nil {
		return err
	}
	rows, err := q.QueryxContext(ctx, query, string(asked))
	if err != nil {
		return sqlite.Explain(err)
	}
	for rows.Next() && err == nil {
		err = fn(rows)
	}
	return errors.Join(err, sqlite.Explain(rows.Err()), rows.Close())
}

// enter enters references to lines in chat_lines.
func enter(ctx context.Context, tx *sqlx.Conn, id int64, lines []int64) error {
	if len(lines) == 0 {
		return nil
	}
	asked, err := json.Marshal(lines)
	if err == nil {
		_, err = tx.ExecContext(ctx, `INSERT OR IGNORE INTO chat_lines (line, chat) SELECT value, ? FROM json_each(?)`, id, string(asked))
	}
	return err
}

// Unlink removes the references of a text that is deleted from chat_lines.
func (s *Store) Unlink(ctx context.Context, tx *sqlx.Conn, id int64) error {
	r, _, err := referencesOf(ctx, tx, id)
	switch {
	case sqlite.NoRows(err) || errors.Is(err, errNotComposed):
		return nil
	case errors.Is(err, sqlite.ErrDamaged):
		_, err = tx.ExecContext(ctx, `DELETE FROM chat_lines WHERE chat = ?`, id)
		return err
	case err != nil:
		return err
	}
	asked, err := json.Marshal(r.lines)
	if err == nil {
		_, err = tx.ExecContext(ctx, `DELETE FROM chat_lines WHERE chat = ? AND line IN (SELECT value FROM json_each(?))`, id, string(asked))
	}
	return err
}

// Lines returns the ids of the lines of which a composed chat consists, in order, and its
// session.
func (s *Store) Lines(ctx context.Context, q Queryer, id int64) (lines []int64, session string, err error) {
	var parts [][]int64
	total := 0
	for next := &id; next != nil; {
		if len(parts) > maxLinks {
			return nil, "", fmt.Errorf("read text %d: %w: it is composed of more than %d lists", id, sqlite.ErrDamaged, maxLinks)
		}
		r, base, err := referencesOf(ctx, q, *next)
		if len(parts) > 0 && (sqlite.NoRows(err) || errors.Is(err, errNotComposed)) {
			err = fmt.Errorf("%w: text %d is missing, which it goes on from", sqlite.ErrDamaged, *next)
		}
		if err != nil {
			return nil, "", fmt.Errorf("read text %d: %w", id, err)
		}
		if len(parts) == 0 {
			session, total = r.session, r.total
		}
		parts, next = append(parts, r.lines), base
	}
	for i := len(parts) - 1; i >= 0; i-- {
		lines = append(lines, parts[i]...)
	}
	if len(lines) != total {
		return nil, "", fmt.Errorf("read text %d: %w: it consists of %d lines, and %d are known", id, sqlite.ErrDamaged, total, len(lines))
	}
	return lines, session, nil
}

// compose composes a chat.
func (s *Store) compose(ctx context.Context, q Queryer, id int64) (*chat.Builder, error) {
	lines, session, err := s.Lines(ctx, q, id)
	if err != nil {
		return nil, err
	}
	b, err := s.composeOf(ctx, q, session, lines)
	if err != nil {
		return nil, fmt.Errorf("compose text %d: %w", id, err)
	}
	return b, nil
}

// Growth returns the document and text of the lines that a composed chat has beyond its
// base, leaving out some.
func (s *Store) Growth(ctx context.Context, q Queryer, id int64, without func(line int64) bool) (*object.Chat, []byte, error) {
	r, _, err := referencesOf(ctx, q, id)
	if err != nil {
		return nil, nil, err
	}
	b, err := s.composeOf(ctx, q, r.session, slices.DeleteFunc(r.lines, without))
	if err != nil {
		return nil, nil, err
	}
	return b.Chat(), b.Text(), nil
}

// composeOf composes the chat of lines.
func (s *Store) composeOf(ctx context.Context, q Queryer, session string, lines []int64) (*chat.Builder, error) {
	b := chat.New(session)
	if len(lines) == 0 {
		return b, nil
	}
	var raw []byte
	done := 0
	err := eachOf(ctx, q, lines, `SELECT t.codec, t.data FROM json_each(?) j CROSS JOIN content t ON t.id = j.value`, func(rows *sqlx.Rows) error {
		var kind int
		var data sql.RawBytes
		err := rows.Scan(&kind, &data)
		if err == nil {
			raw, err = s.Unpack(kind, data, raw)
		}
		if err != nil {
			return err
		}
		done++
		return b.AddLine(raw)
	})
	if err == nil && done < len(lines) {
		err = fmt.Errorf("%w: %d of the lines of which it consists are missing", sqlite.ErrDamaged, len(lines)-done)
	}
	return b, err
}

// Chat returns the document of a composed chat.
func (s *Store) Chat(ctx context.Context, q Queryer, id int64) (*object.Chat, error) {
	b, err := s.compose(ctx, q, id)
	if err != nil {
		return nil, err
	}
	return b.Chat(), nil
}

// standAlone makes a composed chat independent of its base, which is about to be deleted.
func (s *Store) standAlone(ctx context.Context, tx *sqlx.Conn, id int64) error {
	lines, _, err := s.Lines(ctx, tx, id)
	if errors.Is(err, sqlite.ErrDamaged) {
		return nil // it was unreadable before
	}
	if err != nil {
		return err
	}
	r, _, err := referencesOf(ctx, tx, id)
	if err != nil {
		return err
	}
	r.links, r.lines = 1, lines
	if _, err := tx.ExecContext(ctx, `UPDATE content SET base = NULL, data = ? WHERE id = ?`, r.encode(), id); err != nil {
		return err
	}
	return enter(ctx, tx, id, lines)
}
