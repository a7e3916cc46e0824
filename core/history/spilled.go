package history

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// Spilled is a whole output of which a session has an excerpt.
type Spilled struct {
	ID    string // with which Expand's callers show it
	Names []string
	Text  []byte
}

// Spills are the whole outputs that are kept outside the store. An output is found as a
// result of the entry with its excerpt: that entry's text contains one of the output's
// names verbatim.
type Spills interface {
	// EachSpilled passes the outputs to fn, most recently used first, until fn returns
	// false.
	EachSpilled(ctx context.Context, fn func(Spilled) bool) error
}

// InBlobs returns the outputs in a cache.
func InBlobs(cache *blob.Store) Spills { return blobs{cache} }

type blobs struct{ *blob.Store }

// EachSpilled implements Spills. It skips outputs that were just removed or are damaged,
// which is reported elsewhere.
func (b blobs) EachSpilled(ctx context.Context, fn func(Spilled) bool) error {
	all, err := b.List()
	if err != nil {
		return err
	}
	for _, i := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		one, err := b.Peek(i.ID)
		if err != nil {
			continue
		}
		s := Spilled{ID: blob.ShortID(i.ID), Names: []string{blob.ShortID(i.ID)}, Text: one.Text}
		for _, path := range b.Sources(i.ID) {
			s.Names = append(s.Names, filepath.Base(path))
		}
		if !fn(s) {
			break
		}
	}
	return nil
}

// spilledBytes bounds the outputs that one search reads.
const spilledBytes = 64 << 20

// readSpilled reads, once, the outputs that may match, as candidates with the rows of the
// entries that have excerpts of them.
func (s *search) readSpilled(ctx context.Context) error {
	if s.q.Spills == nil || s.spillsRead || !s.st.FullText() {
		return nil
	}
	s.spillsRead = true
	mayMatch := s.spillFilter()
	room := spilledBytes
	var failed error
	err := s.q.Spills.EachSpilled(ctx, func(one Spilled) bool {
		if room -= len(one.Text); room < 0 || s.q.Stop != nil && s.q.Stop() {
			s.res.SpillsLeft = true
			return false
		}
		if !mayMatch(one.Text) {
			return true
		}
		var row Row
		if row, failed = s.entryNaming(ctx, one.Names); failed == nil && row.EntryID != "" {
			s.spilled = append(s.spilled, candidate{Row: row, text: string(one.Text), spill: one.ID})
		}
		return failed == nil
	})
	if failed != nil {
		return failed
	}
	return err
}

// spillFilter returns a quick test of whether an output may contain everything that is
// searched for.
func (s *search) spillFilter() func([]byte) bool {
	if s.q.Regex {
		re, err := CompileRegex(s.q.Text, s.q.CaseSensitive)
		return func(body []byte) bool { return err == nil && re.Match(body) }
	}
	phrases, err := parseText(s.q.Text)
	if err != nil {
		return func([]byte) bool { return false }
	}
	var all []*regexp.Regexp
	for _, p := range withoutStopWords(phrases) {
		for _, w := range p.Words {
			all = append(all, regexp.MustCompile("(?i)"+regexp.QuoteMeta(text.StemPrefix(w))))
		}
	}
	return func(body []byte) bool {
		for _, re := range all {
			if !re.Match(body) {
				return false
			}
		}
		return len(all) > 0
	}
}

// entryNaming returns the entry that a filter admits and whose text contains one of some
// names, the zero Row without one.
func (s *search) entryNaming(ctx context.Context, names []string) (Row, error) {
	for _, name := range names {
		x := Expr{Phrases: appendPhrase(nil, name)}
		if len(x.Phrases) == 0 {
			continue
		}
		found, err := s.st.Match(ctx, x, s.q.Filter, Newest, maxNaming)
		if err != nil {
			return Row{}, err
		}
		for _, r := range found.Rows {
			if r.Role != message.RoleToolResult && r.Role != message.RoleBashExecution {
				continue
			}
			raw, err := s.st.Raw(ctx, r, nil)
			if err != nil {
				return Row{}, err
			}
			if bytes.Contains(raw, []byte(name)) && (strings.Contains(name, ".") || bytes.Contains(raw, []byte("pictx expand "+name))) {
				return r, nil
			}
		}
	}
	return Row{}, nil
}

// maxNaming is how many entries that contain the name of an output are read: other entries
// may quote the name.
const maxNaming = 16
