package recall_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/hooks/recall"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
	"github.com/coctostan/pictx/workspace/world"
)

// agent is an agent with one session, which sends events to the systems of recall.
type agent struct {
	t       *testing.T
	world   *world.World
	systems *hooks.Dispatcher
	file    string
	cwd     string
	config  string
	behind  *atomic.Int32
	noted   []hooks.Record
}

func newAgent(t *testing.T, export recall.ExportFunc) *agent {
	t.Helper()
	root := t.TempDir()
	a := &agent{t: t, file: filepath.Join(root, "s.jsonl"), cwd: filepath.Join(root, "project"), config: filepath.Join(root, "agent", "pictx.toml"), behind: new(atomic.Int32)}
	for _, dir := range []string{a.cwd, filepath.Dir(a.config)} {
		must.Do(t, os.Mkdir(dir, 0o700))
	}
	w := workspace.Workspace{Env: &workspace.Process{Dir: a.cwd, Now: time.Now, Environ: []string{"HOME=" + root, "PI_CODING_AGENT_DIR=" + filepath.Dir(a.config)}}}
	a.world = world.New(&w)
	t.Cleanup(func() { a.world.Close() })
	a.systems = &hooks.Dispatcher{
		Systems: []hooks.System{recall.History{Now: time.Now, Behind: a.behind, Blobs: a.world.ProjectBlobs}, recall.Summaries{Now: time.Now, Export: export}},
		World:   a.world, Deadline: time.Minute, Now: time.Now,
		Log: func(r hooks.Record) { a.noted = append(a.noted, r) },
	}
	a.write(
		`{"type":"session","version":3,"id":"s","timestamp":"2026-03-02T09:00:00.000Z","cwd":"`+a.cwd+`"}`,
		`{"type":"message","id":"ask","parentId":null,"timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"user","content":"where is the zebra kept?"}}`,
		`{"type":"message","id":"reply","parentId":"ask","timestamp":"2026-03-02T09:00:01.000Z","message":{"role":"assistant","content":[{"type":"text","text":"the zebra is in the stable"}],"stopReason":"stop"}}`,
	)
	return a
}

// write appends lines to the file of the session.
func (a *agent) write(lines ...string) {
	a.t.Helper()
	f, err := os.OpenFile(a.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(strings.Join(lines, "\n") + "\n")
	}
	if err != nil || f.Close() != nil {
		a.t.Fatal(err)
	}
}

// send sends an event and returns the reply and the line that was logged. Members are
// those of the request besides the usual ones.
func (a *agent) send(event string, payload any, members map[string]any) (hooks.Reply, hooks.Record) {
	a.t.Helper()
	body := map[string]any{"v": 1, "id": "1", "event": event, "cwd": a.cwd, "hasUI": true, "payload": payload, "session": map[string]any{"id": "s", "file": a.file, "leafId": "reply"}}
	for name, v := range members {
		body[name] = v
	}
	data := must.Get(json.Marshal(body))(a.t)
	r := must.Get(hooks.Parse(data))(a.t)
	reply, after := a.systems.Handle(a.t.Context(), r, int64(len(data)))
	if after != nil {
		after(a.t.Context(), func(...hooks.Effect) {})
	}
	if reply.Error != "" || len(a.noted) == 0 {
		a.t.Fatalf("%s: %+v", event, reply)
	}
	if reply.Result == nil {
		reply.Result = &hooks.Result{}
	}
	return reply, a.noted[len(a.noted)-1]
}

func (a *agent) tool(name, params string) *hooks.Result {
	a.t.Helper()
	r, _ := a.send(hooks.EventTool, map[string]any{"name": name, "toolCallId": "c", "params": json.RawMessage(params)}, nil)
	return r.Result
}

func (a *agent) command(args string, members map[string]any) hooks.Reply {
	a.t.Helper()
	r, _ := a.send(hooks.EventCommand, map[string]any{"name": "lcm", "args": args}, members)
	return r
}

func TestNothingIsDeclaredOrStoredWhenHistoryIsOff(t *testing.T) {
	t.Parallel()
	for _, enabled := range []bool{true, false} {
		c := config.Resolve(config.Input{Environ: []string{fmt.Sprint("PICTX_HISTORY_ENABLED=", enabled)}}).Config
		h := hooks.Hello{Timeouts: hooks.Timeouts{Events: map[string]int{}, Command: map[string]int{}, Tool: map[string]int{}}}
		recall.History{}.Declare(&c, &h)
		recall.Summaries{}.Declare(&c, &h)
		declared := len(h.Tools) == 3 && len(h.Commands) == 1 && slices.Contains(h.Wants, hooks.EventTurnEnd)
		if declared != enabled || !enabled && len(h.Tools)+len(h.Commands)+len(h.Wants) > 0 {
			t.Errorf("history.enabled = %v: %+v", enabled, h)
		}
	}
	a := newAgent(t, nil)
	must.Do(t, os.WriteFile(a.config, []byte("[history]\nenabled = false\n"), 0o600))
	if _, r := a.send(hooks.EventSessionStart, map[string]any{}, nil); r.Decision != "" {
		t.Errorf("logged %q", r.Decision)
	}
	if found, _ := filepath.Glob(filepath.Join(filepath.Dir(a.config), "pictx", "*", "*.db")); len(found) > 0 {
		t.Errorf("there is a store: %v", found)
	}
}

func TestSessionStartStoresWhatTheFileHasAndTurnEndWhatWasAdded(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	if _, r := a.send(hooks.EventSessionStart, map[string]any{}, nil); r.Decision != "stored 3 entries" { // the header is one
		t.Errorf("session_start logged %q", r.Decision)
	}
	if _, r := a.send(hooks.EventBeforeCompact, map[string]any{}, nil); strings.Contains(r.Decision, "stored") {
		t.Errorf("without new entries it logged %q", r.Decision)
	}
	a.write(`{"type":"message","id":"next","parentId":"reply","timestamp":"2026-03-02T09:01:00.000Z","message":{"role":"user","content":"and the giraffe?"}}`)
	a.send(hooks.EventTurnEnd, map[string]any{}, nil)
	if _, r := a.send(hooks.EventSessionShutdown, map[string]any{}, nil); r.Decision != "" {
		t.Errorf("turn_end left %q to session_shutdown", r.Decision)
	}
	a.write(`{"type":"message","id":"last","parentId":"next","timestamp":"2026-03-02T09:02:00.000Z","message":{"role":"user","content":"bye"}}`)
	if _, r := a.send(hooks.EventSessionShutdown, map[string]any{}, nil); r.Decision != "stored 1 entry" {
		t.Errorf("session_shutdown logged %q", r.Decision)
	}
	must.Contain(t, a.tool("lcm_grep", `{"query":"giraffe"}`).Text, "next", "what it says")
}

func TestToolsReadEntriesThatNoEventHasStoredYet(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	for _, tt := range []struct {
		name, params string
		want         string // in the text, or in the error if bad
		bad          bool
	}{
		{"lcm_grep", `{"query":"stable"}`, "reply", false},
		{"lcm_grep", `{"query":"stable","scope":"session"}`, "reply", false},
		{"lcm_grep", `{"query":"giraffe"}`, "", false},
		{"lcm_grep", `{}`, "lcm_grep", true},
		{"lcm_grep", `{"query":"(","mode":"regex"}`, "lcm_grep", true},
		{"lcm_expand", `{"id":"ask"}`, "where is the zebra kept?", false},
		{"lcm_expand", `{"id":"elsewhere"}`, "elsewhere", true},
		{"lcm_expand", `{}`, "lcm_expand", true},
		{"lcm_expand", `{"id":"s-0123456789ab","depth":"2","max_tokens":"900"}`, "s-0123456789ab", true},
		{"lcm_expand", `{"id":"s-0123456789ab","max_tokens":"many"}`, "max_tokens must be a number", true},
		{"lcm_describe", `{"section":"overview"}`, "", false},
		{"lcm_describe", `{"summary_id":"s-0123456789ab"}`, "s-0123456789ab", true},
		{"lcm_describe", `[1]`, "lcm_describe", true},
	} {
		got := a.tool(tt.name, tt.params)
		shown := got.Text
		if tt.bad {
			shown = got.Error
		}
		if (got.Error != "") != tt.bad || shown == "" || !strings.Contains(shown, tt.want) {
			t.Errorf("%s%s: text %q, error %q; want %q in it, an error: %v", tt.name, tt.params, got.Text, got.Error, tt.want, tt.bad)
		}
	}
}

// In a session that has everything, the others of the project are what there is to search. Its
// model cannot open a result with a tool, but in its shell.
func TestTheModelCanSearchOtherSessionsFromTheFirstRequestOn(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	stored := a.file
	a.file = filepath.Join(filepath.Dir(stored), "new.jsonl")
	a.write(
		`{"type":"session","version":3,"id":"new","timestamp":"2026-03-03T09:00:00.000Z","cwd":"`+a.cwd+`"}`,
		`{"type":"message","id":"begin","parentId":null,"timestamp":"2026-03-03T09:00:00.000Z","message":{"role":"user","content":"where were we with the giraffe?"}}`)
	now := map[string]any{"session": map[string]any{"id": "new", "file": a.file, "leafId": "begin"}}
	declared := func() hooks.Reply {
		a.send(hooks.EventSessionStart, map[string]any{}, now)
		r, _ := a.send(hooks.EventBeforeAgent, map[string]any{"first": true}, now)
		return r
	}
	if r := declared(); len(r.Active) > 0 {
		t.Fatalf("in a project without other sessions %v are declared", r.Active)
	}
	a.send(hooks.EventSessionStart, map[string]any{}, map[string]any{"session": map[string]any{"id": "s", "file": stored, "leafId": "reply"}})
	r := declared()
	if !slices.Equal(r.Active, []string{"lcm_grep"}) || len(r.Effects) == 0 {
		t.Fatalf("%v are declared, effects %+v", r.Active, r.Effects)
	}
	record := map[string]any{"type": "custom", "id": "tools", "parentId": "begin", "timestamp": "2026-03-03T09:00:02.000Z", "customType": r.Effects[0].CustomType, "data": r.Effects[0].Data}
	a.write(string(must.Get(json.Marshal(record))(t)))
	now["session"].(map[string]any)["leafId"] = "tools"
	for params, want := range map[string][]string{
		`{"query":["striped animals","where is the zebra kept"]}`: {`for "striped animals" or "where is the zebra kept" in all sessions of this project`, "pictx expand reply --lines 1-11"},
		`{"query":"zebra"}`:                               {"in all sessions of this project", "pictx expand reply"},
		`{"query":"zebra","scope":"session"}`:             {"Nothing found", "in this session"},
		`{"query":"giraffe","scope":"project"}`:           {"Nothing found"}, // the prompt that asks is no answer
		`{"query":"elephants of tall trunks in stables"}`: {"guesses"},
	} {
		body := map[string]any{"name": "lcm_grep", "toolCallId": "c", "params": json.RawMessage(params)}
		r, _ := a.send(hooks.EventTool, body, now)
		for _, w := range want {
			if got := r.Result.Text; !strings.Contains(got, w) || strings.Contains(got, "lcm_expand") {
				t.Errorf("%s: %s\nwant %q", params, got, w)
			}
		}
	}
	// So can the user, who sees of which session a result is.
	found := a.command("search zebra", now)
	if len(found.Ask) != 1 || !strings.Contains(found.Ask[0].Options[0].Label, "09:00Z  assistant  in where is the zebra kept?  the zebra is") {
		t.Fatalf("offers %+v", found.Ask)
	}
	now["replies"] = []map[string]any{{"id": "summaries.hit", "value": found.Ask[0].Options[0].Value}}
	must.Equal(t, a.command("search", now).Result.Text, "the zebra is in the stable", "shows")
}

func TestTheModelIsToldWhenTheProjectIsNotIndexedYet(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	must.Lack(t, a.tool("lcm_grep", `{"query":"zebra","scope":"project"}`).Text, "indexing", "when all is read")
	a.behind.Store(40)
	must.Contain(t, a.tool("lcm_grep", `{"query":"zebra","scope":"project"}`).Text, "indexing 60 %", "what it says")
}

func TestSearchAsksForWordsThenForAnEntryAndShowsIt(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	a.send(hooks.EventSessionStart, map[string]any{}, nil)
	answer := func(id string, value any) map[string]any {
		return map[string]any{"replies": []map[string]any{{"id": "summaries." + id, "value": value}}}
	}
	r := a.command("search", nil)
	if len(r.Ask) != 1 || r.Ask[0].ID != "summaries.query" || r.Ask[0].Kind != hooks.AskInput {
		t.Fatalf("asks %+v", r.Ask)
	}
	r = a.command("search", answer("query", " zebra "))
	if len(r.Ask) != 1 || r.Ask[0].ID != "summaries.hit" || len(r.Ask[0].Options) != 2 || r.Ask[0].Options[0].Value != "reply 1-11 s" {
		t.Fatalf("offers %+v", r.Ask)
	}
	r = a.command("search", answer("hit", "ask 1-11 s"))
	if r.Result.Text != "where is the zebra kept?" || r.Result.Show != "" {
		t.Errorf("shows %+v", r.Result)
	}
	for name, members := range map[string]map[string]any{
		"no words": answer("query", "  "), "no entry": answer("hit", ""), "a closed dialog": answer("query", nil),
	} {
		if r := a.command("search", members); len(r.Ask) > 0 || r.Result.Text != "" {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r := a.command("search giraffe", nil); len(r.Ask) > 0 || !strings.Contains(r.Result.Text, "giraffe") {
		t.Errorf("without results: %+v", r)
	}
	if r := a.command("search zebra", map[string]any{"hasUI": false}); len(r.Ask) > 0 || strings.Count(r.Result.Text, "\n") != 1 {
		t.Errorf("without a dialog: %+v", r)
	}
}

func TestCommandsCountDrawAndCompact(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	a.send(hooks.EventSessionStart, map[string]any{}, nil)
	for args, want := range map[string]string{"stats": "2 messages on this branch", "tree": "not summarised: 2 messages", "what": "/lcm search"} {
		must.Contain(t, a.command(args, nil).Result.Text, want, "/lcm %s", args)
	}
	r := a.command("compact keep the names", nil)
	if b, err := json.Marshal(r.Effects); err != nil || !strings.Contains(string(b), "keep the names") {
		t.Errorf("/lcm compact: %s, %v", b, err)
	}
	completion, _ := a.send(hooks.EventComplete, map[string]any{"name": "lcm", "prefix": "s"}, nil)
	var words []string
	for _, i := range completion.Result.Items {
		words = append(words, i.Value)
	}
	if strings.Join(words, " ") != "search stats" {
		t.Errorf("completes %q", words)
	}
}

func TestExportSaysWhichFileWasWrittenOrWhyNot(t *testing.T) {
	t.Parallel()
	var asked string
	a := newAgent(t, func(_ context.Context, _ *hooks.Call, s hooks.Session, _ summary.Reader, file string) (string, error) {
		asked = file
		must.Equal(t, len(s.Entries().Nodes), 3, "entries")
		if file == "there.md" {
			return "", os.ErrExist
		}
		return "/w/" + file, nil
	})
	a.send(hooks.EventSessionStart, map[string]any{}, nil)
	if r := a.command("export new.md", nil); asked != "new.md" || !strings.Contains(r.Result.Text, "/w/new.md") || r.Result.Level != "info" {
		t.Errorf("asked for %q: %+v", asked, r.Result)
	}
	if r := a.command("export there.md", nil); r.Result.Level != "error" || !strings.Contains(r.Result.Text, os.ErrExist.Error()) {
		t.Errorf("%+v", r.Result)
	}
}

// counted counts what is asked of the world, and of the storage of its projects.
type counted struct {
	hooks.World
	projects, stores int
}

func (w *counted) Project(ctx context.Context, r *hooks.Request) (*hooks.Project, error) {
	w.projects++
	p, err := w.World.Project(ctx, r)
	if err == nil {
		p.Ports = countedStorage{p.Ports, w}
	}
	return p, err
}

type countedStorage struct {
	hooks.Ports
	w *counted
}

func (s countedStorage) Store(ctx context.Context) (hooks.Stores, error) {
	s.w.stores++
	return s.Ports.Store(ctx)
}

func (s countedStorage) Search(ctx context.Context, scope string) (hooks.SearchStores, error) {
	s.w.stores++
	return s.Ports.Search(ctx, scope)
}

// docs/architecture.md walks both ways call by call.
func TestAResultGoesToDiskAndComesBackWithTheWorldAskedOnce(t *testing.T) {
	a := newAgent(t, nil)
	a.send(hooks.EventSessionStart, map[string]any{}, nil)
	world := &counted{World: a.world}
	a.systems.World = world
	a.write(`{"type":"message","id":"result","parentId":"reply","timestamp":"2026-03-02T09:00:02.000Z","message":{"role":"user","content":"the okapi is next to it"}}`)
	if _, log := a.send(hooks.EventTurnEnd, map[string]any{}, nil); log.Error != "" {
		t.Error(log.Error)
	}
	if world.projects != 1 || world.stores != 0 {
		t.Errorf("to disk: the project was asked for %d times, its storage %d times", world.projects, world.stores)
	}
	*world = counted{World: a.world}
	reply, _ := a.send(hooks.EventTool, map[string]any{"name": "lcm_expand", "toolCallId": "c", "params": map[string]any{"id": "result"}}, nil)
	if reply.Result == nil || !strings.Contains(reply.Result.Text, "okapi") {
		t.Fatalf("%+v", reply)
	}
	if world.projects != 1 || world.stores != 0 {
		t.Errorf("back: the project was asked for %d times, its storage %d times", world.projects, world.stores)
	}
}
