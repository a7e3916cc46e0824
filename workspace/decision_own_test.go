package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/jsonl"
)

// ownedLog is a project whose log has a number of lines.
func ownedLog(t *testing.T, lines int) *DecisionLog {
	t.Helper()
	root := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(root, ".git"), 0o700))
	a := &Workspace{Env: &Process{Dir: root, Environ: []string{"HOME=" + t.TempDir()}}}
	pl := must.Get(a.Here())(t)
	w := &DecisionLog{Workspace: a, Project: pl, Log: jsonl.OpenDecisions(pl.Root)}
	writeLog(t, w, logLines("0123456789abcdef", 0, lines))
	return w
}

func logLines(project string, from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, `{"v":1,"t":"2026-02-27T06:00:00.000Z","p":%q,"e":"a","i":"D-2026-02-27-%04d","d":{"ti":"x","tx":"x","tg":[],"s":"active","r":"x","sp":null,"c":[]},"u":"user"}`+"\n", project, i)
	}
	return b.String()
}

func writeLog(t *testing.T, w *DecisionLog, text string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(w.Log.Path()), 0o700))
	must.Do(t, os.WriteFile(w.Log.Path(), []byte(text), 0o600))
}

// A log that somebody else began does not become the user's own because the user changes it.
func TestChangingSomebodyElsesLogDoesNotMakeItOnesOwn(t *testing.T) {
	t.Parallel()
	w := ownedLog(t, 2)
	change := func() error { writeLog(t, w, logLines("0123456789abcdef", 0, 3)); return nil }
	if err := w.keepOwn(change); err != nil || w.Project.Began() {
		t.Errorf("somebody else's log is the user's own after a change: %v", err)
	}
	must.Do(t, os.Remove(w.Log.Path()))
	if err := w.keepOwn(change); err != nil || !w.Project.Began() {
		t.Errorf("a log that the user began is not their own: %v", err)
	}
}

// What is there after a change that failed was not written by it.
func TestAChangeThatFailsMakesNoLogOnesOwn(t *testing.T) {
	t.Parallel()
	w := ownedLog(t, 0)
	must.Do(t, os.Remove(w.Log.Path()))
	fails := errors.New("no")
	if err := w.keepOwn(func() error { writeLog(t, w, logLines("0123456789abcdef", 0, 3)); return fails }); !errors.Is(err, fails) {
		t.Fatal(err)
	}
	must.Not(t, w.Project.Began(), "it is the user's own")
}

// A log is the user's own in each of its states, whoever adds to it; another log is not.
func TestALogThatNeitherContinuesNorPrecedesOnesOwnIsNot(t *testing.T) {
	t.Parallel()
	const mine, other = "0123456789abcdef", "fedcba9876543210"
	for _, c := range []struct {
		text string
		own  bool
	}{
		{logLines(mine, 0, 1), true},
		{logLines(mine, 0, 3), true},
		{logLines(mine, 0, 9), true},
		{logLines(mine, 1, 2) + logLines(mine, 3, 4), false},
		{logLines(other, 0, 3), false},
		{logLines(other, 0, 1) + logLines(mine, 0, 3), false},
		{"", false},
	} {
		w := ownedLog(t, 3)
		w.Project.begin()
		writeLog(t, w, c.text)
		must.Equal(t, w.Project.Began(), c.own, "it is the user's own:\n%s", c.text)
	}
}
