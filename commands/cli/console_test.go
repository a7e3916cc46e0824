package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/internal/must"
)

// viewed returns what a view makes of documents.
func viewed(t *testing.T, v View, documents string) (string, error) {
	t.Helper()
	var b strings.Builder
	if v == nil {
		v = whole{}
	}
	o := &Out{Writer: bufio.NewWriter(&b), JSON: true, view: v}
	var err error
	dec := jsontext.NewDecoder(strings.NewReader(documents), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for err == nil {
		var doc jsontext.Value
		if doc, err = dec.ReadValue(); err == nil {
			err = o.Document(doc)
		}
	}
	if errors.Is(err, io.EOF) {
		err = o.view.End(o)
	}
	err = errors.Join(err, o.Flush())
	return b.String(), err
}

func TestEveryDocumentBeginsWithTheVersionOfItsForm(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                           "",
		"{}":                         "{\"schema_version\":1}\n",
		"{ }\n":                      "{\"schema_version\":1 }\n",
		"{\"a\":[{}]}\n{\"b\":1}\n":  "{\"schema_version\":1,\"a\":[{}]}\n{\"schema_version\":1,\"b\":1}\n",
		"{\n  \"a\": 1\n}\n":         "{\"schema_version\":1,\n  \"a\": 1\n}\n",
		"[1,2]\n":                    "[1,2]\n",
		"{\"a\":1,\"a\":\"\xff\"}\n": "{\"schema_version\":1,\"a\":1,\"a\":\"\xff\"}\n",
		// What others wrote neither turns nor commands the text around it.
		"{\"a\":\"\u202egnp\u2069\u009b2J\x7fé\"}\n": "{\"schema_version\":1,\"a\":\"\\u202egnp\\u2069\\u009b2J\\u007fé\"}\n",
	} {
		got, err := viewed(t, nil, in)
		must.Not(t, got != want || err != nil, "%q: %q, %v; want %q", in, got, err, want)
	}
}

func TestQueriesPrintTextsAsTheyAreAndTheRestAsJSON(t *testing.T) {
	t.Parallel()
	const doc = `{"id":"a","n":9007199254740993,"x":0.5,"list":[{"v":1},{"v":2}],"text":"one\u001b[31m\ntwo"}`
	for _, tt := range []struct {
		name, query, in, want string
		terminal              bool
	}{
		{"a text", ".id", doc, "a\n", false},
		{"a large number", ".n", doc, "9007199254740993\n", false},
		{"results of one document", ".list[].v", doc, "1\n2\n", false},
		{"every document of a stream", ".a", "{\"a\":1}\n{\"a\":null}\n", "1\nnull\n", false},
		{"an object", "{id, x}", doc, "{\"id\":\"a\",\"x\":0.5}\n", false},
		{"the version", ".schema_version", doc, "1\n", false},
		{"nothing", "empty", doc, "", false},
		{"halt", "halt", doc, "", false},
		{"the environment", "env.LANG", doc, "C\n", false},
		{"what controls a terminal, into a file", ".text", doc, "one\x1b[31m\ntwo\n", false},
		{"what controls a terminal, at one", ".text", doc, "one\ufffd[31m\ntwo\n", true},
	} {
		q := must.Get(NewQuery(context.Background(), tt.query, []string{"LANG=C"}, tt.terminal))(t)
		got, err := viewed(t, q, tt.in)
		must.Not(t, got != tt.want || err != nil, "%s: %q, %v; want %q", tt.name, got, err, tt.want)
	}
}

func TestQueriesThatFailSayWhy(t *testing.T) {
	t.Parallel()
	for _, expression := range []string{".a[", "nothing(1)"} {
		_, err := NewQuery(context.Background(), expression, nil, false)
		must.Not(t, err == nil || !strings.HasPrefix(err.Error(), "parse --jq: "), "%s: %v", expression, err)
	}
	q := must.Get(NewQuery(context.Background(), ".a.b", nil, false))(t)
	got, err := viewed(t, q, "{\"a\":{\"b\":1}}\n{\"a\":2}\n{\"a\":{\"b\":3}}\n")
	must.Not(t, err == nil || !strings.HasPrefix(err.Error(), "apply --jq: ") || got != "1\n", "%q, %v; want what came before and the reason", got, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	q = must.Get(NewQuery(ctx, "last(range(1e12))", nil, false))(t)
	if _, err = viewed(t, q, "{}"); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

func TestTemplatesFormatDocuments(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	const doc = `{"id":"a","n":3000000,"x":0.5,"nil":null,"list":[{"v":1},{"v":"é漢"}],"text":"\u001b[31mred","at":"2026-03-08T11:00:00.000Z"}`
	for _, tt := range []struct {
		name, source, in, want string
		terminal               Terminal
	}{
		{"fields", "{{.id}} {{.n}} {{.x}}", doc, "a 3000000 0.5\n", Terminal{}},
		{"a comparison", "{{if gt .n 5}}many{{end}}", doc, "many\n", Terminal{}},
		{"nothing", "{{if lt .n 5}}few{{end}}", doc, "", Terminal{}},
		{"pluck and join", `{{join ", " (pluck "v" .list)}}`, doc, "1, é漢\n", Terminal{}},
		{"truncate by width", `{{truncate 3 "é漢字"}}`, doc, "é…\n", Terminal{}},
		{"a time ago", "{{timeago .at}}", doc, "2 days ago\n", Terminal{}},
		{"a time", `{{timefmt "2006" .at}}`, doc, "2026\n", Terminal{}},
		{"a colour", `{{color "red" .id}}`, doc, "\x1b[31ma\x1b[0m\n", Terminal{}},
		{"no colour", `{{autocolor "red" .id}}`, doc, "a\n", Terminal{}},
		{"a colour where there is one", `{{autocolor "bold" .id}}`, doc, "\x1b[1ma\x1b[0m\n", Terminal{Color: true}},
		{"a table of all documents", "{{tablerow .a .b}}", "{\"a\":\"漢字\",\"b\":1}\n{\"a\":\"x\",\"b\":null}\n{\"a\":\"y\",\"b\":2}", "漢字  1\nx\ny     2\n", Terminal{}},
		{"a table of one document", "{{range .list}}{{tablerow .v $.id}}{{end}}{{tablerender}}end", doc, "1    a\né漢  a\nend\n", Terminal{}},
		{"a table in a narrow terminal", "{{tablerow .id .text}}", doc, "a  \ufffd[3…\n", Terminal{Is: true, Width: 7}},
		{"what controls a terminal, into a file", "{{.text}}", doc, "\x1b[31mred\n", Terminal{}},
		{"what controls a terminal, at one", "{{.text}}", doc, "\ufffd[31mred\n", Terminal{Is: true}},
	} {
		tt.terminal.Now = func() time.Time { return now }
		v := must.Get(NewTemplate(tt.source, tt.terminal))(t)
		if got, err := viewed(t, v, tt.in); got != tt.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
	if _, err := NewTemplate("{{.id", Terminal{}); err == nil || !strings.HasPrefix(err.Error(), "parse --template: ") {
		t.Errorf("a template that is cut off: %v", err)
	}
	for _, source := range []string{`{{color "loud" .id}}`, "{{timeago .id}}", "{{join .id .id}}"} {
		v := must.Get(NewTemplate(source, Terminal{}))(t)
		_, err := viewed(t, v, doc)
		must.Not(t, err == nil || !strings.HasPrefix(err.Error(), "apply --template: "), "%s: %v", source, err)
	}
}

// A long name must not push every figure off a narrow terminal.
func TestALongFirstColumnMakesRoomForTheFigures(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"MODEL", "COST"}, {"anthropic/claude-opus-4-5", "$1.00"}, {"a name without a slash", "$2.00"}}
	want := "MODEL              COST\n…claude-opus-4-5  $1.00\na name without …  $2.00\n"
	must.Equal(t, aligned(rows, 23, 1), want, "got")
}

func TestColumnsWithoutRoomAreCutAtTheEndOfTheLine(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"policy", "cost", "saved", "sent", "note"}, {"none", "$145.44", "$0.00", "228M", "plain pi"}, {"auto", "$98.84", "$46.59"}}
	want := "policy     cost   saved…\n" +
		"none    $145.44   $0.00…\n" +
		"auto     $98.84  $46.59\n"
	must.Match(t, aligned(rows, 24, 1, 2, 3), want, "aligned")
	// A shortened id could not be used, so it is kept whole.
	rows = [][]string{{"DECISION", "STATUS", "SINCE", "TITLE"}, {"D-2026-11-26-0XCT", "active", "2026-11-26 23:29Z", "Header names are case-insensitive"}}
	got := aligned(rows, 64)
	must.Not(t, !strings.HasSuffix(got, "D-2026-11-26-0XCT  active  2026-11-26 23:29Z  Header names are …\n"), "%s", got)
}

func TestHungLinesAreIndented(t *testing.T) {
	t.Parallel()
	must.Equal(t, Hang("one two three four five six", 4, 24), "one two three four\n    five six", "got")
	must.Lack(t, Hang("one two three four five six", 4, 0), "\n", "what it says")
}

func TestTablesAreAsWideAsTheyLook(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"NAME", "N", "TEXT"}, {"漢字", "1,000", "long long text"}, {"\x1b[1mé\x1b[0m", "2", "🎉 x"}}
	for width, want := range map[int]string{
		0:  "NAME      N  TEXT\n漢字  1,000  long long text\n\x1b[1mé\x1b[0m         2  🎉 x\n",
		20: "NAME      N  TEXT\n漢字  1,000  long l…\n\x1b[1mé\x1b[0m         2  🎉 x\n",
	} {
		must.Match(t, aligned(rows, width, 1), want, "width %d", width)
	}
}
