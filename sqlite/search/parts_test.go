package search_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/sqlhook"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/search"
)

// Holds history 23, 24.
func TestPartsOfNamesAreFoundByTheirTrigrams(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	texts := []string{"await fetchUserByName(db)", "max_retry_count = 3", "a kebab-case-name", "packages/core/src/urlParser.ts:42", "我们决定使用缓存", "HTTPServerError raised", "超时"}
	for i := range 100 {
		texts = append(texts, fmt.Sprintf("nothing of it, number %d", i))
	}
	storetest.Ingest(t, st, storetest.Session(t, "ab", texts...))
	queries := map[string]int{
		"UserByName": 0, "userbyname": 0, "serByN": 0, "retry_count": 1, "case-name": 2, "urlParser.ts": 3, "src/urlParser.ts": 3, "Parser.ts": 3,
		"决定": 4, "缓": 4, "缓存": 4, "ServerError": 5, "erverErr": 5, "超时": 6, "时": 6,
	}
	for query, want := range queries {
		res, err := history.Search(t.Context(), st.Search, history.Query{Text: query})
		if err != nil || len(res.Hits) != 1 || res.Hits[0].EntryID != fmt.Sprintf("ab%04d", want) {
			t.Errorf("%q: %v, %v", query, storetest.IDs(res), err)
			continue
		}
		if !strings.Contains(strings.ToLower(res.Hits[0].Snippet), strings.ToLower(query)) {
			t.Errorf("%q is not shown: %q", query, res.Hits[0].Snippet)
		}
		must.Not(t, res.Scanned > 10, "%q: %d texts were read", query, res.Scanned)
	}
}

// What a regular expression finds by the index is what reading every text finds.
func TestRegexByTheIndexFindsWhatReadingFinds(t *testing.T) {
	st := storetest.Filled(t)
	scanned := search.Reading{Store: st.Search}
	for _, q := range []history.Query{
		{Text: `TypeError: .*`, Regex: true, Limit: 500},
		{Text: `idempot\w+`, Regex: true, Limit: 500},
		{Text: `(retry|replay)[A-Z]\w+`, Regex: true, Limit: 500},
		{Text: `ERROR`, Regex: true, CaseSensitive: true, Limit: 500},
		{Text: `src/\w+\.ts:\d+`, Regex: true, Limit: 500},
		{Text: `zzyzx\d`, Regex: true},
		{Text: `Promise<\w+>`, Regex: true, Filter: history.Filter{Roles: []string{"toolResult"}}, Limit: 500},
	} {
		want := must.Get(history.Search(t.Context(), scanned, q))(t)
		got, err := history.Search(t.Context(), st.Search, q)
		if err != nil || strings.Join(storetest.IDs(got), " ") != strings.Join(storetest.IDs(want), " ") {
			t.Errorf("%q: %d results, want %d, %v", q.Text, len(got.Hits), len(want.Hits), err)
		}
	}
}

// Holds history 22.
func TestEveryFilterHoldsInEveryMode(t *testing.T) {
	st := storetest.Filled(t)
	rows := must.Get(st.Entries.Sessions(t.Context()))(t)
	middle := (rows[0].Started + rows[0].Last) / 2
	for _, q := range []history.Query{
		{Text: "test"}, {Text: "test the"}, {Text: `te[s]t`, Regex: true}, {Text: "est.ts"}, {Text: "test zzyzx order"}, {Text: "tes"},
	} {
		for name, f := range map[string]history.Filter{
			"session": {Sessions: []string{rows[0].ID}}, "sessions": {Sessions: []string{rows[0].ID, rows[1].ID}},
			"role": {Roles: []string{"toolResult", "user"}}, "tool": {Tool: "bash"}, "no tool": {Tool: "absent"},
			"after": {After: middle}, "before": {Before: middle}, "all": {Sessions: []string{rows[0].ID}, Roles: []string{"toolResult"}, After: 1, Before: rows[0].Last},
		} {
			q.Filter, q.Limit = f, 300
			res, err := history.Search(t.Context(), st.Search, q)
			if err != nil {
				t.Fatalf("%q, %s: %v", q.Text, name, err)
			}
			if len(res.Hits) == 0 && name != "no tool" && name != "all" {
				t.Errorf("%q, %s: nothing found", q.Text, name)
			}
			for _, h := range res.Hits {
				in := func(list []string, s string) bool {
					return len(list) == 0 || strings.Contains(strings.Join(list, " "), s)
				}
				if !in(f.Sessions, h.Session) || !in(f.Roles, string(h.Role)) || f.Tool != "" && h.Tool != f.Tool || h.Time < f.After || f.Before != 0 && h.Time >= f.Before {
					t.Errorf("%q, %s: %+v", q.Text, name, h.Row)
				}
			}
		}
	}
}

// Holds history 34.
func TestTheFamilyOfASessionIsItsForksNearAndFar(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	dir := t.TempDir()
	write := func(id, parent string) {
		t.Helper()
		header := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"`, id)
		if parent != "" {
			header += fmt.Sprintf(`,"parentSession":%q`, filepath.Join(dir, parent+".jsonl"))
		}
		file := filepath.Join(dir, id+".jsonl")
		must.Do(t, os.WriteFile(file, []byte(header+"}\n"), 0o600))
		storetest.Ingest(t, st, file)
	}
	for _, s := range [][2]string{{"root", ""}, {"child", "root"}, {"grandchild", "child"}, {"other", ""}, {"orphan", "lost"}, {"sibling", "lost"}} {
		write(s[0], s[1])
	}
	for id, want := range map[string]string{
		"grandchild": "grandchild child root", "root": "root child grandchild", "other": "other", "orphan": "orphan sibling", "nobody": "",
	} {
		got, err := st.Search.Family(t.Context(), id)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, %v", id, got, err)
		}
	}
}

// Holds history 31.
func TestSummariesAreFoundAsMessagesAre(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	st := storetest.Open(t, path, sqlite.Write)
	storetest.Ingest(t, st, storetest.Session(t, "ab", "the lighthouse keeper", "the harbour"))
	for i, text := range []string{"Talked about the lighthouse at length.", "Decided on a walrusHarbourName."} {
		_, err := storetest.DB(t, path).Exec(`INSERT INTO summaries (key, session_id, depth, kind, hash, first_entry, last_entry, entries, started, ended, text,
			tokens, input_tokens, model, prompt, created) VALUES (?, 'ab', 0, 'model', '', 'a', 'b', 2, 1, 2, ?, 9, 9, 'm', 1, ?)`,
			fmt.Sprintf("s-00000000000%d", i), text, 1772442000000+int64(i))
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, fullText := range []bool{true, false} {
		var store history.Searcher = st.Search
		if !fullText {
			store = search.Reading{Store: st.Search}
		}
		for _, c := range []struct {
			q    history.Query
			want string
		}{
			{history.Query{Text: "lighthouse"}, "ab0000 s-000000000000"},
			{history.Query{Text: "at length"}, "s-000000000000"},
			{history.Query{Text: "HarbourName"}, "s-000000000001"},
			{history.Query{Text: `light\w+`, Regex: true}, "ab0000 s-000000000000"},
			{history.Query{Text: "lighthouse", Filter: history.Filter{Roles: []string{"compactionSummary"}}}, "s-000000000000"},
			{history.Query{Text: "lighthouse", Filter: history.Filter{Roles: []string{"user"}}}, "ab0000"},
			{history.Query{Text: "length", Filter: history.Filter{Sessions: []string{"other"}}}, ""},
		} {
			res, err := history.Search(t.Context(), store, c.q)
			if err != nil || strings.Join(storetest.IDs(res), " ") != c.want {
				t.Errorf("index %v, %q: %v, want %q, %v", fullText, c.q.Text, storetest.IDs(res), c.want, err)
			}
			for _, h := range res.Hits {
				if h.Role == history.RoleSummary && !strings.Contains(h.Snippet, h.Snippet[h.MatchStart:h.MatchEnd]) {
					t.Errorf("%q", h.Snippet)
				}
			}
		}
	}
}

// A text that matches is never passed over.
func FuzzATextThatMatchesIsWorthReading(f *testing.F) {
	for _, s := range [][2]string{
		{`TypeError: .* undefined`, "x TypeError: y undefined"},
		{`(?i)straße`, "STRASSE straße"},
		{`kelvin`, "\u212aelvin"},
		{`ſoon`, "SOON soon"},
		{`(a|b)cdef+`, "bcdeffff"},
		{`été`, "ÉTÉ ete\u0301"},
		{`[^a]bcd`, "xbcd"},
		{`\bfoo\b`, "a foo b"},
		{`ab{2,5}c`, "abbbc"},
		{`σίσυφος`, "ΣΊΣΥΦΟΣ"},
		{`(?s)a.bcd`, "a\nbcd"},
		{`(?-i:ABC)d`, "ABCD"},
		{`決定\w*済み`, "決定は済み"},
	} {
		f.Add(s[0], s[1])
	}
	db := must.Get(sql.Open(sqlhook.Driver, ":memory:"))(f)
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE VIRTUAL TABLE g USING fts5(text, detail = none, tokenize = 'trigram remove_diacritics 1')`); err != nil {
		f.Skip("not run: this build has no full-text search")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 200 || len(text) > 2000 {
			return
		}
		re, err := history.CompileRegex(pattern, false)
		if err != nil {
			return
		}
		need := history.NeedOfRegex(pattern)
		if len(need) == 0 || !re.MatchString(text) || strings.Contains(text, "\x00") {
			return
		}
		var found int
		for _, query := range []string{`DELETE FROM g`, `INSERT INTO g (text) VALUES (?1)`} {
			must.Get(db.Exec(query, text))(t)
		}
		if err := db.QueryRow(`SELECT count(*) FROM g WHERE g MATCH ?`, search.MatchNeed(need)).Scan(&found); err != nil || found != 1 {
			t.Errorf("%q matches %q, but needs %q: %v", pattern, text, need, err)
		}
	})
}
