package erase_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite/erase"
)

// Purging history also deletes objects: the calls, the chat, and files that no other tool
// call refers to.
func TestPurgingEntriesTakesTheObjectsThatHaveThem(t *testing.T) {
	st, _ := secretStore(t)
	const secret = "xylophone9quagmire"
	file := func(path, text string) string { return storetest.Put(t, st.Objects, path, text).ID }
	call := func(session, entry, text string, files ...string) string {
		doc := &object.Document{Kind: object.KindToolcall, Content: []byte(text), Toolcall: &object.Toolcall{Tool: "read", Status: object.StatusOK, Files: files}}
		return storetest.Submit(t, st.Objects, object.Op{Do: object.Put, Key: object.ToolcallKey(session, entry, "c"), Doc: doc}).Results[0].ID
	}
	chat := func(session, text string) string {
		doc := &object.Document{Kind: object.KindChat, Content: []byte(text), Chat: &object.Chat{Session: session, Turns: 1}}
		return storetest.Submit(t, st.Objects, object.Op{Do: object.Put, Key: object.ChatKey(session), Doc: doc}).Results[0].ID
	}
	own, shared, elsewhere := file("/own", "own "+secret), file("/shared", "nothing to hide"), file("/elsewhere", "elsewhere: "+secret)
	want := []string{
		call("keeper", "aaaa0001", secret+" it said", own, shared),
		chat("keeper", "say "+secret), own,
	}
	kept := []string{call("keeper", "aaaa0002", "another", shared), chat("other", "hello"), shared}
	slices.Sort(want)

	re := regexp.MustCompile("(?i)" + secret)
	c, err := st.Eraser.Choose(t.Context(), erase.Selection{Entries: []string{"aaaa0001", "aaaa0003"}})
	if err != nil || c.Entries != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	got, err := st.Objects.Of(t.Context(), c, nil)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("of the entries: %v, want %v; %v", got, want, err)
	}
	all, err := st.Objects.Of(t.Context(), c, re)
	want = append(want, elsewhere)
	slices.Sort(want)
	if err != nil || !slices.Equal(all, want) {
		t.Errorf("with what matches: %v, want %v; %v", all, want, err)
	}
	must.Do(t, st.Objects.Purge(t.Context(), all))
	must.Do(t, st.Eraser.Purge(t.Context(), c))
	if left, err := st.Eraser.Scrub(t.Context()); err != nil || len(left.Files) > 0 {
		t.Errorf("%+v, %v", left, err)
	}
	if found := fileHolds(t, st.Path(), secret, "xylophone", "quagmire"); len(found) > 0 {
		t.Error(found)
	}
	if again, err := st.Objects.Of(t.Context(), c, re); err != nil || len(again) > 0 {
		t.Errorf("once more: %v, %v", again, err)
	}
	for _, id := range kept {
		if v, err := st.Objects.Get(t.Context(), id, 0); err != nil || v.Purged {
			t.Errorf("%s: %+v, %v", id, v, err)
		}
	}
}
