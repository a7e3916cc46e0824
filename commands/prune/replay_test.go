package prune

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
)

// work is replay of everything with the settings of a new configuration.
func work(t *testing.T, workers int) *replayWork {
	t.Helper()
	policies, err := choosePolicies(config.Resolve(config.Input{}).Config, nil)
	must.Do(t, err)
	env := &cli.Env{Process: workspace.Process{Now: time.Now}, Err: &bytes.Buffer{}}
	worlds := append([]replay.World{replay.Own(&bill.Prices{Today: true})}, replay.Worlds()...)
	return &replayWork{app: cli.NewRun(env), policies: policies, worlds: worlds, series: true, workers: workers}
}

// recorded are the sessions of testdata.
func recorded(t *testing.T) []string {
	t.Helper()
	dir, err := filepath.Abs("../../testdata/sessions")
	must.Do(t, err)
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	must.Stop(t, err != nil || len(files) < 4, "there are %d sessions: %v", len(files), err)
	if testing.Short() {
		return files[1:3] // a long one, in which something is pruned, among them
	}
	return files
}

func replayAll(t *testing.T, workers int, files []string) *replay.Comparison {
	t.Helper()
	res, _ := work(t, workers).run(context.Background(), files)
	return res
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	must.Do(t, err)
	return string(b)
}

func TestReplayInParallelEqualsSequentialReplay(t *testing.T) {
	t.Parallel()
	files := recorded(t)
	one, many := replayAll(t, 1, files), replayAll(t, 4, files)
	must.Equal(t, gocmp.Diff(asJSON(t, one), asJSON(t, many)), "", "in a row and in parallel differ")
}

func TestReplayOfSeveralSessionsIsTheSumOfEach(t *testing.T) {
	t.Parallel()
	files := recorded(t)
	all := replayAll(t, 2, files)
	var requests, shared int
	bills := make([]float64, len(all.Worlds))
	for _, f := range files {
		one := replayAll(t, 1, []string{f})
		requests += one.Requests
		for j := range one.Worlds {
			w := &one.Policies[1].Worlds[j]
			bills[j] += w.Dollars
			if w.WorstVsNone != w.BillVsNone || (w.Better == 1) != (w.BillVsNone < 0.99) || (w.Worse == 1) != (w.BillVsNone > 1.01) {
				t.Errorf("%s, %s: %+v", f, w.World, w)
			}
		}
	}
	forks := !testing.Short() // a short run has none
	shared = all.SharedRequests
	if all.Sessions != len(files) || requests != all.Requests+shared || (shared > 0) != forks {
		t.Errorf("%d sessions, %d requests and %d of forks that another session has, want %d", all.Sessions, all.Requests, shared, requests)
	}
	for j := range all.Worlds {
		if w := &all.Policies[1].Worlds[j]; w.Dollars < bills[j]*(1-1e-9) != forks || w.Dollars < 0.5*bills[j] {
			t.Errorf("%s: $%v, each alone $%v: what forks share is billed once", w.World, w.Dollars, bills[j])
		}
		if none := &all.Policies[0].Worlds[j]; none.BillVsNone != 1 || none.WorstVsNone != 1 || none.Better+none.Worse != 0 {
			t.Errorf("%s: %+v", none.World, none)
		}
	}
}

func TestInterruptedReplayPrintsWhatIsDone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	res, _ := work(t, 2).run(ctx, recorded(t))
	must.Not(t, !res.Interrupted || res.Sessions != 0 || len(res.Policies) != 2, "%+v", res)
}

// printed is the text of a result.
func printed(res *replay.Comparison, o replayOptions) string { return printedAt(0, res, o) }

// printedAt is the text of a result on a terminal of the given width.
func printedAt(columns int, res *replay.Comparison, o replayOptions) string {
	var b bytes.Buffer
	w := &cli.Out{Writer: bufio.NewWriter(&b), Width: columns}
	replayText{w, res}.print(o)
	w.Flush()
	return b.String()
}

func TestReplayFitsAHundredColumnsAndATerminalOfFifty(t *testing.T) {
	t.Parallel()
	files := recorded(t)
	for _, n := range []int{1, len(files)} {
		res := replayAll(t, 2, files[len(files)-n:])
		var text string
		for _, columns := range []int{50, 0} {
			text = printedAt(columns, res, replayOptions{details: true})
			for _, line := range strings.Split(text, "\n") {
				width := utf8.RuneCountInString(line)
				must.Not(t, width > cmp.Or(columns, 100), "at %d: %d columns: %s", columns, width, line)
			}
			must.Not(t, !strings.HasPrefix(text, "With pictx, input costs $"), "at %d it does not begin with the answer:\n%s", columns, text)
			if !strings.Contains(text, "cost") || !strings.Contains(text, "vs none") || !strings.Contains(text, "$") {
				t.Errorf("at %d it does not say what the policies cost:\n%s", columns, text)
			}
		}
		must.Contain(t, text, "Solve rate not measured", "it does not say what the figures are")
	}
}

func TestReplayReportsForeignSystemPrompts(t *testing.T) {
	t.Parallel()
	const other = "1 session of another agent, with up to 13.0K tokens"
	own := strings.Join(strings.Fields(printed(replayAll(t, 1, recorded(t)), replayOptions{})), " ")
	must.Lack(t, own, "another agent", "sessions of pi")
	file := filepath.Join(t.TempDir(), "other.jsonl")
	text := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}
{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"12345678","timestamp":1000}}
{"type":"message","id":"00000002","parentId":"00000001","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"assistant","content":[],"provider":"p","model":"m","usage":{"input":13002,"output":1,"cacheRead":0,"cacheWrite":0},"stopReason":"stop","timestamp":2000}}
`
	must.Do(t, os.WriteFile(file, []byte(text), 0o600))
	got := strings.Join(strings.Fields(printed(replayAll(t, 1, []string{file}), replayOptions{})), " ")
	must.Not(t, !strings.Contains(got, other) || !strings.Contains(got, "priced with 6,000"), "a session of another agent:\n%s", got)
}

func TestChoosePoliciesFindsEveryName(t *testing.T) {
	t.Parallel()
	c := config.Resolve(config.Input{}).Config
	for _, name := range policyNames() {
		list, err := choosePolicies(c, []string{name, name, "none"})
		must.Not(t, err != nil || list[0].Name != "none" || list[len(list)-1].Name != name || len(list) > 2, "%s: %v, %v", name, list, err)
	}
	if _, err := choosePolicies(c, []string{"best"}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("unknown policy %q", "best")) {
		t.Errorf("%v", err)
	}
}
