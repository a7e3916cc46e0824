package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
)

// Expander is what Expand needs of a database.
type Expander interface {
	// Find returns at most limit rows whose present or former entry id begins with prefix.
	// sessions, when not empty, restricts it to these.
	Find(ctx context.Context, prefix string, sessions []string, limit int) ([]Row, error)
	// Raw returns the line of a row. room is a buffer for it, used if it is large enough.
	Raw(ctx context.Context, r Row, room []byte) ([]byte, error)
}

// ErrNotFound is returned for an id that no entry has.
var ErrNotFound = errors.New("nothing has this id")

// AmbiguousError is returned for a prefix shared by several entries with different texts.
type AmbiguousError struct {
	Prefix     string
	Candidates []Row
}

// Error lists the candidates.
func (e *AmbiguousError) Error() string {
	var ids []string
	for i, c := range e.Candidates {
		if i == 8 {
			ids = append(ids, "…")
			break
		}
		ids = append(ids, fmt.Sprintf("%s (session %s)", c.EntryID, c.Session))
	}
	return fmt.Sprintf("id %s is ambiguous: %s", e.Prefix, strings.Join(ids, ", "))
}

// Expanded is an entry with its text.
type Expanded struct {
	Row
	// Raw is the line as pi wrote it.
	Raw []byte
	// Entry is Raw's head.
	Entry message.Entry
}

// Text returns the text of the entry, without the labels that searches add.
func (x *Expanded) Text() []byte { return x.Entry.AppendBody(nil, x.Raw) }

// Expand returns the entry with the given id or unique prefix of one. The same text under
// the same id in several sessions, as in forks, is one entry. Of an entry whose text changed when
// its session's file was rewritten it returns the present text.
func Expand(ctx context.Context, st Expander, id string, sessions []string) (*Expanded, error) {
	const most = 50
	if id == "" { // a prefix of every id
		return nil, ErrNotFound
	}
	rows, err := st.Find(ctx, id, sessions, most)
	if err != nil {
		return nil, err
	}
	if rows = present(rows, id); len(rows) == 0 {
		return nil, ErrNotFound
	}
	if slices.ContainsFunc(rows, func(r Row) bool { return r.Content != rows[0].Content }) {
		return nil, &AmbiguousError{Prefix: id, Candidates: rows}
	}
	raw, err := st.Raw(ctx, rows[0], nil)
	if err != nil {
		return nil, err
	}
	x := &Expanded{Row: rows[0], Raw: raw}
	var p message.Parser
	if x.Entry, err = p.ParseEntry(raw); err != nil {
		return nil, fmt.Errorf("read entry %s: %w", id, err)
	}
	return x, nil
}

// present keeps of rows those with exactly this id if there are any, of those with the same session
// and id the one stored last, since the others are from before the file was rewritten, and of those
// with the same id and text the first: the others are copies in forks.
func present(rows []Row, id string) []Row {
	exact := slices.ContainsFunc(rows, func(r Row) bool { return r.EntryID == id })
	last := make(map[[2]string]int64)
	for _, r := range rows {
		key := [2]string{r.Session, r.EntryID}
		last[key] = max(last[key], r.ID)
	}
	type text struct {
		id      string
		content int64
	}
	seen := make(map[text]bool)
	return slices.DeleteFunc(rows, func(r Row) bool {
		key := text{r.EntryID, r.Content}
		if exact && r.EntryID != id || r.ID < last[[2]string{r.Session, r.EntryID}] || seen[key] {
			return true
		}
		seen[key] = true
		return false
	})
}
