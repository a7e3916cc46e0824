package jsonl_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/jsonl"
)

// summary is what a log says to a command that adds and to one that shows.
func summary(t *testing.T, d *jsonl.Decisions, ids []string) string {
	t.Helper()
	_, s, err := d.Load()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, text := range []string{"Use tabs in module 3", "Use PostgreSQL"} {
		if d := s.Same(text, decision.Active); d != nil {
			fmt.Fprintf(&b, "same %s\n", d.ID)
		}
		for _, d := range s.Closest(text, nil) {
			fmt.Fprintf(&b, "close %s\n", must.Get(json.Marshal(d))(t))
		}
	}
	b.WriteString(s.Project(decision.MaxDecisions).Text())
	for _, id := range ids {
		d, err := s.Find(id)
		fmt.Fprintf(&b, "\n%s %v", id, err)
		if d != nil {
			fmt.Fprintf(&b, " %s", must.Get(json.Marshal(d))(t))
		}
	}
	return b.String()
}

// changeOutside does what happens to a log when other programs write to it.
func changeOutside(t *testing.T, r *rand.Rand, path string, now time.Time) {
	t.Helper()
	b := must.Get(os.ReadFile(path))(t)
	lines := bytes.SplitAfter(b, []byte("\n"))
	switch r.IntN(6) {
	case 0: // the original appends
		b = fmt.Appendf(b, `{"v":1,"t":%q,"p":"o","e":"a","i":"D-2026-11-20-%04d","d":{"ti":"Use tabs","tx":"Use tabs in module 4","tg":[],"s":"active","sp":null,"c":[]},"u":"user"}`+"\n", time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), r.IntN(40))
	case 1: // it stops in the middle
		b = append(b, `{"v":1,"t":"2026`...)
	case 2: // git puts another file in its place
		must.Do(t, os.Remove(path))
	case 3: // a line goes
		n := r.IntN(len(lines))
		b = bytes.Join(append(lines[:n:n], lines[n+1:]...), nil)
	case 4: // lines change places, as in a merge
		r.Shuffle(len(lines)-1, func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		b = bytes.Join(lines, nil)
	case 5:
		return
	}
	must.Do(t, os.WriteFile(path, b, 0o644))
	if err := os.Chtimes(path, now, now); err != nil { // two writes may come within one tick
		t.Fatal(err)
	}
}

func TestOpenLogFollowsOutsideChanges(t *testing.T) {
	root := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	open := jsonl.OpenDecisions(root)
	start := time.Now()
	var ids []string
	texts := []string{"Use tabs in module %d", "Use PostgreSQL for service %d", "Never use tabs in module %d", "Keep %d logs"}
	for i := range 120 {
		ids = append(ids, add(t, open, fmt.Sprintf(texts[r.IntN(4)], r.IntN(9))))
		id := ids[r.IntN(len(ids))]
		err := jsonl.OpenDecisions(root).Update(t.Context(), func(_ *decision.Log, s *decision.State) ([]decision.Event, error) {
			e := editor(s)
			x, err := s.Find(id)
			if err != nil || x.Removed { // its line may be gone
				return nil, nil
			}
			switch r.IntN(4) {
			case 0:
				err = e.Remove(x, "")
			case 1:
				err = e.Turn(x, decision.Rejected, "no")
			case 2:
				text := "Use PostgreSQL"
				err = e.Edit(x, decision.Change{Text: &text})
			}
			return e.Events(), err
		})
		if err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			changeOutside(t, r, open.Path(), start.Add(time.Duration(i)*time.Second))
		}
		asked := []string{id, ids[r.IntN(len(ids))]}
		if diff := cmp.Diff(summary(t, jsonl.OpenDecisions(root), asked), summary(t, open, asked)); diff != "" {
			t.Fatalf("change %d (-fresh +open):\n%s", i, diff)
		}
	}
}

// Holds decisions 22.
func TestOnlyAppendedLinesAreRead(t *testing.T) {
	d := jsonl.OpenDecisions(t.TempDir())
	add(t, d, "Use tabs")
	add(t, d, "Keep the logs")
	if got := texts(t, d); got != "Keep the logs, Use tabs" {
		t.Fatalf("decisions %q", got)
	}
	// A log is never changed in the middle: a change there shows whether it is read again.
	b := must.Get(os.ReadFile(d.Path()))(t)
	b = bytes.Replace(b, []byte(`"tx":"Use tabs"`), []byte(`"tx":"Use tubs"`), 1)
	must.Do(t, os.WriteFile(d.Path(), b, 0o644))
	add(t, jsonl.OpenDecisions(filepath.Dir(filepath.Dir(filepath.Dir(d.Path())))), "Use UTC")
	must.Equal(t, texts(t, d), "Keep the logs, Use UTC, Use tabs", "decisions")
}

// BenchmarkAdd adds to a log of 200,000 events, as a process of its own does.
func BenchmarkAdd(b *testing.B) {
	const events = 200_000
	root := b.TempDir()
	path := jsonl.DecisionsPath(root)
	must.Do(b, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(b, os.WriteFile(path, longLog(b, events), 0o644))
	for i := 0; b.Loop(); i++ {
		text := fmt.Sprintf("Service %d keeps its records elsewhere", i)
		err := jsonl.OpenDecisions(root).Update(b.Context(), func(_ *decision.Log, s *decision.State) ([]decision.Event, error) {
			e := editor(s)
			s.Closest(text, nil)
			_, err := e.Add(decision.New{Text: text}, true)
			return e.Events(), err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// longLog is a log of n events.
func longLog(b *testing.B, n int) []byte {
	b.Helper()
	s := decision.Replay(nil)
	e := &decision.Editor{State: s, Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Random: rand.NewChaCha8([32]byte{1}), Actor: "user", Project: "p"}
	for i := range n {
		e.Now = e.Now.Add(24 * time.Hour / 1000)
		must.Get(e.Add(decision.New{Text: fmt.Sprintf("Service %d keeps its records in table %d and answers within %d ms", i, i*7%1000, i%90), Reason: "measured"}, true))(b)
	}
	return decision.Lines(true, e.Events())
}
