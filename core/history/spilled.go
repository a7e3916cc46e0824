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

// Spilled is the whole of an output of which its session has a part.
type Spilled struct {
	ID    string // by which Expand's callers show it
	Names []string
	Text  []byte
}

// Spills are the outputs that are kept whole outside the store. An output is a result of the
// entry in the store that has a part of it: which one that is, its text says by one of the
// names, which it holds word for word.
type Spills interface {
	// EachSpilled hands over the outputs, those used last first, until fn returns false.
	EachSpilled(ctx context.Context, fn func(Spilled) bool) error
}

// InBlobs are the outputs in a cache.
func InBlobs(cache *blob.Store) Spills { return blobs{cache} }

type blobs struct{ *blob.Store }

// EachSpilled implements Spills. An output that is removed meanwhile, or damaged, is left
// out: others say so.
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

// readSpilled notes, once, the outputs that hold what is looked for, as candidates that are
// results of the entries which have a part of them.
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

// spillFilter is a quick test of whether an output may hold all that is looked for.
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

// entryNaming is the entry that a filter admits and whose text holds one of some names; a
// zero Row when none does.
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
			raw, err := s.st.Raw(ctx, r)
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

// maxNaming is how many entries that hold the name of an output are looked at: others than
// the one that it was cut from may quote it.
const maxNaming = 16
