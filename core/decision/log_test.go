package decision

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// original returns a log in the bytes of the original extension.
func original(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("testdata/original.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestOriginalLogRoundTrips(t *testing.T) {
	text := original(t)
	l := Read([]byte(text))
	if len(l.Damage) > 0 || len(l.Events) != 7 {
		t.Fatalf("%d events, damage %v", len(l.Events), l.Damage)
	}
	must.Match(t, string(Lines(true, l.Events)), text, "written again (-original +ours)")
	s := Replay(l.Events)
	var got []string
	for _, d := range s.Decisions {
		gone := ""
		if d.Removed {
			gone = " removed"
		}
		got = append(got, d.ID[len(d.ID)-4:]+" "+string(d.Status)+gone+": "+d.Text)
	}
	want := []string{
		`0001 active: Use PostgreSQL 17 <prod> & "dev"`, "0002 superseded: Auth uses OAuth2 + JWT",
		"0003 active: Auth uses sessions é 🎉", "0004 active removed: Gone soon",
	}
	must.Match(t, got, want, "decisions")
	if d := s.Decisions[1]; d.SupersededBy != "D-2026-02-27-0003" {
		t.Errorf("superseded by %q", d.SupersededBy)
	}
	if d := s.Decisions[0]; d.Reason != "Need relational integrity" {
		t.Errorf("reason %q", d.Reason)
	}
}

// originalReader parses lines by the rules of the original extension: split at line feeds,
// trimmed, JSON, version 1, one of the five operations, strings for t, p and i. Other lines
// are skipped. An event patches the fields of its decision.
func originalReader(t *testing.T, text string) map[string]map[string]any {
	t.Helper()
	out := map[string]map[string]any{}
	for _, line := range strings.Split(text, "\n") {
		var e map[string]any
		if json.Unmarshal([]byte(strings.TrimSpace(line)), &e) != nil || e["v"] != 1.0 {
			continue
		}
		id, ok := e["i"].(string)
		data, isObject := e["d"].(map[string]any)
		_, hasTime := e["t"].(string)
		_, hasProject := e["p"].(string)
		if !ok || !hasTime || !hasProject || !isObject {
			continue
		}
		switch e["e"] {
		case "a":
			out[id] = data
		case "ed", "st", "su":
			for k, v := range data {
				if out[id] != nil {
					out[id][k] = v
				}
			}
		case "rm":
			delete(out, id)
		}
	}
	return out
}

func TestOriginalReadsOurLog(t *testing.T) {
	b := newBook(t)
	first := b.add(New{Text: "Use PostgreSQL for the primary database", Tags: []string{"db"}, Reason: "joins", Paths: []string{"db/**"}})
	gone := b.add(New{Text: "Never mind this one"})
	b.do(first, func(e *Editor, d *Decision) error { return e.Edit(d, Change{Text: new("Use PostgreSQL 17")}) })
	next := ""
	e := b.editor()
	next, err := e.Add(New{Text: "Use SQLite", Supersedes: first, Reason: "one file"}, false)
	if err != nil {
		t.Fatal(err)
	}
	b.commit(e)
	b.do(gone, func(e *Editor, d *Decision) error { return e.Remove(d, "") })

	got := originalReader(t, b.text())
	if len(got) != 2 || got[gone] != nil {
		t.Errorf("decisions: %v", got)
	}
	if got[first]["s"] != "superseded" || got[first]["tx"] != "Use PostgreSQL 17" || got[next]["s"] != "active" || got[next]["sp"] != first {
		t.Errorf("first %v\nnext %v", got[first], got[next])
	}
	if tags, ok := got[first]["tg"].([]any); !ok || len(tags) != 1 || tags[0] != "db" {
		t.Errorf("tags %v", got[first]["tg"])
	}
}

// Holds decisions 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15.
func TestDamagedLinesAreReportedAndSkipped(t *testing.T) {
	good := strings.SplitAfter(original(t), "\n")
	line := func(n int) string { return good[n-1] }
	long := func(n int) string {
		return strings.Replace(line(1), "Need relational integrity", strings.Repeat("x", n), 1)
	}
	for _, c := range []struct {
		name, text string
		events     int
		damage     string
		check      func(l *Log) bool
	}{
		{"nothing", "", 0, "", nil},
		{"line ends", "\n\r\n \n", 0, "", nil},
		{"byte order mark", "\xef\xbb\xbf" + line(1), 1, "", func(l *Log) bool { return l.BOM }},
		{"line ends of Windows", strings.ReplaceAll(line(1)+line(2), "\n", "\r\n") + line(1), 2, "", func(l *Log) bool { return l.CRLF && l.Repeated == 1 }},
		{"not UTF-8", line(1) + strings.Replace(line(2), "OAuth2", "O\xffuth2", 1) + line(5), 2, "2:damaged-line", func(l *Log) bool {
			return strings.Contains(l.Damage[0].Text, "not UTF-8 at byte")
		}},
		{"zero bytes", line(1) + strings.Repeat("\x00", 40), 1, "2:zeroed", nil},
		{"torn", line(1) + line(2)[:80], 1, "2:torn-line", func(l *Log) bool { return !l.Whole }},
		{"torn in the middle", line(1) + line(2)[:80] + "\n" + line(5), 2, "2:damaged-line", nil},
		{"no line end", line(1) + strings.TrimSpace(line(2)), 2, "", func(l *Log) bool { return !l.Whole }},
		{"a line of 100 KB", long(100_000), 1, "", nil},
		{"a line of 1 MB", long(MaxLine) + line(2), 1, "1:long-line", nil},
		{"a newer version", line(1) + strings.Replace(line(2), `"v":1`, `"v":2`, 1), 1, "2:newer-version", func(l *Log) bool { return l.Writable() != nil }},
		{"an unknown operation", line(1) + strings.Replace(line(2), `"e":"a"`, `"e":"zz"`, 1), 1, "2:unknown-event", func(l *Log) bool { return l.Writable() == nil }},
		{"conflict markers", "<<<<<<< HEAD\n" + line(1) + "=======\n" + line(2) + ">>>>>>> other\n", 2, "1:conflict-marker 3:conflict-marker 5:conflict-marker", nil},
		{"a key twice", strings.Replace(line(1), `"ti"`, `"tx":"x","ti"`, 1), 0, "1:damaged-line", nil},
		{"a wrong type", strings.Replace(line(1), `["db","backend"]`, `"db"`, 1), 0, "1:damaged-line", nil},
		{"an unknown status", strings.Replace(line(1), `"active"`, `"maybe"`, 1), 0, "1:damaged-line", nil},
		{"no object", "[1]\n\"x\"\n7\n" + line(1), 1, "1:damaged-line 2:damaged-line 3:damaged-line", nil},
		{"no id", strings.Replace(line(1), `"i":"D-2026-02-27-0001",`, "", 1), 0, "1:damaged-line", nil},
		{"text after it", strings.TrimSpace(line(1)) + "{}\n", 0, "1:damaged-line", nil},
		{"half a character of the original", strings.Replace(line(1), "Use PostgreSQL\"", `Use \ud83d"`, 1), 1, "", nil},
	} {
		l := Read([]byte(c.text))
		var damage []string
		for _, d := range l.Damage {
			damage = append(damage, strings.Join([]string{itoa(d.Line), d.Code}, ":"))
		}
		if len(l.Events) != c.events || strings.Join(damage, " ") != c.damage {
			t.Errorf("%s: %d events, damage %q; want %d, %q: %v", c.name, len(l.Events), damage, c.events, c.damage, l.Damage)
			continue
		}
		if c.check != nil && !c.check(l) {
			t.Errorf("%s: %+v", c.name, l.Damage)
		}
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

// Holds decisions 13, 17.
func TestRepeatedEventCountsOnceAndKeyReuseIsDamage(t *testing.T) {
	b := newBook(t)
	b.add(New{Text: "Use tabs"})
	one := b.text()
	l := Read([]byte(one + one + strings.ReplaceAll(one, "\n", "\r\n")))
	if len(l.Events) != 1 || l.Repeated != 2 || len(l.Damage) != 0 {
		t.Errorf("%d events, %d repeated, %v", len(l.Events), l.Repeated, l.Damage)
	}
	other := strings.Replace(one, `"Use tabs"`, `"Use spaces"`, 2)
	x, y := Read([]byte(one+other)), Read([]byte(other+one))
	if len(x.Events) != 1 || len(x.Damage) != 1 || x.Damage[0].Code != keyTwice.code || *x.Events[0].Data.Text != *y.Events[0].Data.Text {
		t.Errorf("%v %v", x.Damage, y.Damage)
	}
	unknown := strings.Replace(one, `"tg":`, `"zz":{"a":[1,2.50]},"tg":`, 1)
	must.Contain(t, string(Lines(true, Read([]byte(unknown)).Events)), `"zz":{"a":[1,2.50]}`, "an unknown member is lost")
}

// Ids, times and keys are printed unescaped. The log of a clone may name a decision by an
// escape sequence that writes the clipboard.
func TestALineWithAnIDTimeOrKeyOfAnotherFormIsDamaged(t *testing.T) {
	const good = `{"v":1,"t":"2026-11-22T13:44:17.544Z","p":"30925f8cf8f72cae","e":"su","i":"D-2026-11-22-0001","d":{"sp":"D-2026-11-22-0002","c":["D-2026-11-22-0003"]},"u":"user","k":"01M81R07C8ZZZZZZZZZZZZZZZZ","x":["01M81R07C8ZZZZZZZZZZZZZZZY"]}`
	if l := Read([]byte(good + "\n")); len(l.Damage) > 0 || len(l.Events) != 1 {
		t.Fatalf("%v", l.Damage)
	}
	for _, value := range []string{"2026-11-22T13:44:17.544Z", "30925f8cf8f72cae", "D-2026-11-22-0001", "D-2026-11-22-0002", "D-2026-11-22-0003", "01M81R07C8ZZZZZZZZZZZZZZZZ", "01M81R07C8ZZZZZZZZZZZZZZZY"} {
		for _, bad := range []string{`D-1\u001b]0;OWNED\u0007`, `D-1\nforged line`, "D-1 \u202e", "D-1\U000e0041", "D 1", strings.Repeat("D", 65)} {
			l := Read([]byte(strings.Replace(good, value, bad, 1) + "\n"))
			if len(l.Events) > 0 || len(l.Damage) != 1 || l.Damage[0].Code != damagedLine.code {
				t.Errorf("%s in the place of %s: %v", bad, value, l.Damage)
			}
		}
	}
}

func FuzzReadKeepsOtherLines(f *testing.F) {
	f.Add(`{"v":1,"t":"x","p":"","e":"a","i":"D-1","d":{}}`)
	f.Add("\x00\xff{")
	f.Add(`{"v":1,"t":"2026-01-01T00:00:00Z","p":"","e":"su","i":"D-1","d":{"sp":null,"s":"draft","tg":["a"]},"x":["k"]}`)
	b := newBook(&testing.T{})
	b.add(New{Text: "Kept"})
	good := b.text()
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ReplaceAll(text, "\n", " ")
		l := Read([]byte(good + text + "\n" + strings.Replace(good, "Kept", "Kept too", 2)))
		s := Replay(l.Events)
		s.Clashes()
		p := s.Project(20)
		p.Text()
		if l.Size == 0 || len(l.Events) < 1 {
			t.Errorf("%q takes the others with it", text)
		}
		if e, err := Parse([]byte(text)); err == nil {
			again, err := Parse(Append(nil, &e))
			if err != nil || again.ID != e.ID || again.Time != e.Time {
				t.Errorf("%q is written as %s: %v", text, Append(nil, &e), err)
			}
		}
	})
}

// The log of a clone may have a brace pattern that expands to 2^40 others.
func TestAPatternWithManyBracesCostsBoundedWork(t *testing.T) {
	pattern := strings.Repeat("{a,a}", 40) + "b"
	d := Decision{Paths: []string{pattern}}
	if d.Governs(strings.Repeat("a", 40)) {
		t.Error("it governs a file that it does not match")
	}
	if _, err := cleanPaths(&[]string{pattern}); err == nil {
		t.Error("it is taken")
	}
	if d := (Decision{Paths: []string{"src/{a,b}"}}); !d.Governs("src/b/c.ts") || d.Governs("src/c") {
		t.Error("a pattern with few does not govern what it should")
	}
}
