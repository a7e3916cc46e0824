package search

import (
	"bytes"
	"context"
	"regexp"
	"slices"
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
	err := r.q.Spills.EachSpilled(ctx, func(one history.Spilled) bool {
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
	need := []string{r.q.Text}
	if !r.q.Regex {
		need = nil
		phrases, _ := history.ParseText(r.q.Text) // plan reports the error
		for _, p := range history.Content(phrases) {
			for _, w := range p.Words {
				need = append(need, regexp.QuoteMeta(commonStart(w, text.Porter(w))))
			}
		}
	}
	var all []*history.Regex
	for _, pattern := range need {
		re, err := history.NewRegex(pattern, r.q.CaseSensitive)
		if err != nil {
			return func([]byte) bool { return false }
		}
		all = append(all, re)
	}
	return func(body []byte) bool {
		return len(all) > 0 && !slices.ContainsFunc(all, func(re *history.Regex) bool { return re.Dismisses(body) })
	}
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
	for _, name := range names {
		phrases, err := history.ParseText(quoted(name))
		if err != nil || len(phrases) == 0 {
			continue
		}
		found, err := r.store.newest(ctx, matchWords(clausesOf(phrases), " AND ", r.q.Filter), r.q.Filter, maxNaming)
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
