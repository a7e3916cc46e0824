package hooks_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/internal/must"
)

// blobs is a dispatcher with nothing but the system, over a cache in a temporary
// directory.
func blobs(t *testing.T, environ ...string) (*hooks.Dispatcher, *blob.Store, *[]hooks.Record) {
	t.Helper()
	st := blob.At(filepath.Join(t.TempDir(), "blobs"), time.Now)
	d, log := dispatcher(t, hooks.Blobs{
		Cache: func(*config.Config) *blob.Store { return st },
		Named: func(context.Context, *blob.Store) func(string) bool { return func(string) bool { return false } },
	})
	d.World = &world{settings: append(environ, "PICTX_BLOBS_TOOLS=kota_*")}
	return d, st, log
}

// result is the payload of a tool_result.
func result(tool, content string) string {
	return `{"toolName":"` + tool + `","toolCallId":"c1","input":{},"content":` + content + `,"isError":false}`
}

// textBlock is a block of a content.
func textBlock(text string) string {
	b, _ := json.Marshal(map[string]string{"type": "text", "text": text})
	return string(b)
}

// answer is the reply to a tool result.
func answer(t *testing.T, d *hooks.Dispatcher, tool, content string) hooks.Reply {
	t.Helper()
	r := request(hooks.EventToolResult, result(tool, content))
	r.Session.File = "/s/one.jsonl"
	return handled(t, d, r)
}

func TestATooLongResultIsCutAndItsTextKept(t *testing.T) {
	d, st, log := blobs(t)
	first, second := strings.Repeat("found \"é\" here\n", 500), "and a second block"
	image := `{"type":"image","image":0,"mimeType":"image/png","bytes":8}`
	reply := answer(t, d, "kota_search", "["+textBlock(first)+","+image+","+textBlock(second)+"]")
	must.Stop(t, reply.Result == nil, "nothing was cut: %+v", *log)
	data := must.Get(json.Marshal(reply))(t)
	if err := valid(t, schema(t, "reply"), data); err != nil {
		t.Errorf("not as the schema has it: %v", err)
	}
	var content []struct{ Type, Text, MimeType string }
	must.Do(t, json.Unmarshal(reply.Result.Content, &content))
	must.Stop(t, len(content) != 2 || content[1].Type != "image" || content[1].MimeType != "image/png" || len(content[0].Text) > 5000, "content is %+v", content)
	details := must.Get(json.Marshal(reply.Result.Details))(t)
	var seen struct {
		Truncated     bool
		BlobID        string `json:"blobId"`
		BlobPath      string `json:"blobPath"`
		OriginalBytes int    `json:"originalBytes"`
		ExcerptBytes  int    `json:"excerptBytes"`
	}
	must.Do(t, json.Unmarshal(details, &seen))
	b, err := st.Get(seen.BlobID)
	if err != nil || string(b.Text) != first+"\n"+second || seen.BlobPath != b.Path || !seen.Truncated ||
		seen.OriginalBytes != len(b.Text) || seen.ExcerptBytes != len(content[0].Text) {
		t.Errorf("details are %s, the blob %+v, %v", details, b.Info, err)
	}
	_, id, ok := strings.Cut(content[0].Text, "pictx expand ")
	must.Not(t, !ok || !strings.HasPrefix(seen.BlobID, id[:12]), "no pointer in %q", content[0].Text)
	must.Match(t, st.Sessions(b.ID), []string{"/s/one.jsonl"}, "it is named by")
	must.Not(t, !strings.HasPrefix((*log)[0].Decision, "kept "), "the log says %q", (*log)[0].Decision)
	must.Lack(t, (*log)[0].Decision, "found", "the log holds content")
}

func TestResultsThatAreShortOrOfOtherToolsStayWhole(t *testing.T) {
	long := strings.Repeat("x", 6000)
	for name, c := range map[string]struct{ tool, content string }{
		"short":          {"kota_search", "[" + textBlock("short") + "]"},
		"another tool":   {"read", "[" + textBlock(long) + "]"},
		"no text":        {"kota_search", `[{"type":"image","image":0}]`},
		"empty":          {"kota_search", `[]`},
		"null":           {"kota_search", `null`},
		"odd":            {"kota_search", `[1,"` + long + `",{"type":"text"},{"type":"text","text":5}]`},
		"half character": {"kota_search", `[{"type":"text","text":"` + long + `\ud83d"}]`},
		"number":         {"kota_search", `7`},
	} {
		d, st, _ := blobs(t)
		reply := answer(t, d, c.tool, c.content)
		must.Not(t, reply.Result != nil, "%s: %+v", name, reply.Result)
		n, _, err := st.Usage()
		must.Not(t, n != 0 || err != nil, "%s: %d blobs, %v", name, n, err)
	}
}

func TestAContentThatIsAStringIsCutToo(t *testing.T) {
	d, st, _ := blobs(t)
	reply := answer(t, d, "kota_search", `"`+strings.Repeat("x", 6000)+`"`)
	n, _, err := st.Usage()
	must.Not(t, reply.Result == nil || n != 1 || err != nil, "%+v, %d blobs, %v", reply, n, err)
}

// Holds prune 51, 52.
func TestAResultThatCannotBeKeptStaysWholeAndIsLogged(t *testing.T) {
	d, st, log := blobs(t)
	must.Do(t, os.WriteFile(st.Dir(), []byte("in the way"), 0o600))
	reply := answer(t, d, "kota_search", "["+textBlock(strings.Repeat("secret ", 1000))+"]")
	must.Not(t, reply.Result != nil || (*log)[0].Result != "failed" || (*log)[0].Error == "" || strings.Contains((*log)[0].Error, "secret"), "%+v, %+v", reply, (*log)[0])
}

func TestBlobsThatAreOffKeepAndCutNothing(t *testing.T) {
	d, st, _ := blobs(t, "PICTX_BLOBS_ENABLED=false")
	reply := answer(t, d, "kota_search", "["+textBlock(strings.Repeat("x", 6000))+"]")
	must.Not(t, reply.Result != nil, "%+v", reply)
	if _, err := os.Stat(st.Dir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the cache was made: %v", err)
	}
	if h, err := d.Hello("/w", nil); err != nil || slices.Contains(h.Wants, hooks.EventToolResult) {
		t.Errorf("wants %q, %v", h.Wants, err)
	}
}

func TestToolResultsAreRequestedOnlyWhenSomeToolIsCut(t *testing.T) {
	for _, tools := range []string{"[]", "kota_*"} {
		d, _, _ := blobs(t)
		d.World = &world{settings: []string{"PICTX_BLOBS_TOOLS=" + tools}}
		h, err := d.Hello("/w", nil)
		if err != nil || slices.Contains(h.Wants, hooks.EventToolResult) != (tools != "[]") || !slices.Contains(h.Wants, hooks.EventSessionStart) {
			t.Errorf("%q: wants %q, %v", tools, h.Wants, err)
		}
	}
}

func TestTheCacheIsCleanedWhenASessionStartsAtMostOnceAnHour(t *testing.T) {
	d, st, log := blobs(t)
	start := func(nested bool) {
		r := request(hooks.EventSessionStart, `{"reason":"startup"}`)
		r.Nested = nested
		handled(t, d, r)
	}
	old := blob.At(st.Dir(), func() time.Time { return time.Now().Add(-15 * 24 * time.Hour) })
	keep := func(text string) string {
		i := must.Get(old.Put(t.Context(), []byte(text), ""))(t)
		return i.ID
	}
	start(false) // there is no cache to clean
	one := keep("one")
	start(true)
	if _, err := st.Peek(one); err != nil {
		t.Errorf("a nested agent cleaned: %v", err)
	}
	start(false)
	if _, err := st.Peek(one); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("it was not cleaned: %v, %+v", err, *log)
	}
	two := keep("two")
	start(false)
	if _, err := st.Peek(two); err != nil {
		t.Errorf("it was cleaned again: %v", err)
	}
}

// entries is a store that has these entries.
type entries []history.Row

func (e entries) Find(_ context.Context, prefix string, sessions []string, _ int) ([]history.Row, error) {
	var out []history.Row
	for _, r := range e {
		if strings.HasPrefix(r.EntryID, prefix) && (len(sessions) == 0 || slices.Contains(sessions, r.Session)) {
			out = append(out, r)
		}
	}
	return out, nil
}

func (e entries) Raw(context.Context, history.Row, []byte) ([]byte, error) {
	return []byte(`{"type":"message","id":"x","message":{"role":"user","content":"of an entry"}}`), nil
}

func TestAModelExpandsABlobByItsPointer(t *testing.T) {
	st := blob.At(filepath.Join(t.TempDir(), "blobs"), time.Now)
	text := strings.Repeat("a line that was found\n", 1500)
	info := must.Get(st.Put(t.Context(), []byte(text), ""))(t)
	expand := func(r recall.ExpandRequest) (recall.Answer, error) {
		r.First = []string{"s"}
		return recall.ExpandText(t.Context(), hooks.WithBlobs(entries{}, st), r)
	}
	excerpt := blob.Excerpt(text, 500, info.ID[:12])
	_, pointer, _ := strings.Cut(excerpt, "[cut:")
	var got strings.Builder
	r := recall.ExpandRequest{ID: "[cut:" + pointer}
	for range 20 {
		a := must.Get(expand(r))(t)
		d := a.Details.(recall.ExpandDetails)
		must.Stop(t, d.Bytes != len(text) || strings.Contains(a.Text, "session"), "%+v\n%.200s", d, a.Text)
		got.WriteString(text[d.From:d.To])
		must.Contain(t, a.Text, "a line that was found", "the page has no text")
		if r.Cursor = d.To; d.To == d.Bytes {
			break
		}
	}
	must.Not(t, got.String() != text, "the pages are %d bytes, want %d", got.Len(), len(text))
	a, err := expand(recall.ExpandRequest{ID: info.ID, Lines: &history.LineRange{From: 1500, To: 1500}})
	must.Not(t, err != nil || !strings.Contains(a.Text, "a line that was found"), "%q, %v", a.Text, err)
}

// Holds prune 45.
func TestAnEntryWinsOverABlobWithTheSameID(t *testing.T) {
	st := blob.At(filepath.Join(t.TempDir(), "blobs"), time.Now)
	info := must.Get(st.Put(t.Context(), []byte("of a blob"), ""))(t)
	both := hooks.WithBlobs(entries{{EntryID: info.ID[:8], Session: "s"}}, st)
	for id, want := range map[string]string{info.ID[:8]: "of an entry", info.ID[:9]: "of a blob"} {
		a, err := recall.ExpandText(t.Context(), both, recall.ExpandRequest{ID: id})
		must.Not(t, err != nil || !strings.Contains(a.Text, want), "%s: %q, %v", id, a.Text, err)
	}
}

func TestExpandReportsABlobThatWasDeletedOrIsDamaged(t *testing.T) {
	st := blob.At(filepath.Join(t.TempDir(), "blobs"), time.Now)
	gone := must.Get(st.Put(t.Context(), []byte("gone"), ""))(t)
	damaged := must.Get(st.Put(t.Context(), []byte("damaged"), ""))(t)
	must.Get(st.Purge(t.Context(), []string{gone.ID}))(t)
	must.Do(t, os.WriteFile(damaged.Path, []byte("something else"), 0o600))
	for id, want := range map[string]string{
		gone.ID[:12]: "it was deleted, or never kept", damaged.ID[:12]: "is damaged", "0123456789ab": "it was deleted, or never kept", "0123": "no entry has the id",
	} {
		_, err := recall.ExpandText(t.Context(), hooks.WithBlobs(entries{}, st), recall.ExpandRequest{ID: id})
		var bad *recall.BadCallError
		must.Not(t, !errors.As(err, &bad) || !strings.Contains(bad.Problem, want), "%s: %v, want %q", id, err, want)
	}
}
