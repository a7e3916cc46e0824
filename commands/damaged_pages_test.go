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

// TestADamagedPageGivesTheRightAnswerOrAnError damages every page of a store in turn, each in one
// of four ways. What a search or expand does not find because a page of an index lacks it, doctor
// notices; an export is never short.
func TestADamagedPageGivesTheRightAnswerOrAnError(t *testing.T) {
	t.Parallel()
	garble := func(b []byte) { rand.New(rand.NewSource(1)).Read(b) }
	ways := []func(page []byte){
		func(b []byte) { clear(b[pageSize/2:]) },
		func(b []byte) { clear(b) },
		garble,
		func(b []byte) { garble(b[pageSize/2:]) },
	}
	p, sound := storedSession(t)
	asks := [][]string{
		{"grep", "retry100", "-n", "1000"},
		{"grep", "the a", "-n", "1000"},
		{"grep", "--regex", "parse[0-9]+7", "-n", "1000"},
		{"expand", firstEntry(t, p)},
		{"export", "s", "--format", "jsonl"},
		{"history", "stats", "--json"},
	}
	right := make([]string, len(asks))
	for i, ask := range asks {
		if _, right[i] = p.shell(ask...); right[i] == "" {
			t.Fatalf("the sound store: %v prints nothing", ask)
		}
	}
	unnoticed, every := 0, 1
	if testing.Short() {
		every = 5
	}
	for page := 1; page < len(sound)/pageSize; page += every {
		broken := bytes.Clone(sound)
		ways[page%len(ways)](broken[page*pageSize : (page+1)*pageSize])
		p.replaceStore(broken)
		for i, ask := range asks {
			code, out := p.shell(ask...)
			if out == right[i] || code != 0 && code != 3 && code != 4 {
				continue
			}
			unnoticed++
			if doctor, found := p.shell("doctor"); doctor != 1 || ask[0] == "export" {
				t.Errorf("page %d, way %d: %v ends with %d and prints %d bytes for %d, and doctor ends with %d: %s", page+1, page%len(ways), ask, code, len(out), len(right[i]), doctor, found)
			}
		}
	}
	t.Logf("%d pages, of which searches do not notice %d", len(sound)/pageSize/every, unnoticed)
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
