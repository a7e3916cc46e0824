package objects_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/store"
)

// named makes a session of a question, a call with a result, and an answer, with the objects
// of its call and its chat.
func named(t *testing.T) (st *store.Store, path, call, chat string) {
	t.Helper()
	st, path = storetest.OpenClocked(t, startClock())
	file := filepath.Join(t.TempDir(), "s.jsonl")
	err := os.WriteFile(file, []byte(strings.Join([]string{
		`{"type":"session","version":3,"id":"sess","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/w"}`,
		`{"type":"message","id":"eeee0001","parentId":null,"timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":"where is the marmalade"}}`,
		`{"type":"message","id":"eeee0002","parentId":"eeee0001","timestamp":"2026-03-01T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls"}}]}}`,
		`{"type":"message","id":"eeee0003","parentId":"eeee0002","timestamp":"2026-03-01T10:00:03.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"quincejelly in the larder"}]}}`,
		`{"type":"message","id":"eeee0004","parentId":"eeee0001","timestamp":"2026-03-01T10:00:04.000Z","message":{"role":"assistant","content":[{"type":"text","text":"On another branch."}]}}`,
		`{"type":"message","id":"eeee0005","parentId":"eeee0003","timestamp":"2026-03-01T10:00:05.000Z","message":{"role":"assistant","content":[{"type":"text","text":"In the larder."}]}}`, "",
	}, "\n")), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	storetest.Ingest(t, st, file)
	put := func(k object.Key, d *object.Document) string {
		return storetest.Submit(t, st.Objects, object.Op{Do: object.Put, Key: k, Doc: d}).Results[0].ID
	}
	call = put(object.ToolcallKey("sess", "eeee0003", "c1"), &object.Document{
		Kind: object.KindToolcall, Content: []byte("quincejelly in the larder"), Toolcall: &object.Toolcall{Tool: "bash", Status: object.StatusOK},
	})
	chat = put(object.ChatKey("sess"), &object.Document{
		Kind: object.KindChat, Content: []byte("as it was captured"), Chat: &object.Chat{Session: "o-1", Leaf: "eeee0005", Turns: 1},
	})
	return st, path, call, chat
}

// A call and a chat store no text: it is read from the entries of their session.
func TestCallsAndChatsNameTheirEntriesAndStoreNoText(t *testing.T) {
	t.Parallel()
	st, path, call, chat := named(t)
	must.Equal(t, contentAt(t, st, call, 0), "quincejelly in the larder", "the call")
	want := "--- user\nwhere is the marmalade\n--- assistant\nI look.\n--- toolcall [ref:" + call + "] tool=bash status=ok\n--- assistant\nIn the larder.\n"
	must.Equal(t, contentAt(t, st, chat, 0), want, "the chat")
	if n := storetest.Count(t, storetest.DB(t, path), `SELECT count(*) FROM object_versions WHERE content IS NOT NULL`); n != 0 {
		t.Errorf("%d versions have a text of their own", n)
	}
	if found := verify(t, st); len(found) > 0 {
		t.Errorf("verify: %v", found)
	}
}

// Words are looked for in what calls returned, in what was said, and in stored contents.
func TestObjectsAreFoundByTheWordsOfTheirContents(t *testing.T) {
	t.Parallel()
	st, _, call, chat := named(t)
	file := storetest.Put(t, st.Objects, "/recipe", "marmalade of quinces").ID
	for query, want := range map[string][]string{
		"quincejelly": {call}, "marmalade": {chat, file}, "marma*": {chat, file}, `"the larder"`: {call, chat}, "branch": nil, "-larder": {file},
	} {
		q := must.Get(object.ParseQuery(query, startClock().Time))(t)
		found, err := st.Objects.FindObjects(t.Context(), q)
		var ids []string
		for _, v := range found {
			ids = append(ids, v.ID)
		}
		if err != nil || !slices.Equal(ids, want) {
			t.Errorf("%s: %v, %v; want %v", query, ids, err, want)
		}
	}
}

// What is purged from history is gone from objects, and the rest of a chat stays.
func TestAPurgedEntryIsGoneFromItsObjects(t *testing.T) {
	t.Parallel()
	st, _, call, chat := named(t)
	c := must.Get(st.Eraser.Choose(t.Context(), erase.Selection{Entries: []string{"eeee0003"}}))(t)
	must.Do(t, st.Eraser.Purge(t.Context(), c))
	v := must.Get(st.Objects.Get(t.Context(), call, 0))(t)
	if raw, err := st.Objects.Content(t.Context(), v); !errors.Is(err, object.ErrPurged) {
		t.Errorf("the call has %q, %v", raw, err)
	}
	if got := contentAt(t, st, chat, 0); !strings.HasPrefix(got, "--- user\nwhere is the marmalade\n") || !strings.HasSuffix(got, "In the larder.\n") || strings.Contains(got, "toolcall") {
		t.Errorf("the chat has %q", got)
	}
	if ids, err := st.Objects.Of(t.Context(), c, regexp.MustCompile("quincejelly")); err != nil || !slices.Contains(ids, call) || !slices.Contains(ids, chat) {
		t.Errorf("to be purged with it: %v, %v", ids, err)
	}
}

// A session file may have entries that are each other's parents.
func TestAChatOfEntriesInACircleEnds(t *testing.T) {
	t.Parallel()
	st, path, _, chat := named(t)
	execSQL(t, path, `UPDATE messages SET parent_id = 'eeee0005' WHERE entry_id = 'eeee0001'`)
	if got := contentAt(t, st, chat, 0); strings.Count(got, "In the larder.") != 1 {
		t.Errorf("the chat has %q", got)
	}
}
