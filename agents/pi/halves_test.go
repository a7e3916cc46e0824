package pi

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/internal/must"
)

// bothWays reads text at once and in two halves.
func bothWays(t testing.TB, path string, text []byte) (whole, halves *Session) {
	t.Helper()
	must.Do(t, os.WriteFile(path, text, 0o600))
	f := must.Get(os.Open(path))(t)
	t.Cleanup(func() { f.Close() })
	fresh := func() *Session { return &Session{Tree: &message.Tree{Header: message.Header{ID: "none"}}, file: f} }
	whole, halves = fresh(), fresh()
	must.Do(t, whole.read(io.NewSectionReader(f, 0, 1<<62), 0))
	must.Do(t, halves.readHalves(int64(len(text))))
	return whole, halves
}

// alike compares two sessions.
func alike(t testing.TB, what string, want, got *Session) {
	t.Helper()
	if want.pos != got.pos || !bytes.Equal(want.tail, got.tail) {
		t.Fatalf("%s: it ends at %+v, want %+v", what, got.pos, want.pos)
	}
	if !sameNodes(want, got) {
		t.Fatalf("%s: the entries differ", what)
	}
	if d := cmp.Diff(fmt.Sprint(want.problems), fmt.Sprint(got.problems)); d != "" {
		t.Fatalf("%s: issues %s", what, d)
	}
}

// sameNodes compares what nodes point to as well.
func sameNodes(a, b *Session) bool {
	return a.Header == b.Header && a.Leaf() == b.Leaf() && reflect.DeepEqual(a.Nodes, b.Nodes)
}

func TestASessionReadInTwoHalvesIsTheSame(t *testing.T) {
	files, err := filepath.Glob("../../testdata/sessions/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no sessions", err)
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	for _, name := range files {
		text := must.Get(os.ReadFile(name))(t)
		whole, halves := bothWays(t, path, text)
		alike(t, filepath.Base(name), whole, halves)
	}
}

func TestDamageIsReadTheSameInTwoHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	must.Do(t, corpus.Write(&b, corpus.Session{ID: "s", CWD: "/w", Messages: 40, Size: 60, Seed: 1}))
	path := filepath.Join(t.TempDir(), "s.jsonl")
	rounds := 400
	if testing.Short() {
		rounds = 40
	}
	for i := range rounds {
		text := bytes.Clone(b.Bytes())
		switch r.IntN(5) {
		case 0: // torn
			text = text[:r.IntN(len(text))]
		case 1: // a line less
			at := r.IntN(len(text))
			text = append(text[:at:at], text[min(len(text), at+r.IntN(300)):]...)
		case 2: // blank lines and line ends of another kind
			text = []byte(strings.ReplaceAll(string(text), "\n", "\r\n\n \n"))
		case 3: // version 1: no ids
			text = []byte(strings.ReplaceAll(strings.ReplaceAll(string(text), `"version":3`, `"version":1`), `"id":"`, `"xd":"`))
		case 4:
			for range 5 {
				text[r.IntN(len(text))] = "\n{}\"\\\xff"[r.IntN(6)]
			}
		}
		whole, halves := bothWays(t, path, text)
		alike(t, fmt.Sprintf("damage %d", i), whole, halves)
	}
}

// BenchmarkOpen reads a session of 1.5 MB; "whole" is the reference.
func BenchmarkOpen(b *testing.B) {
	var text bytes.Buffer
	must.Do(b, corpus.Write(&text, corpus.Session{ID: "s", CWD: "/w", Messages: 1000, Size: 1500, Seed: 1}))
	path := filepath.Join(b.TempDir(), "s.jsonl")
	must.Do(b, os.WriteFile(path, text.Bytes(), 0o600))
	f := must.Get(os.Open(path))(b)
	defer f.Close()
	size := int64(text.Len())
	for name, read := range map[string]func(*Session) error{
		"whole":  func(s *Session) error { return s.read(io.NewSectionReader(f, 0, 1<<62), size) },
		"halves": func(s *Session) error { return s.readHalves(size) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			for range b.N {
				must.Do(b, read(&Session{Tree: &message.Tree{}, file: f}))
			}
		})
	}
}
