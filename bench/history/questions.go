//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/scratch"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// question is a question about a session in two phrasings. Each of the entries answers it.
type question struct {
	Session string // a prefix of the name of its file
	Kind    string
	Entries []string
	Asks    []string
}

// readQuestions reads a file of questions.
func readQuestions(path string) ([]question, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []question
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var q question
		if err := d.Decode(&q); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		out = append(out, q)
	}
	return out, nil
}

// document is an entry with its searchable text.
type document struct {
	session, id, text string
	time              int64
}

// library is a set of sessions, in a store and as plain documents.
type library struct {
	store     *store.Store
	documents []document
	names     map[string]string // ids of sessions by file name
}

// openLibrary stores the sessions of a directory in a new store below temp.
func openLibrary(ctx context.Context, dir, temp string) (*library, error) {
	files, err := (pi.Sessions{}).Find(dir)
	if err != nil {
		return nil, err
	}
	st, err := store.Open(ctx, filepath.Join(temp, "questions.db"), sqlite.Write, time.Now)
	if err != nil {
		return nil, err
	}
	l := &library{store: st, names: make(map[string]string)}
	for _, path := range files {
		if err := l.add(ctx, path); err != nil {
			st.Close()
			return nil, err
		}
	}
	return l, nil
}

// add stores a session and keeps the texts of its entries.
func (l *library) add(ctx context.Context, path string) error {
	if _, err := history.Ingest(ctx, l.store.Entries, pi.File{Path: path}, history.Options{}); err != nil {
		return err
	}
	s, err := pi.Open(path)
	if err != nil {
		return err
	}
	defer s.Close()
	l.names[filepath.Base(path)] = s.Header.ID
	for i := range s.Nodes {
		raw, err := s.Line(&s.Nodes[i])
		if err != nil {
			return err
		}
		var p message.Parser
		e, err := p.ParseEntry(raw)
		if err != nil {
			continue
		}
		if text := history.SearchText(&e, raw); text != "" {
			l.documents = append(l.documents, document{s.Header.ID, s.Nodes[i].ID, text, s.Nodes[i].Time})
		}
	}
	return nil
}

// session returns the id of the session whose file name has a prefix, "" for none.
func (l *library) session(name string) string {
	for file, id := range l.names {
		if strings.HasPrefix(file, name) {
			return id
		}
	}
	return ""
}

// engine is a search engine. It returns the ids of the best entries, best first, each with
// those of the entries that the same result shows, after a space. session
// limits the search to one session, "" searches all.
type engine struct {
	name string
	ask  func(ctx context.Context, text, session string) ([]string, error)
}

// mostAsked is the number of results that are considered.
const mostAsked = 20

// grep searches like pictx grep.
func (l *library) grep(ctx context.Context, text, session string) ([]string, error) {
	res, err := history.Search(ctx, l.store.Search, history.Query{Text: text, Filter: inSession(session), Limit: mostAsked})
	var ids []string
	for _, h := range res.Hits {
		ids = append(ids, named(h.EntryID, h.With()))
	}
	return ids, err
}

// named joins the id of a result with those of the entries that it is shown with.
func named(id string, with []string) string { return strings.Join(append([]string{id}, with...), " ") }

// lcmGrep searches like the tool of a model.
func (l *library) lcmGrep(ctx context.Context, text, session string) ([]string, error) {
	call := recall.GrepRequest{Query: text, Filter: inSession(session), Scope: recall.ScopeProject}
	if session != "" {
		call.Scope = recall.ScopeSession
	}
	a, err := recall.GrepText(ctx, l.store.Search, call)
	if err != nil {
		return nil, err
	}
	d := a.Details.(recall.GrepDetails)
	ids := make([]string, len(d.IDs))
	for i, id := range d.IDs {
		ids[i] = named(id, d.With[id])
	}
	return ids, nil
}

func inSession(id string) history.Filter {
	if id == "" {
		return history.Filter{}
	}
	return history.Filter{Sessions: []string{id}}
}

// tally counts the questions asked, and those answered in the first 5 and 20 results.
type tally struct{ asked, first5, first20 int }

func (t tally) String() string {
	return fmt.Sprintf("%3d/%d %3.0f %%  %3d/%d %3.0f %%", t.first5, t.asked, percent(t.first5, t.asked), t.first20, t.asked, percent(t.first20, t.asked))
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }

// score asks all questions in both phrasings, in all sessions or with own in the question's
// session. missed, unless nil, is called for every phrasing without an answer in the first
// five results.
func (l *library) score(ctx context.Context, e engine, all []question, own bool, missed func(q question, text string, place int)) (tally, error) {
	var t tally
	for _, q := range all {
		in := l.session(q.Session)
		if !own {
			in = ""
		}
		for _, text := range q.Asks {
			ids, err := e.ask(ctx, text, in)
			if err != nil {
				return t, fmt.Errorf("%s: ask %q: %w", e.name, text, err)
			}
			at := q.place(ids)
			t.asked++
			if at <= mostAsked {
				t.first20++
			}
			if at <= 5 {
				t.first5++
			} else if missed != nil {
				missed(q, text, at)
			}
		}
	}
	return t, nil
}

// place returns the rank of the first result that is an answer, or is shown with one, from
// 1; more than mostAsked when there is none.
func (q question) place(ids []string) int {
	for i, id := range ids[:min(mostAsked, len(ids))] {
		for _, want := range q.Entries {
			if slices.Contains(strings.Fields(id), want) {
				return i + 1
			}
		}
	}
	return mostAsked + 1
}

// questions asks every engine all questions about some sessions.
func (b *bench) questions(ctx context.Context, dir string, files ...string) error {
	temp, remove, err := scratch.Dir("pictx-questions-")
	if err != nil {
		return err
	}
	defer remove()
	l, err := openLibrary(ctx, dir, temp)
	if err != nil {
		return err
	}
	defer l.store.Close()
	engines, err := l.engines(ctx)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	for _, file := range files {
		all, err := readQuestions(filepath.Join(b.data, file))
		if err != nil {
			return err
		}
		here := all[:0]
		for _, q := range all {
			if l.session(q.Session) != "" {
				here = append(here, q)
			}
		}
		fmt.Fprintf(w, "\n%-40s %-19s %s\n", fmt.Sprintf("%s: %d questions, 2 phrasings", strings.TrimSuffix(file, ".jsonl"), len(here)), "exact in first 5", "in first 20")
		for _, e := range engines {
			for _, own := range []bool{false, true} {
				t, err := l.score(ctx, e, here, own, b.missed(w, e, own))
				if err != nil {
					return err
				}
				fmt.Fprintf(w, "%-40s %s\n", e.name+", "+map[bool]string{false: "all sessions", true: "its session"}[own], t)
			}
		}
	}
	return nil
}

// missed returns a function that prints the phrasings that our own search did not answer,
// nil unless that was requested.
func (b *bench) missed(w *bufio.Writer, e engine, own bool) func(question, string, int) {
	if !b.verbose || e.name != "pictx grep" {
		return nil
	}
	return func(q question, text string, at int) {
		fmt.Fprintf(w, "    %d %s %v own=%v: %s\n", at, q.Session, q.Entries, own, text)
	}
}

// ask asks the questions about the recorded sessions, and about further sessions if a
// directory is given.
func (b *bench) ask(ctx context.Context) error {
	fmt.Println("pi-lcm and lossless-claw are in these tables with what they ask FTS5, and not as programs: one needs")
	fmt.Println("Node with better-sqlite3, the other OpenClaw. pi-lcm never searches more than one session.")
	if err := b.questions(ctx, "testdata/sessions", "recorded.jsonl"); err != nil {
		return err
	}
	if b.sessions == "" {
		fmt.Println("\nquestions about other sessions: left out; SESSIONS=DIR names a directory with session files")
		return nil
	}
	return b.questions(ctx, b.sessions, "develop.jsonl", "report.jsonl", "heldout.jsonl", "unseen.jsonl", "later.jsonl", "fresh.jsonl", "further.jsonl", "blind.jsonl", "kept.jsonl", "vague.jsonl", "plain.jsonl")
}
