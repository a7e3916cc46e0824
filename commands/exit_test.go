package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/clitest"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/workspace"
)

func TestEveryErrorHasItsCodeAndHint(t *testing.T) {
	t.Parallel()
	_, badRegex := history.CompileRegex("(", false)
	_, notTOML := config.Set([]byte("="), "prune.mode", "off")
	for _, tt := range []struct {
		name string
		err  error
		code int
		hint string // "" for none
	}{
		{"anything else", errors.New("disk on fire"), exit.Failed, ""},
		{"usage", exit.UsageError("pictx help", "bad"), exit.Usage, "pictx help"},
		{"with a hint", exit.WithHint(exit.Refused, "ask", errors.New("no")), exit.Refused, "ask"},
		{"silent", exit.Silent(exit.Partly), exit.Partly, ""},
		{"interrupted", context.Canceled, exit.Interrupted, ""},
		{"no store", sqlite.ErrNoStore, exit.NoProject, "pictx import"},
		{"busy", sqlite.ErrBusy, exit.Busy, "try again when the other process is done"},
		{"newer store", sqlite.ErrNewer, exit.Damaged, "update pictx"},
		{"older store", sqlite.ErrOlder, exit.Damaged, "pictx store migrate"},
		{"damaged store", sqlite.ErrDamaged, exit.Damaged, "pictx doctor"},
		{"unknown id", history.ErrNotFound, exit.NotFound, "for ids: pictx grep WORDS"},
		{"empty query", history.ErrEmptyQuery, exit.Usage, "pictx grep WORDS"},
		{"bad regex", badRegex, exit.Usage, "to take every character as it is: pictx grep WORDS"},
		{"ambiguous id", &history.AmbiguousError{Prefix: "a"}, exit.Usage, "give more of the id, or --session ID"},
		{"no session", history.ErrNoSession, exit.Failed, ""},
		{"unknown setting", config.Check("nothing", ""), exit.Usage, "pictx config list"},
		{"misspelt setting", config.Check("prune.polcy", ""), exit.Usage, "pictx config get prune.policy"},
		{"bad value", config.Check("prune.mode", "no"), exit.Usage, "pictx config get prune.mode"},
		{"file not editable", notTOML, exit.Usage, "pictx config edit"},
	} {
		for _, err := range []error{tt.err, fmt.Errorf("do it: %w", tt.err)} {
			if code, hint := workspace.Verdict(err); code != tt.code || hint != tt.hint {
				t.Errorf("%s: code %d, hint %q; want %d, %q", tt.name, code, hint, tt.code, tt.hint)
			}
		}
	}
}

// Holds history 75.
func TestErrorsAreOneBlockOfTextOrOneLineOfJSON(t *testing.T) {
	t.Parallel()
	err := exit.WithHint(exit.Refused, "pictx <x> & y", errors.New("open \x1b[31m store: no"))
	for _, tt := range []struct {
		name string
		err  error
		json bool
		want string
	}{
		{"text", err, false, "pictx: open \ufffd[31m store: no\nhint: pictx <x> & y\n"},
		{"json", err, true, `{"error":{"code":5,"message":"open \u001b[31m store: no","hint":"pictx <x> & y"}}` + "\n"},
		{"no hint", errors.New("no"), false, "pictx: no\n"},
		{"no hint as json", errors.New("no"), true, `{"error":{"code":1,"message":"no"}}` + "\n"},
		{"said already", exit.Silent(exit.Partly), false, ""},
		{"interrupted", context.Canceled, false, ""},
	} {
		var out bytes.Buffer
		reportError(&out, tt.err, tt.json)
		must.Not(t, out.String() != tt.want, "%s: %q, want %q", tt.name, &out, tt.want)
	}
}

func TestEveryCodeIsExplainedOnce(t *testing.T) {
	t.Parallel()
	last := -1
	for _, m := range exit.Meanings() {
		must.Not(t, m.Code <= last || m.Text == "", "code %d after %d with text %q: want rising codes with a text", m.Code, last, m.Text)
		last = m.Code
		must.Not(t, !strings.Contains(exitTopic(), fmt.Sprintf("  %-4d %s\n", m.Code, m.Text)), "pictx help exit-codes lacks %d", m.Code)
	}
}

func TestAnInterruptedCommandEndsWith130AndSaysNothing(t *testing.T) {
	t.Parallel()
	sessions := must.Get(filepath.Abs("../testdata/sessions"))(t)
	for _, args := range [][]string{{"import", sessions}, {"import", "--json", sessions}} {
		s := runIn(interrupted(), t.TempDir(), args...)
		must.Equal(t, s, outcome{code: exit.Interrupted}, "%v", args)
	}
}

func TestAPanicIsAnErrorWithoutAStackTrace(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]int{"version": exit.Failed, "hook context": exit.OK} {
		var errs bytes.Buffer
		env := &cli.Env{Process: workspace.Process{Now: clitest.Now}, Args: strings.Fields(args), In: panics{}, Out: panics{}, Err: &errs, HookDeadline: time.Minute}
		must.Equal(t, Main(t.Context(), env), want, "%s: code", args)
		must.Not(t, !strings.HasPrefix(errs.String(), "pictx: internal error: no stream\nhint: ") || strings.Contains(errs.String(), "goroutine"), "%s: stderr %q", args, &errs)
	}
}

// panics is a stream that does.
type panics struct{}

func (panics) Read([]byte) (int, error) { panic("no stream") }

func (panics) Write([]byte) (int, error) { panic("no stream") }
