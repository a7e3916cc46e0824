package cli

import (
	"bufio"
	"bytes"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/internal/clitest"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
)

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
		must.Equal(t, WantColor(&Env{Process: workspace.Process{Environ: tt.environ}, OutTerminal: tt.terminal}, tt.flag), tt.want, "%s", tt.name)
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
		must.Equal(t, text.Printable(tt.in), tt.want, "%s", tt.name)
	}
}

func TestTimesAreLocalUnlessTheySayOtherwise(t *testing.T) {
	t.Parallel()
	local := func(y int, m time.Month, d, h, min, s int) int64 {
		return time.Date(y, m, d, h, min, s, 0, time.Local).UnixMilli()
	}
	ago := func(d time.Duration) int64 { return clitest.Now().Add(-d).UnixMilli() }
	a, now := NewRun(&Env{Process: workspace.Process{Now: clitest.Now}}), clitest.Now().Local()
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
		"today":                     local(now.Year(), now.Month(), now.Day(), 0, 0, 0),
		"Yesterday":                 local(now.Year(), now.Month(), now.Day()-1, 0, 0, 0),
		"90m":                       ago(90 * time.Minute),
		"2h":                        ago(2 * time.Hour),
		"3d":                        ago(72 * time.Hour),
		"1.5d":                      ago(36 * time.Hour),
		"2w":                        ago(14 * 24 * time.Hour),
		"1h30m":                     ago(90 * time.Minute),
	} {
		got, err := a.Moment(in)
		must.Not(t, err != nil || got != want, "moment %q: %d, %v; want %d", in, got, err, want)
	}
	week, err := a.Moment("last week")
	at := time.UnixMilli(week)
	must.Not(t, err != nil || at.Weekday() != time.Monday || now.Sub(at) < 7*24*time.Hour || now.Sub(at) > 15*24*time.Hour, "last week began %v, %v", at, err)
	for _, in := range []string{"tomorrow", "2026-13-01", "2026-02-30", "-2h", "3", "d", "3 d", "1e99d", "999999w"} {
		if got, err := a.Moment(in); err == nil {
			t.Errorf("moment %q: %d, want an error", in, got)
		} else if code, hint := workspace.Verdict(err); code != exit.Usage || hint == "" {
			t.Errorf("moment %q: code %d, hint %q; want usage with a hint", in, code, hint)
		}
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
		o := &Out{Writer: bufio.NewWriter(&buf), Width: width}
		o.FittedTable(rows, 1)
		o.Flush()
		must.Not(t, buf.String() != want, "width %d: %q, want %q", width, &buf, want)
	}
}

func TestProgressIsShownOnATerminalAfterAWhileAndErased(t *testing.T) {
	t.Parallel()
	now := clitest.Now()
	var buf bytes.Buffer
	a := NewRun(&Env{Process: workspace.Process{Now: func() time.Time { return now }}, Err: &buf, ErrTerminal: true})
	p := a.Progress("reading", 2000)
	p.Add(500)
	must.Not(t, buf.Len() > 0, "at once: %q, want nothing", &buf)
	now = now.Add(400 * time.Millisecond)
	p.Add(500)
	now = now.Add(10 * time.Millisecond)
	p.Add(500)
	p.End()
	want := "\rreading 1.0 KB of 2.0 KB (50 %)\x1b[K\r\x1b[K"
	must.Not(t, buf.String() != want, "%q, want %q", &buf, want)
	buf.Reset()
	a.Env.ErrTerminal = false
	p = a.Progress("reading", 2000)
	now = now.Add(time.Second)
	p.Add(500)
	p.End()
	must.Not(t, buf.Len() > 0, "without a terminal: %q, want nothing", &buf)
}
