package erase_test

import (
	"context"
	"errors"
	"regexp"
	"testing"
	"time"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/store"
)

// between is a slow model: something happens while it writes.
type between func()

func (b between) Summarize(_ context.Context, r summary.Request) (summary.Reply, error) {
	b()
	return summary.Reply{Text: "They spoke of Xylophone9Quagmire and of " + r.ID + ".", Model: "a/b"}, nil
}

// compactKeeper summarizes the session that has the secret.
func compactKeeper(t *testing.T, st *store.Store, asked between) error {
	t.Helper()
	tree, line, err := summary.Tree(t.Context(), st.Summaries, "keeper")
	if err != nil {
		t.Fatal(err)
	}
	b := must.Get(summary.ReadBranch(tree, tree.Leaf(), "", summary.Limits{}, func(n *message.Node) ([]byte, error) { return line(n) }))(t)
	j := must.Get(summary.NewJob(t.Context(), st.Summaries, b, summary.Options{Leaves: true, Models: []string{"a/b"}, Now: time.Now}, summary.Progress{}))(t)
	return errors.Join(j.Run(t.Context(), asked, 1, nil, func(summary.Progress) {}), j.Close(t.Context()))
}

// stale counts the summaries of a session whose sources have changed.
func stale(t *testing.T, st *store.Store) (n int) {
	t.Helper()
	tree, line, err := summary.Tree(t.Context(), st.Summaries, "keeper")
	if err != nil {
		t.Fatal(err)
	}
	b := must.Get(summary.ReadBranch(tree, tree.Leaf(), "", summary.Limits{}, line))(t)
	for _, state := range b.Cover(must.Get(st.Summaries.Summaries(t.Context(), "keeper"))(t)).States {
		if state == summary.Stale {
			n++
		}
	}
	return n
}

var secretWord = regexp.MustCompile(`(?i)xylophone9\w+`)

// eraseSecret purges or redacts everything with the secret.
func eraseSecret(t *testing.T, st *store.Store, redact bool) {
	t.Helper()
	c, err := st.Eraser.Choose(t.Context(), erase.Selection{Match: secretWord})
	if err == nil && redact {
		err = st.Eraser.Redact(t.Context(), c, secretWord)
	} else if err == nil {
		err = st.Eraser.Purge(t.Context(), c)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestASummaryOfWhatWasErasedMeanwhileIsNotStored(t *testing.T) {
	for _, redact := range []bool{false, true} {
		st, _ := secretStore(t)
		err := compactKeeper(t, st, func() { eraseSecret(t, st, redact) })
		if !errors.Is(err, summary.ErrErased) {
			t.Errorf("redact %t: %v", redact, err)
		}
		if all, err := st.Summaries.Summaries(t.Context(), "keeper"); err != nil || len(all) > 0 {
			t.Errorf("redact %t: %+v, %v", redact, all, err)
		}
		if found, err := st.Examine(t.Context()); err != nil || len(found) != 1 { // the file is still to be rewritten
			t.Errorf("redact %t: %+v, %v", redact, found, err)
		}
	}
}

func TestASummaryThatWasRedactedStandsForItsEntriesAsTheyAreNow(t *testing.T) {
	st, _ := secretStore(t)
	must.Do(t, compactKeeper(t, st, func() {}))
	eraseSecret(t, st, true)
	must.Equal(t, stale(t, st), 0, "summaries are of something else")
	all, err := st.Summaries.Summaries(t.Context(), "keeper")
	if err != nil || len(all) != 1 || secretWord.MatchString(all[0].Text) {
		t.Errorf("%+v, %v", all, err)
	}
}

// The agent's own file still has a purged line, with its content removed.
func TestASummaryIsNotMadeFromWhatWasPurgedBefore(t *testing.T) {
	st, file := secretStore(t)
	eraseSecret(t, st, false)
	masks := must.Get(st.Eraser.Masks(t.Context()))(t)
	own := must.Get(pi.Open(file))(t)
	defer own.Close()
	s := history.MaskedSession(own, masks)
	b, err := summary.ReadBranch(s.Entries(), s.Entries().Leaf(), "", summary.Limits{}, s.Line)
	if err != nil || len(b.Units) != 1 || b.Units[0].ID != "aaaa0002" {
		t.Errorf("%d messages, %v", len(b.Units), err)
	}
}

// A summary made from an older text stays outdated after a redaction.
func TestASummaryOfAnOlderTextStaysOneWhenThatIsRedacted(t *testing.T) {
	st, _ := secretStore(t)
	must.Do(t, compactKeeper(t, st, func() {}))
	must.Get(storetest.DB(t, st.Path()).Exec(`UPDATE summaries SET hash = 'of something else'`))(t)
	eraseSecret(t, st, true)
	if n := stale(t, st); n != 1 {
		t.Errorf("%d summaries are of something else, want 1", n)
	}
}
