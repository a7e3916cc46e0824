package workspace

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/sqlite/entries"
	"github.com/coctostan/pictx/sqlite/store"
)

// MarkerID extracts the id from a pasted marker: "[pruned …: pictx expand 3f9a2c1b]" gives
// 3f9a2c1b.
func MarkerID(args []string) string {
	s := strings.TrimSpace(strings.Join(args, " "))
	if m := regexp.MustCompile(`expand ([0-9A-Za-z-]+)`).FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return strings.Trim(s, "[](){}<>,;:.'\"` ")
}

// PinSession is a session whose pins are listed or changed.
type PinSession struct {
	Store *store.Store
	Row   entries.Session
	Prior []prune.Pin // the latest record of every pin
}

// OpenPins reads the pins of a session: those in its file if that exists, and those that only the
// store has.
func OpenPins(ctx context.Context, st *store.Store, sources history.Sources, session string) (*PinSession, error) {
	row, err := FindSession(ctx, st, session)
	if err != nil {
		return nil, err
	}
	stored, err := st.Marks.Pins(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	b := &prune.Branch{}
	if sources.Has(row.File) {
		s, err := sources.Open(row.File)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		if b, err = prune.NewBranch(row.ID, s.Entries(), s.Entries().Leaf(), s.Line, nil); err != nil {
			return nil, fmt.Errorf("read session: %w", err)
		}
	}
	latest, _, err := b.LatestPins(stored)
	return &PinSession{st, row, latest}, err
}

// Add stores a pin record with a time after every other record of its target, even if those
// were made on a machine with another clock.
func (s *PinSession) Add(ctx context.Context, p prune.Pin, now int64) error {
	for _, known := range s.Prior {
		if known.Target == p.Target && known.IsPath == p.IsPath {
			now = max(now, known.Time+1)
		}
	}
	p.Time = now
	return s.Store.Marks.AddPin(ctx, s.Row.ID, p)
}

// KeptByName returns, as a pin, a result that is never pruned because of the tool that
// returned it. It reports false for other results, and for those with a pin record of their
// own.
func (s *PinSession) KeptByName(ctx context.Context, target string) (prune.Pin, bool) {
	x, err := history.Expand(ctx, s.Store.Search, target, []string{s.Row.ID})
	if err != nil || !policy.KeptByName(x.Entry.Message.ToolName) {
		return prune.Pin{}, false
	}
	spoken := slices.ContainsFunc(s.Prior, func(p prune.Pin) bool { return p.Target == x.EntryID && !p.IsPath })
	return prune.Pin{Target: x.EntryID}, !spoken
}
