package prune

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/workspace"
)

// work is replay of everything with the settings of a new configuration.
func work(t *testing.T, workers int) *replayWork {
	t.Helper()
	policies, err := choosePolicies(config.Resolve(config.Input{}).Config, replayOptions{})
	if err != nil {
		t.Fatal(err)
	}
	env := &cli.Env{Process: workspace.Process{Now: time.Now}, Err: &bytes.Buffer{}}
	return &replayWork{app: cli.NewRun(env), policies: policies, prices: token.Profiles(), detail: true, workers: workers}
}

// recorded are the sessions of testdata.
func recorded(t *testing.T) []string {
	t.Helper()
	dir, err := filepath.Abs("../../testdata/sessions")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) < 4 {
		t.Fatalf("there are %d sessions: %v", len(files), err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestReplayInParallelEqualsSequentialReplay(t *testing.T) {
	t.Parallel()
	files := recorded(t)
	one, many := replayAll(t, 1, files), replayAll(t, 4, files)
	if !reflect.DeepEqual(one, many) {
		t.Errorf("in a row and in parallel differ:\n%s", gocmp.Diff(asJSON(t, one), asJSON(t, many)))
	}
}

func TestReplayOfSeveralSessionsIsTheSumOfEach(t *testing.T) {
	t.Parallel()
	files := recorded(t)
	all := replayAll(t, 2, files)
	if all.Sessions != len(files) || len(all.PerSession) != len(files) {
		t.Fatalf("%d sessions of %d", all.Sessions, len(files))
	}
	calls := 0
	bills, better := make(map[string]float64), make(map[string]int)
	for i, f := range files {
		one := replayAll(t, 1, []string{f})
		calls += one.Calls
		if diff := gocmp.Diff(asJSON(t, one.PerSession[0]), asJSON(t, all.PerSession[i])); diff != "" {
			t.Errorf("%s (-alone +with others):\n%s", f, diff)
		}
		for _, p := range one.Policies {
			for name, b := range p.Prices {
				bills[p.Name+name] += b.Bill
				better[p.Name+name] += b.Better
				if b.WorstVsNone != b.BillVsNone || (b.Better == 1) != (b.BillVsNone < 0.99) || (b.Worse == 1) != (b.BillVsNone > 1.01) {
					t.Errorf("%s: %s, %s: %+v", f, p.Name, name, b)
				}
			}
		}
	}
	if all.Calls != calls {
		t.Errorf("%d calls, want %d", all.Calls, calls)
	}
	for _, p := range all.Policies {
		for name, b := range p.Prices {
			if math.Abs(b.Bill-bills[p.Name+name]) > 1e-6*b.Bill || b.Better != better[p.Name+name] {
				t.Errorf("%s, %s: %+v, want %v", p.Name, name, b, bills[p.Name+name])
			}
			if none := bills["none"+name]; math.Abs(b.BillVsNone-b.Bill/none) > 1e-9 {
				t.Errorf("%s, %s: %+v, want %v", p.Name, name, b, b.Bill/none)
			}
		}
	}
}

func TestPolicyNoneHasRatioOneEverywhere(t *testing.T) {
	t.Parallel()
	res := replayAll(t, 2, recorded(t))
	if res.Policies[0].Name != "none" {
		t.Fatalf("the first policy is %s", res.Policies[0].Name)
	}
	for name, b := range res.Policies[0].Prices {
		if b.BillVsNone != 1 || b.PruningVsNone != 1 || b.WorstVsNone != 1 || b.Better != 0 || b.Worse != 0 {
			t.Errorf("%s: %+v", name, b)
		}
	}
	for _, s := range res.PerSession {
		for name, b := range s.Policies[0].Prices {
			if b.BillVsNone != 1 || b.PruningVsNone != 1 {
				t.Errorf("%s, %s: %+v", s.File, name, b)
			}
		}
	}
}

func TestReplayCountsPrunedResultsUnderShownPrices(t *testing.T) {
	t.Parallel()
	w := work(t, 2)
	res, _ := w.run(context.Background(), recorded(t))
	for _, p := range res.Policies {
		results, tokens := 0, token.Count(0)
		for _, g := range p.Pruned {
			results, tokens = results+g.Results, tokens+g.Tokens
		}
		if results > p.PrunedResults || tokens > p.PrunedTokens || len(p.Pruned) > replay.MaxGroups || (results == 0) != (p.PrunedResults == 0) {
			t.Errorf("%s: %d results of %d, %d tokens of %d", p.Name, results, p.PrunedResults, tokens, p.PrunedTokens)
		}
	}
	w.shown = 4 // without a cache everything may go at once
	plain, _ := w.run(context.Background(), recorded(t))
	if plain.Profile != "none" || plain.Policies[4].TokensSent >= res.Policies[4].TokensSent {
		t.Errorf("%s: %d tokens, %d under %s", plain.Profile, plain.Policies[4].TokensSent, res.Policies[4].TokensSent, res.Profile)
	}
	if diff := gocmp.Diff(asJSON(t, res.Policies[4].Prices), asJSON(t, plain.Policies[4].Prices)); diff != "" {
		t.Errorf("the prices shown change the bills:\n%s", diff)
	}
}

func TestInterruptedReplayPrintsWhatIsDone(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	res, _ := work(t, 2).run(ctx, recorded(t))
	if !res.Interrupted || res.Sessions != 0 || len(res.Policies) != 5 {
		t.Errorf("%+v", res)
	}
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
			text = printedAt(columns, res, replayOptions{perSession: true})
			for _, line := range strings.Split(text, "\n") {
				if width := utf8.RuneCountInString(line); width > cmp.Or(columns, 100) {
					t.Errorf("at %d: %d columns: %s", columns, width, line)
				}
			}
			if !strings.Contains(text, "cost") || !strings.Contains(text, "vs none") || !strings.Contains(text, "$") {
				t.Errorf("at %d it does not say what the policies cost:\n%s", columns, text)
			}
		}
		if !strings.Contains(text, "not solve rates") {
			t.Errorf("it does not say what the figures are not:\n%s", text)
		}
		if chart := strings.Contains(text, "Context by request"); chart != (n == 1) {
			t.Errorf("%d sessions: chart %v", n, chart)
		}
	}
}

func TestReplayReportsForeignSystemPrompts(t *testing.T) {
	t.Parallel()
	const other = "1 session was recorded by another agent, with up to 13.0K tokens"
	own := printed(replayAll(t, 1, recorded(t)), replayOptions{})
	if strings.Contains(own, "another agent") {
		t.Errorf("sessions of pi:\n%s", own)
	}
	file := filepath.Join(t.TempDir(), "other.jsonl")
	text := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}
{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"12345678","timestamp":1000}}
{"type":"message","id":"00000002","parentId":"00000001","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"assistant","content":[],"provider":"p","model":"m","usage":{"input":13002,"output":1,"cacheRead":0,"cacheWrite":0},"stopReason":"stop","timestamp":2000}}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := printed(replayAll(t, 1, []string{file}), replayOptions{}); !strings.Contains(got, other) || !strings.Contains(got, "priced with 6,000") {
		t.Errorf("a session of another agent:\n%s", got)
	}
	w := work(t, 1)
	w.options.floor = 6000
	res, _ := w.run(context.Background(), []string{file})
	if got := printed(res, replayOptions{}); strings.Contains(got, "another agent") || res.PerSession[0].Policies[0].TokensSent != 6002 {
		t.Errorf("as if in pi:\n%s", got)
	}
}

func TestPriceFileAddsAndReplacesProfiles(t *testing.T) {
	t.Parallel()
	a := cli.NewRun(&cli.Env{Process: workspace.Process{Dir: t.TempDir()}})
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "prices.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	profiles, models, shown, err := choosePrices(a, replayOptions{profile: "mine", prices: write(`
[[profile]]
name = "mine"
read = 0.25
write = 1.5
ttl = 90
[[profile]]
name = "openai"
read = 0.5
ttl = "2h"
prefix = true
[[model]]
name = "my-model"
input = 2.5
`)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := profiles[shown], (token.Prices{Name: "mine", Read: 0.25, Write: 1.5, TTL: 90 * time.Second}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got, want := profiles[2], (token.Prices{Name: "openai", Read: 0.5, Write: 1, TTL: 2 * time.Hour, Prefix: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := bill.RateOf("my-model-3", models); got.PerMillion != 2.5 {
		t.Errorf("a model of the user's own costs %+v", got)
	}
	if n := len(profiles); n != len(token.Profiles())+1 {
		t.Errorf("%d profiles", n)
	}
	for text, want := range map[string]string{
		"profile = 1":                                  "incompatible types",
		"[[profile]]\nname = \"x\"\nrad = 1":           "unknown key profile.rad",
		"[[profile]]\nread = 1":                        "profile 1: it has no name",
		"[[profile]]\nname = \"x\"\nread = -1":         "profile 1: read is -1",
		"[[profile]]\nname = \"x\"\nwrite = 1e9":       "profile 1: write is 1e+09",
		"[[profile]]\nname = \"x\"\nttl = -5":          "profile 1: ttl is -5",
		"[[profile]]\nname = \"x\"\nttl = \"soon\"":    "profile 1: ttl is soon",
		"[[profile]]\nname = \"x\"\nttl = 1.5":         "profile 1: ttl is 1.5",
		"[[profile]]\nname = \"x\"\nttl = 99999999999": "profile 1: ttl is 99999999999",
		"[[profile]": "read prices",
		"":           "it has no [[profile]]",
	} {
		_, _, _, err := choosePrices(a, replayOptions{prices: write(text)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
			continue
		}
		if code, hint := workspace.Verdict(err); code != exit.Usage || hint == "" {
			t.Errorf("%q: exit code %d, hint %q", text, code, hint)
		}
	}
}

func TestChoosePoliciesFindsEveryName(t *testing.T) {
	t.Parallel()
	c := config.Resolve(config.Input{}).Config
	for _, name := range policyNames() {
		list, err := choosePolicies(c, replayOptions{policies: []string{name, name, "none"}})
		if err != nil || list[0].Name != "none" || list[len(list)-1].Name != name || len(list) > 2 {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
	if _, err := choosePolicies(c, replayOptions{policies: []string{"best"}}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("unknown policy %q", "best")) {
		t.Errorf("%v", err)
	}
}

func TestAblateLeavesOutOneRuleAtATime(t *testing.T) {
	list, err := choosePolicies(config.Resolve(config.Input{}).Config, replayOptions{ablate: true})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range list {
		names = append(names, p.Name)
	}
	want := "none, auto, without edited, without unchanged, without report, without command, without thinking, without replaced, " +
		"without cold, without warm, without tail, without ledger, without guard, without fetch, without named, without blind, without sooner, with arguments"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	for _, o := range []replayOptions{{ablate: true, check: true}, {ablate: true, policies: []string{"auto"}}} {
		if err := o.conflict(false); err == nil || !strings.Contains(err.Error(), "--ablate") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
