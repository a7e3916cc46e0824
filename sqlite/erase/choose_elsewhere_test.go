package erase_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite/erase"

	"github.com/coctostan/pictx/internal/storetest"
)

// The content of a call is kept as a part of the line in the history. A line is ruled out only
// by an expression that cannot match it: not because it was not chosen.
func TestCallsWithAMatchAreTakenThoughTheirEntriesWereNotChosen(t *testing.T) {
	st, _ := secretStore(t)
	every, err := st.Eraser.Choose(t.Context(), erase.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	var ids [][2]string
	every.Each(func(session, entry string) { ids = append(ids, [2]string{session, entry}) })
	var ops []object.Op
	var p message.Parser
	var bodies [][]byte
	err = st.Eraser.Lines(t.Context(), every, func(line []byte) {
		id := ids[0]
		ids = ids[1:]
		e, err := p.ParseEntry(line)
		if err != nil || e.Message.Role != message.RoleToolResult {
			return
		}
		body := e.AppendBody(nil, line)
		bodies = append(bodies, body)
		doc := &object.Document{Kind: object.KindToolcall, Content: body, Toolcall: &object.Toolcall{Tool: "read", Status: object.StatusOK}}
		ops = append(ops, object.Op{Do: object.Put, Key: object.ToolcallKey(id[0], id[1], "c"), Doc: doc})
	})
	if err != nil {
		t.Fatal(err)
	}
	word := regexp.MustCompile(`[A-Za-z]{8,}`)
	at := slices.IndexFunc(bodies, word.Match)
	if at < 0 {
		t.Fatal("no result has a word to look for")
	}
	find, want := regexp.MustCompile(string(word.Find(bodies[at]))), 0
	for _, b := range bodies {
		if find.Match(b) {
			want++
		}
	}
	storetest.Submit(t, st.Objects, ops...)
	none, err := st.Eraser.Choose(t.Context(), erase.Selection{Entries: []string{"aaaa0002"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := st.Objects.Of(t.Context(), none, find)
	if err != nil || len(got) < want {
		t.Errorf("%d of %d calls are taken: %v", len(got), want, err)
	}
}
