package commands

import (
	"bufio"
	"bytes"
	"runtime/debug"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

// fixedNow is the clock of tests.
func fixedNow() time.Time { return time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC) }

func TestTheVersionIsTheFirstThatIsKnown(t *testing.T) {
	t.Parallel()
	const revision = "0123456789abcdef0123"
	build := func(version string, settings ...string) *debug.BuildInfo {
		b := &debug.BuildInfo{Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			b.Settings = append(b.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return b
	}
	for _, tt := range []struct {
		name     string
		injected string
		info     *debug.BuildInfo
		want     versionInfo
	}{
		{"nothing is known", "", nil, versionInfo{Version: "development"}},
		{"nothing is in the build", "", build(""), versionInfo{Version: "development"}},
		{"built in the module", "", build("(devel)"), versionInfo{Version: "development"}},
		{"a release", "1.2.3", nil, versionInfo{Version: "1.2.3"}},
		{"a release wins over the module", "1.2.3", build("v0.9.0", "vcs.revision", revision), versionInfo{Version: "1.2.3", Revision: revision}},
		{"go install", "", build("v0.9.0"), versionInfo{Version: "v0.9.0"}},
		{"the module wins over the revision", "", build("v0.9.0", "vcs.revision", revision), versionInfo{Version: "v0.9.0", Revision: revision}},
		{"a checkout", "", build("(devel)", "vcs.revision", revision), versionInfo{Version: "0123456789ab", Revision: revision}},
		{"a changed checkout", "", build("(devel)", "vcs.revision", revision, "vcs.modified", "true"), versionInfo{Version: "0123456789ab-dirty", Revision: revision, Modified: true}},
		{"a short revision", "", build("", "vcs.revision", "0123"), versionInfo{Version: "0123", Revision: "0123"}},
	} {
		if diff := cmp.Diff(tt.want, resolveVersion(tt.injected, tt.info)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestColourIsForTerminalsUnlessAskedFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		flag     string
		terminal bool
		environ  []string
		want     bool
	}{
		{"a pipe", "auto", false, nil, false},
		{"a terminal", "auto", true, nil, true},
		{"a terminal without colour", "auto", true, []string{"TERM=dumb"}, false},
		{"CLICOLOR=0", "auto", true, []string{"CLICOLOR=0"}, false},
		{"CLICOLOR=1 does not force", "auto", false, []string{"CLICOLOR=1"}, false},
		{"NO_COLOR", "auto", true, []string{"NO_COLOR=1"}, false},
		{"NO_COLOR=0 is set", "auto", true, []string{"NO_COLOR=0"}, false},
		{"an empty NO_COLOR is not set", "auto", true, []string{"NO_COLOR="}, true},
		{"CLICOLOR_FORCE", "auto", false, []string{"CLICOLOR_FORCE=1"}, true},
		{"CLICOLOR_FORCE=0", "auto", false, []string{"CLICOLOR_FORCE=0"}, false},
		{"NO_COLOR wins over CLICOLOR_FORCE", "auto", true, []string{"CLICOLOR_FORCE=1", "NO_COLOR=1"}, false},
		{"the flag wins over NO_COLOR", "always", false, []string{"NO_COLOR=1"}, true},
		{"the flag wins over CLICOLOR_FORCE", "never", true, []string{"CLICOLOR_FORCE=1"}, false},
		{"the last of two variables counts", "auto", true, []string{"NO_COLOR=1", "NO_COLOR="}, true},
	} {
		if got := wantColor(&Env{OutTerminal: tt.terminal, Environ: tt.environ}, tt.flag); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestPrintableNeutralisesWhatATerminalObeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "a\tb\nc é 漢 🎉", "a\tb\nc é 漢 🎉"},
		{"escape", "\x1b[31mred", "\ufffd[31mred"},
		{"C1 control sequence", "\u009b31m", "\ufffd31m"},
		{"carriage return", "good\rbad", "good\ufffdbad"},
		{"bell, backspace, delete, nul", "\a\b\x7f\x00", "\ufffd\ufffd\ufffd\ufffd"},
		{"right-to-left override", "a\u202eb\u2066c\u2069", "abc"},
		{"zero width", "a\u200bb\u200cc\u200dd\ufeffe\u2060f", "abcdef"},
		{"bytes that are no text", "a\xffb", "a\ufffdb"},
	} {
		if got := text.Printable(tt.in); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestTimesAreLocalUnlessTheySayOtherwise(t *testing.T) {
	t.Parallel()
	local := func(y int, m time.Month, d, h, min, s int) int64 {
		return time.Date(y, m, d, h, min, s, 0, time.Local).UnixMilli()
	}
	ago := func(d time.Duration) int64 { return fixedNow().Add(-d).UnixMilli() }
	a := &app{env: &Env{Now: fixedNow}}
	for in, want := range map[string]int64{
		"":                          0,
		"2026-03-01":                local(2026, 3, 1, 0, 0, 0),
		"2026-03-01 09:30":          local(2026, 3, 1, 9, 30, 0),
		"2026-03-01T09:30":          local(2026, 3, 1, 9, 30, 0),
		"2026-03-01T09:30:05":       local(2026, 3, 1, 9, 30, 5),
		"2026-03-01T09:30+01:00":    time.Date(2026, 3, 1, 8, 30, 0, 0, time.UTC).UnixMilli(),
		"2026-03-01T09:30:00Z":      time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC).UnixMilli(),
		"2026-03-01T09:30:00.25Z":   time.Date(2026, 3, 1, 9, 30, 0, 250e6, time.UTC).UnixMilli(),
		"2026-03-01T09:30:00+05:30": time.Date(2026, 3, 1, 4, 0, 0, 0, time.UTC).UnixMilli(),
		"90m":                       ago(90 * time.Minute),
		"2h":                        ago(2 * time.Hour),
		"3d":                        ago(72 * time.Hour),
		"1.5d":                      ago(36 * time.Hour),
		"2w":                        ago(14 * 24 * time.Hour),
		"1h30m":                     ago(90 * time.Minute),
	} {
		if got, err := a.moment(in); err != nil || got != want {
			t.Errorf("moment %q: %d, %v; want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"yesterday", "2026-13-01", "2026-02-30", "-2h", "3", "d", "3 d", "1e99d", "999999w"} {
		if got, err := a.moment(in); err == nil {
			t.Errorf("moment %q: %d, want an error", in, got)
		} else if code, hint := verdict(err); code != exitUsage || hint == "" {
			t.Errorf("moment %q: code %d, hint %q; want usage with a hint", in, code, hint)
		}
	}
}

func TestASnippetIsWrappedBetweenWordsAndItsMatchStaysWhole(t *testing.T) {
	t.Parallel()
	hit := func(before, match, after string) history.Hit {
		return history.Hit{Snippet: before + match + after, MatchStart: len(before), MatchEnd: len(before) + len(match)}
	}
	for _, tt := range []struct {
		name    string
		hit     history.Hit
		width   int
		context int
		query   string
		want    string
	}{
		{"all words of the query", hit("Aaaa of ", "bbbb", " ccccc of"), 0, 200, "aaaa of cccc", "    <Aaaa> of <bbbb> <cccc>c of\n"},
		{"no terminal", hit("aaa ", "bbb", " ccc"), 0, 200, "", "    aaa <bbb> ccc\n"},
		{"lines are folded", hit("a\n\n\tb ", "c", "\nd"), 0, 200, "", "    a b <c> d\n"},
		{"cut on both sides", hit("aaaa", "b", "cccc"), 0, 4, "", "    …aaaa<b>cccc…\n"},
		{"cut on neither", hit("aaa", "b", "ccc"), 0, 4, "", "    aaa<b>ccc\n"},
		{"wrapped", hit("one two three four ", "five", " six seven"), 28, 200, "", "    one two three four <five>\n    six seven\n"},
		{"the space itself is too much", hit("one two three four fives ", "six", ""), 28, 200, "", "    one two three four fives\n    <six>\n"},
		{"wrapped twice", hit("", "one two three four fives six seven eight nine ten eleven", ""), 28, 200, "", "    <one two three four fives\n    six seven eight nine ten\n    eleven>\n"},
		{"no space to wrap at", hit("", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", ""), 28, 200, "", "    <aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>\n"},
		{"a terminal too narrow to care", hit("one two three four ", "five", ""), 12, 200, "", "    one two three four <five>\n"},
		{"nothing to show", hit("", "", "after"), 0, 200, "", "    after\n"},
	} {
		var buf bytes.Buffer
		o := &out{Writer: bufio.NewWriter(&buf), color: true, width: tt.width}
		o.snippet(tt.hit, history.Query{Text: tt.query, Context: tt.context})
		o.Flush()
		got := bytes.ReplaceAll(buf.Bytes(), []byte("\x1b["+styleMatch+"m"), []byte("<"))
		got = bytes.ReplaceAll(got, []byte("\x1b[0m"), []byte(">"))
		if string(got) != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestSessionIDsAreCutWhereTheyStillDiffer(t *testing.T) {
	t.Parallel()
	const a, b, c = "01a1fe4b-1b39-7525-b782-4cc088284b4c", "01a1fe4b-c29c-7525-b782-4cc8ebe398e0", "01a1fe4b-1b39-8888-b782-4cc8ebe398e0"
	rows := []sqlite.SessionRow{{ID: a}, {ID: b}, {ID: "s-short"}, {ID: "s-shorter"}}
	if got := shortIDs(rows)(a) + " " + shortIDs(rows)("s-short"); got != "01a1fe4b-1b39 s-short" {
		t.Error(got)
	}
	if got := shortIDs(append(rows, sqlite.SessionRow{ID: c}))(a); got != a {
		t.Errorf("with another that begins the same: %s, want %s", got, a)
	}
	if got := shortIDs([]sqlite.SessionRow{{ID: a}})(a); got != "01a1fe4b-1b39" {
		t.Errorf("alone: %s", got)
	}
}

func TestATableIsAlignedAndCutWhereTheTerminalEnds(t *testing.T) {
	t.Parallel()
	rows := [][]string{{"NAME", "N", "TEXT"}, {"é", "1,000", "long long text"}}
	for width, want := range map[int]string{
		0:  "NAME      N  TEXT\né     1,000  long long text\n",
		27: "NAME      N  TEXT\né     1,000  long long text\n",
		26: "NAME      N  TEXT\né     1,000  long long te…\n",
	} {
		var buf bytes.Buffer
		o := &out{Writer: bufio.NewWriter(&buf), width: width}
		o.fittedTable(rows, 1)
		o.Flush()
		if buf.String() != want {
			t.Errorf("width %d: %q, want %q", width, &buf, want)
		}
	}
}

func TestProgressIsShownOnATerminalAfterAWhileAndErased(t *testing.T) {
	t.Parallel()
	now := fixedNow()
	var buf bytes.Buffer
	a := &app{env: &Env{Err: &buf, ErrTerminal: true, Now: func() time.Time { return now }}}
	p := a.progress("reading", 2000)
	p.add(500)
	if buf.Len() > 0 {
		t.Errorf("at once: %q, want nothing", &buf)
	}
	now = now.Add(400 * time.Millisecond)
	p.add(500)
	now = now.Add(10 * time.Millisecond)
	p.add(500)
	p.end()
	if want := "\rreading 1.0 KB of 2.0 KB (50 %)\x1b[K\r\x1b[K"; buf.String() != want {
		t.Errorf("%q, want %q", &buf, want)
	}
	buf.Reset()
	a.env.ErrTerminal = false
	p = a.progress("reading", 2000)
	now = now.Add(time.Second)
	p.add(500)
	p.end()
	if buf.Len() > 0 {
		t.Errorf("without a terminal: %q, want nothing", &buf)
	}
}
