package care

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/internal/clitest"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/repo"
	"github.com/coctostan/pictx/workspace"
)

// judge runs doctor's look at the log on the given lines, oldest first.
func judge(t *testing.T, lines ...jsonl.LogEntry) *doctor {
	t.Helper()
	d := &doctor{Run: cli.NewRun(&cli.Env{Process: workspace.Process{Now: clitest.Now}}), Project: workspace.Project{AgentDir: t.TempDir()}}
	for _, e := range lines {
		must.Do(t, HookLog(d.AgentDir).Append(e))
	}
	d.hooks()
	return d
}

func TestFailuresOfTheLastDayAreAWarning(t *testing.T) {
	t.Parallel()
	line := func(ago time.Duration, result string) jsonl.LogEntry {
		return jsonl.LogEntry{Time: clitest.Now().Add(-ago), Event: "context", Session: "a", Ms: 3, Result: result, Error: "it " + result}
	}
	for name, c := range map[string]struct {
		lines []jsonl.LogEntry
		want  string // in the warning, "" for none
	}{
		"none":            {[]jsonl.LogEntry{line(time.Hour, jsonl.LogOK)}, ""},
		"given up":        {[]jsonl.LogEntry{line(time.Hour, jsonl.LogCancelled)}, ""},
		"two days ago":    {[]jsonl.LogEntry{line(48*time.Hour, jsonl.LogFailed)}, ""},
		"an hour ago":     {[]jsonl.LogEntry{line(time.Hour, jsonl.LogFailed), line(0, jsonl.LogOK)}, "1 failure within a day, the last "},
		"late and missed": {[]jsonl.LogEntry{line(48*time.Hour, jsonl.LogFailed), line(2, jsonl.LogLate), line(1, jsonl.LogMissed)}, "2 failures within a day"},
		"the last of all": {[]jsonl.LogEntry{line(2, jsonl.LogFailed), line(1, jsonl.LogMissed)}, "context missed it missed"},
	} {
		got := ""
		for _, check := range judge(t, c.lines...).found.Checks {
			if check.Result == resultWarning {
				got += check.Message + check.Hint
			}
		}
		must.Not(t, c.want == "" && got != "" || !strings.Contains(got, c.want), "%s: warning %q, want %q", name, got, c.want)
	}
}

func TestOnlyTheLastThousandLinesAreJudged(t *testing.T) {
	t.Parallel()
	var lines []jsonl.LogEntry
	for i := range 1200 {
		e := jsonl.LogEntry{Time: clitest.Now(), Event: "context", Ms: float64(i), Result: jsonl.LogOK}
		if i < 200 {
			e.Result = jsonl.LogFailed
		}
		lines = append(lines, e)
	}
	d := judge(t, lines...)
	if want := (jsonl.EventTimes{Event: "context", Calls: 1000, P50: 699, P95: 1149, Failed: 0}); len(d.found.Hooks) != 1 || d.found.Hooks[0] != want || len(d.found.Failures) > 0 {
		t.Errorf("times %+v, failures %v; want %+v and none", d.found.Hooks, d.found.Failures, want)
	}
}

func TestTheLastFailuresAreListedOldestFirst(t *testing.T) {
	t.Parallel()
	var lines []jsonl.LogEntry
	for i := range 9 {
		lines = append(lines, jsonl.LogEntry{Time: clitest.Now(), Event: "context", Result: jsonl.LogFailed, Error: fmt.Sprint(i)})
	}
	var got string
	for _, e := range judge(t, lines...).found.Failures {
		got += e.Error
	}
	must.Not(t, got != "45678", "failures %s, want the last five", got)
}

func TestALogThatCannotBeReadIsAWarning(t *testing.T) {
	t.Parallel()
	d := &doctor{Run: cli.NewRun(&cli.Env{Process: workspace.Process{Now: clitest.Now}}), Project: workspace.Project{AgentDir: t.TempDir()}}
	must.Do(t, os.MkdirAll(filepath.Join(HookLog(d.AgentDir).Dir, "hooks.jsonl"), 0o700))
	if d.hooks(); len(d.found.Checks) != 1 || d.found.Checks[0].Result != resultWarning {
		t.Errorf("%+v; want a warning", d.found.Checks)
	}
}

// TestAPiThatHangsIsKilledWithItsChildren has a pi whose child holds its output
// open for as long as a person would wait.
func TestAPiThatHangsIsKilledWithItsChildren(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pi, child := filepath.Join(dir, "pi"), filepath.Join(dir, "child")
	script := "#!/bin/sh\nsleep 600 &\necho $! > '" + child + ".new'\nmv '" + child + ".new' '" + child + "'\nwait\n"
	must.Do(t, os.WriteFile(pi, []byte(script), 0o755))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // once the child is there, that is the end
		for ctx.Err() == nil {
			if _, err := os.Stat(child); err == nil {
				cancel()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if _, _, err := repo.Outside(ctx, 5*time.Minute, os.Environ(), []string{pi, "--version"}, ""); err == nil {
		t.Error("it said its version")
	}
	pid := must.Get(os.ReadFile(child))(t)
	deadline := time.Now().Add(time.Minute)
	for alive(strings.TrimSpace(string(pid))) {
		must.Stop(t, time.Now().After(deadline), "its child %s is still there", pid)
		time.Sleep(10 * time.Millisecond)
	}
}

// alive reports whether a process runs. One that was killed and not yet waited for
// does not.
func alive(pid string) bool {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func TestAskingPiForItsVersionTimesOut(t *testing.T) {
	t.Parallel()
	pi := filepath.Join(t.TempDir(), "pi")
	must.Do(t, os.WriteFile(pi, []byte("#!/bin/sh\nsleep 600\n"), 0o755))
	_, _, err := repo.Outside(t.Context(), 50*time.Millisecond, os.Environ(), []string{pi, "--version"}, "")
	must.Not(t, err == nil || !strings.Contains(err.Error(), "longer than 50ms"), "error %v", err)
}
