package commands

import (
	"bytes"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/internal/must"
)

// pageSize is that of SQLite's files.
const pageSize = 4096

// TestADamagedPageGivesTheRightAnswerOrAnError damages every page of a store in turn. What a
// search or expand does not find because a page of an index lacks it, doctor notices; an export
// is never short.
func TestADamagedPageGivesTheRightAnswerOrAnError(t *testing.T) {
	t.Parallel()
	garble := func(b []byte) { rand.New(rand.NewSource(1)).Read(b) }
	for name, damage := range map[string]func(page []byte){
		"second half zeroed":  func(b []byte) { clear(b[pageSize/2:]) },
		"zeroed":              func(b []byte) { clear(b) },
		"garbled":             garble,
		"second half garbled": func(b []byte) { garble(b[pageSize/2:]) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && name != "second half zeroed" {
				t.Skip("not run: the damage that is noticed least is tried in short runs")
			}
			p, sound := storedSession(t)
			asks := [][]string{
				{"grep", "retry100", "-n", "1000"},
				{"grep", "the", "-n", "1000"},
				{"grep", "the a", "-n", "1000"},
				{"grep", "--regex", "parse[0-9]+7", "-n", "1000"},
				{"expand", firstEntry(t, p)},
				{"export", "s", "--format", "jsonl"},
				{"export", "s", "--format", "md"},
				{"history", "stats", "--json"},
			}
			right := make([]string, len(asks))
			for i, ask := range asks {
				if _, right[i] = p.shell(ask...); right[i] == "" {
					t.Fatalf("the sound store: %v prints nothing", ask)
				}
			}
			unnoticed := 0
			every := pageSize
			if testing.Short() {
				every *= 5
			}
			for at := pageSize; at < len(sound); at += every {
				broken := bytes.Clone(sound)
				damage(broken[at : at+pageSize])
				p.replaceStore(broken)
				for i, ask := range asks {
					code, out := p.shell(ask...)
					if out == right[i] || code != 0 && code != 3 && code != 4 {
						continue
					}
					unnoticed++
					if doctor, found := p.shell("doctor"); doctor != 1 || ask[0] == "export" {
						t.Errorf("page %d: %v ends with %d and prints %d bytes for %d, and doctor ends with %d: %s", at/pageSize+1, ask, code, len(out), len(right[i]), doctor, found)
					}
				}
			}
			t.Logf("%d pages, of which searches do not notice %d", len(sound)/every, unnoticed)
		})
	}
}

// storedSession is an agent whose store has a session and whose files are gone, and the
// bytes of the store.
func storedSession(t *testing.T) (*piAgent, []byte) {
	t.Helper()
	p := newAgent(t)
	file := filepath.Join(filepath.Dir(p.dir), "s.jsonl")
	var text bytes.Buffer
	must.Do(t, corpus.Write(&text, corpus.Session{ID: "s", CWD: p.project, Messages: 40, Size: 1500, Seed: 3}))
	p.plant(file, text.String())
	p.must("store", "migrate")
	p.must("history", "vacuum")
	must.Do(t, os.Remove(file))
	sound := must.Get(os.ReadFile(p.storePath()))(t)
	return p, sound
}

// firstEntry is the id of an entry of the session.
func firstEntry(t *testing.T, p *piAgent) string {
	t.Helper()
	var id string
	must.Do(t, p.db().QueryRow(`SELECT entry_id FROM messages WHERE ordinal = 7`).Scan(&id))
	return id
}

// replaceStore puts other bytes in the place of the store.
func (p *piAgent) replaceStore(text []byte) {
	p.t.Helper()
	for _, end := range []string{"-wal", "-shm"} {
		_ = os.Remove(p.storePath() + end)
	}
	must.Do(p.t, os.WriteFile(p.storePath(), text, 0o600))
}
