//go:build unix && sqlite_fts5

package main

import (
	"context"
	"slices"
	"testing"
)

// recorded opens the sessions of this repository and the questions about them.
func recorded(t *testing.T) (*library, []question) {
	t.Helper()
	l, err := openLibrary(context.Background(), "../../testdata/sessions", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.store.Close() })
	all, err := readQuestions("../../testdata/recall/recorded.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return l, all
}

// TestEveryQuestionHasTwoPhrasingsAndItsAnswers validates the questions: an entry that does
// not exist or is not searchable could never be found.
func TestEveryQuestionHasTwoPhrasingsAndItsAnswers(t *testing.T) {
	l, all := recorded(t)
	for _, q := range all {
		if len(q.Asks) != 2 || q.Asks[0] == q.Asks[1] {
			t.Errorf("%s %v: %q: want two phrasings", q.Session, q.Entries, q.Asks)
		}
		in := l.session(q.Session)
		for _, id := range q.Entries {
			if !slices.ContainsFunc(l.documents, func(d document) bool { return d.session == in && d.id == id }) {
				t.Errorf("%s: entry %s of %q is not among the texts", q.Session, id, q.Asks)
			}
		}
	}
}

// TestQuestionsAboutRecordedSessionsAreAnsweredInTheFirstResults asks in plain words, in
// all sessions and in one, like a person and like a model.
func TestQuestionsAboutRecordedSessionsAreAnsweredInTheFirstResults(t *testing.T) {
	l, all := recorded(t)
	for _, e := range []engine{{"grep", l.grep}, {"lcm_grep", l.lcmGrep}} {
		for _, own := range []bool{false, true} {
			got, err := l.score(context.Background(), e, all, own, nil)
			if err != nil {
				t.Fatal(err)
			}
			if percent(got.first5, got.asked) < 80 || percent(got.first20, got.asked) < 95 {
				t.Errorf("%s, of its session alone: %v: %v; want 80 %% and 95 %%", e.name, own, got)
			}
		}
	}
}
