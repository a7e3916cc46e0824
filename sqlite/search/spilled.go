package search

import (
	"bytes"
	"context"
	"strings"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// spilledBytes bounds the outputs that one search reads.
const spilledBytes = 64 << 20

// readSpilled reads the outputs that may match, as candidates with the rows of the entries that
// have excerpts of them.
func (r *run) readSpilled(ctx context.Context) error {
	if r.q.Spills == nil {
		return nil
	}
	mayMatch := r.spillFilter()
	room := spilledBytes
	var failed error
	err := r.q.Spills(ctx, func(one history.Spilled) bool {
		if room -= len(one.Text); room < 0 || r.q.Stop != nil && r.q.Stop() {
			r.res.SpillsLeft = true
			return false
		}
		if !mayMatch(one.Text) {
			return true
		}
		var row history.Row
		if row, failed = r.entryNaming(ctx, one.Names); failed == nil && row.EntryID != "" {
			r.others = append(r.others, candidate{Row: row, text: string(one.Text), spill: one.ID})
		}
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}

// spillFilter returns a quick test of whether an output may contain everything that is
// searched for: a match, or what each word has in common with its stem.
func (r *run) spillFilter() func([]byte) bool {
	if r.q.Regex {
		re, err := history.NewRegex(r.q.Text, r.q.CaseSensitive)
		return func(body []byte) bool { return err == nil && !re.Dismisses(body) }
	}
	var starts history.Parts
	phrases, _ := history.ParseText(r.q.Text) // plan reports the error
	for _, p := range history.Content(phrases) {
		for _, w := range p.Words {
			starts = append(starts, commonStart(w, text.Porter(w)))
		}
	}
	return func(body []byte) bool { return starts.Held(string(body)) != 0 }
}

// commonStart returns what two strings begin with.
func commonStart(a, b string) string {
	for !strings.HasPrefix(a, b) {
		b = b[:len(b)-1]
	}
	return b
}

// entryNaming returns the entry that a filter admits and whose text contains one of some
// names, the zero Row without one.
func (r *run) entryNaming(ctx context.Context, names []string) (history.Row, error) {
	at, err := r.store.span(ctx, r.q.Filter)
	if err != nil {
		return history.Row{}, err
	}
	for _, name := range names {
		phrases, err := history.ParseText(quoted(name))
		if err != nil || len(phrases) == 0 {
			continue
		}
		found, err := r.store.newest(ctx, matchWords(clausesOf(phrases), " AND ", r.q.Filter), r.q.Filter, at, maxNaming)
		if err != nil {
			return history.Row{}, err
		}
		for _, c := range found {
			if c.Role != message.RoleToolResult && c.Role != message.RoleBashExecution {
				continue
			}
			names := false
			err := r.entry(ctx, c.Row, func(_ *message.Entry, raw []byte, _ string) {
				names = bytes.Contains(raw, []byte(name)) && (strings.Contains(name, ".") || bytes.Contains(raw, []byte("pictx expand "+name)))
			})
			if err != nil || names {
				return c.Row, err
			}
		}
	}
	return history.Row{}, nil
}

// maxNaming is how many entries that contain the name of an output are read: other entries
// may quote the name.
const maxNaming = 16
