package jsonl_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/jsonl"
)

// indexedLog is a log that has an index however short it is.
func indexedLog(root, cache string) *jsonl.Decisions {
	d := jsonl.OpenDecisions(root)
	d.Index, d.Least = filepath.Join(cache, "pictx", "x.decisions"), 1
	return d
}

// told is what a state says to somebody who adds and to somebody who shows.
func told(t *testing.T, s *decision.State, ids []string) string {
	t.Helper()
	var b strings.Builder
	for _, text := range []string{"Use tabs in module 3", "Use PostgreSQL"} {
		if d := s.Equal(text); d != nil {
			fmt.Fprintf(&b, "equal %s\n", d.ID)
		}
		for _, r := range s.Related(text, nil) {
			fmt.Fprintf(&b, "related %+v %s %.2f\n", r.Decision.View(), r.Class, r.Score)
		}
	}
	b.WriteString(s.Project(decision.MaxDecisions, 0).Text())
	for _, id := range ids {
		d, err := s.Find(id)
		fmt.Fprintf(&b, "\n%s %v", id, err)
		if d != nil {
			fmt.Fprintf(&b, " %+v", d.View())
		}
	}
	return b.String()
}

func toldNeed(ids []string) decision.Need {
	return decision.Need{Texts: []string{"Use tabs in module 3", "Use PostgreSQL"}, Known: ids, Shown: true}
}

// sameAsWhole compares what is told by the index with what the whole log tells.
func sameAsWhole(t *testing.T, what, root, cache string, ids []string) {
	t.Helper()
	_, whole, err := jsonl.OpenDecisions(root).Load()
	if err != nil {
		t.Fatal(what, err)
	}
	d := indexedLog(root, cache)
	defer d.Close()
	_, part, err := d.LoadFor(toldNeed(ids))
	if err != nil {
		t.Fatal(what, err)
	}
	if diff := cmp.Diff(told(t, whole, ids), told(t, part, ids)); diff != "" {
		t.Fatalf("%s (-whole +index):\n%s", what, diff)
	}
}

// Holds decisions 22.
func TestWithAnIndexALogSaysWhatItSaysWithout(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	d := indexedLog(root, cache)
	defer d.Close()
	var ids []string
	one := func() string { return ids[r.IntN(len(ids))] }
	texts := []string{"Use tabs in module %d", "Use PostgreSQL for service %d", "Never use tabs in module %d", "Keep %d logs"}
	for i := range 120 {
		err := d.UpdateFor(t.Context(), decision.Need{}, func(_ *decision.Log, s *decision.State) ([]decision.Event, error) {
			e := editor(s)
			id, err := e.Add(decision.New{Text: fmt.Sprintf(texts[r.IntN(4)], r.IntN(9)), Tags: [][]string{nil, {"pinned"}}[r.IntN(2)]}, true)
			ids = append(ids, id)
			return e.Events(), err
		})
		if err != nil {
			t.Fatal(err)
		}
		change := one()
		err = d.UpdateFor(t.Context(), decision.Need{IDs: []string{change}}, func(_ *decision.Log, s *decision.State) ([]decision.Event, error) {
			e := editor(s)
			x, err := s.Find(change)
			if err != nil || x.Removed { // its line may have gone
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
			elsewhere(t, r, d.Path())
		}
		sameAsWhole(t, fmt.Sprint("change ", i), root, cache, []string{change, one()})
	}
}

// elsewhere is what happens to a log and to its index by others.
func elsewhere(t *testing.T, r *rand.Rand, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(b, []byte("\n"))
	switch r.IntN(7) {
	case 0: // the original appends
		b = fmt.Appendf(b, `{"v":1,"t":%q,"p":"o","e":"a","i":"D-2026-11-20-%04d","d":{"ti":"Use tabs","tx":"Use tabs in module 4","tg":[],"s":"active","sp":null,"c":[]},"u":"user"}`+"\n", time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), r.IntN(40))
	case 1: // it stops in the middle
		b = append(b, `{"v":1,"t":"2026`...)
	case 2: // git puts another file in its place
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	case 3: // a line goes
		n := r.IntN(len(lines))
		b = bytes.Join(append(lines[:n:n], lines[n+1:]...), nil)
	case 4: // another text of the same length, and the old time
		b = bytes.Replace(b, []byte("tabs"), []byte("tubs"), 1)
		defer os.Chtimes(path, st.ModTime(), st.ModTime())
	case 5: // lines change places, as in a merge
		r.Shuffle(len(lines)-1, func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		b = bytes.Join(lines, nil)
	case 6:
		return
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestADamagedIndexIsMadeAgain(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	d := indexedLog(root, cache)
	defer d.Close()
	for i := range 30 {
		add(t, d, fmt.Sprintf("Use tabs in module %d", i))
	}
	sameAsWhole(t, "first", root, cache, nil)
	whole, err := os.ReadFile(d.Index)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{
		"empty": {}, "half": whole[:len(whole)/2], "text": []byte("hello\n"), "zeros": make([]byte, len(whole)),
		"head": append([]byte("pictx decisions 1\n\xff\xff\xff\xff"), whole[22:]...), "rows": flipped(whole, len(whole)/2),
	} {
		if err := os.WriteFile(d.Index, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		sameAsWhole(t, name, root, cache, nil)
		d.Close()
		if _, _, err := d.LoadFor(toldNeed(nil)); err != nil {
			t.Fatal(err)
		}
		// A part that nobody read may stay as it is.
		if now, err := os.ReadFile(d.Index); name != "rows" && (err != nil || !bytes.Equal(now, whole)) {
			t.Errorf("%s: it was not made again: %v", name, err)
		}
	}
	if err := os.WriteFile(d.Index+".at", []byte("00000000 {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sameAsWhole(t, "stamp", root, cache, nil)
}

// flipped has one bit of b changed.
func flipped(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 4
	return b
}

func TestAnIndexIsForItsUserAlone(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	d := indexedLog(root, cache)
	defer d.Close()
	add(t, d, "Use tabs")
	if _, _, err := d.LoadFor(toldNeed(nil)); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{d.Index, d.Index + ".at"} {
		st, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", filepath.Base(f), st.Mode())
		}
	}
	if files, _ := os.ReadDir(filepath.Dir(d.Path())); len(files) != 3 { // log, lock, .gitignore
		t.Errorf("in the project: %v", files)
	}
}

// What was taken out of a log is not in its index either.
func TestRewritingALogDeletesItsIndex(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	d := indexedLog(root, cache)
	defer d.Close()
	add(t, d, "Use tabs")
	if _, _, err := d.LoadFor(toldNeed(nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Rewrite(t.Context(), false, func(data []byte) ([]byte, error) { return bytes.Replace(data, []byte("tabs"), []byte("tubs"), 1), nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(d.Index); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the index is still there: %v", err)
	}
	sameAsWhole(t, "rewritten", root, cache, nil)
}

func TestWhereNoIndexCanBeWrittenTheLogIsRead(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(cache, "pictx"), nil, 0o600); err != nil { // no directory
		t.Fatal(err)
	}
	d := indexedLog(root, cache)
	add(t, d, "Use tabs in module 3")
	sameAsWhole(t, "no index", root, cache, nil)
}

// BenchmarkAdd adds to a log of 200,000 events, with its index and without.
func BenchmarkAdd(b *testing.B) {
	const events = 200_000
	for _, indexed := range []bool{true, false} {
		b.Run(map[bool]string{true: "indexed", false: "whole"}[indexed], func(b *testing.B) {
			root := b.TempDir()
			path := jsonl.DecisionsPath(root)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(path, longLog(b, events), 0o644); err != nil {
				b.Fatal(err)
			}
			cache := filepath.Join(b.TempDir(), "x.decisions")
			for i := -1; i < 0 || b.Loop(); i++ {
				d := jsonl.OpenDecisions(root) // as a process of its own does
				if indexed {
					d.Index = cache
				}
				need := decision.Need{Texts: []string{fmt.Sprintf("Service %d keeps its records elsewhere", i)}}
				err := d.UpdateFor(b.Context(), need, func(_ *decision.Log, s *decision.State) ([]decision.Event, error) {
					e := editor(s)
					s.Related(need.Texts[0], nil)
					_, err := e.Add(decision.New{Text: need.Texts[0]}, true)
					return e.Events(), err
				})
				if err != nil {
					b.Fatal(err)
				}
				d.Close()
				if i < 0 {
					b.ResetTimer() // the first made the index
				}
			}
		})
	}
}

// longLog is a log of n events.
func longLog(b *testing.B, n int) []byte {
	b.Helper()
	s := decision.Replay(nil)
	e := &decision.Editor{State: s, Now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Random: rand.NewChaCha8([32]byte{1}), Actor: "user", Project: "p"}
	for i := range n {
		e.Now = e.Now.Add(24 * time.Hour / 1000)
		if _, err := e.Add(decision.New{Text: fmt.Sprintf("Service %d keeps its records in table %d and answers within %d ms", i, i*7%1000, i%90), Reason: "measured"}, true); err != nil {
			b.Fatal(err)
		}
	}
	return decision.Lines(true, e.Events())
}
