package commands

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
)

// piAgent is an agent as pictx meets it: a directory, a project, a session.
type piAgent struct {
	t       *testing.T
	dir     string // agent directory
	project string
	file    string
	id      string // of the session
	args    []string
	can     []string
	trusted *bool
	// approved is that the user told the agent to trust the project for this run.
	approved bool
	environ  []string // besides what every agent has
	self     string   // the program's file
}

func newAgent(t *testing.T) *piAgent {
	t.Helper()
	root := t.TempDir()
	p := &piAgent{t: t, dir: filepath.Join(root, "agent"), project: filepath.Join(root, "project"), file: filepath.Join(root, "session.jsonl"), id: "session-1", can: []string{"contextEdit"}}
	for _, d := range []string{p.dir, p.project} {
		must.Do(t, os.MkdirAll(d, 0o700))
	}
	return p
}

// config writes the user's settings.
func (p *piAgent) config(text string) { p.settings("pictx.toml", text) }

// settings writes a file of settings in pi's directory.
func (p *piAgent) settings(name, text string) {
	p.t.Helper()
	must.Do(p.t, os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600))
}

// lowLimits prunes everything but the newest turn.
const lowLimits = "[prune]\npolicy = \"seed\"\n[prune.seed]\nminimum = 1\nprotect = 0\nprotected_turns = 1\n"

func (p *piAgent) env(in io.Reader, out io.Writer, args ...string) *cli.Env {
	return &cli.Env{
		Process:      workspace.Process{Dir: p.project, Now: time.Now, Self: p.self, Environ: append([]string{"HOME=" + p.dir, "PI_CODING_AGENT_DIR=" + p.dir, "PI_CODING_AGENT=true"}, p.environ...)},
		Args:         append(args, p.args...),
		In:           in,
		Out:          out,
		Err:          io.Discard,
		HookDeadline: time.Minute,
	}
}

// request is an event as the extension sends it.
func (p *piAgent) request(event, leaf string, payload any, more ...any) []byte {
	p.t.Helper()
	session := map[string]any{"id": p.id, "leafId": leaf}
	if p.file != "" {
		session["file"] = p.file
	}
	body := map[string]any{"id": "1", "event": event, "cwd": p.project, "hasUI": true, "can": p.can, "session": session, "payload": payload}
	if p.trusted != nil {
		body["trusted"] = *p.trusted
	}
	if p.approved {
		body["approved"] = true
	}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	data := must.Get(json.Marshal(body))(p.t)
	return append([]byte(`{"v":1,`), append(data[1:], '\n')...)
}

// once answers in a process of its own.
func (p *piAgent) once(event string, request []byte) string {
	p.t.Helper()
	var out bytes.Buffer
	code := p.process(context.Background(), event, request, &out)
	if code != 0 {
		p.t.Fatalf("exit code %d", code)
	}
	return out.String()
}

// process answers in a process of its own, and may be called from any goroutine.
func (p *piAgent) process(ctx context.Context, event string, request []byte, out io.Writer) (code int) {
	return Main(ctx, p.env(bytes.NewReader(request), out, "hook", event))
}

// served is pictx hook --serve under way.
type served struct {
	t   *testing.T
	in  *io.PipeWriter
	out *bufio.Reader
	end chan int
}

func (p *piAgent) serve() *served {
	p.t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &served{p.t, inW, bufio.NewReader(outR), make(chan int, 1)}
	go func() {
		s.end <- Main(context.Background(), p.env(inR, outW, "hook", "--serve"))
		outW.Close()
	}()
	if hello := s.line(); !strings.HasPrefix(hello, `{"hello":{"v":1,`) {
		p.t.Fatalf("hello: %s", hello)
	}
	return s
}

func (s *served) line() string {
	s.t.Helper()
	return must.Get(s.out.ReadString('\n'))(s.t)
}

// ask sends a request and returns its reply; pushes are passed over.
func (s *served) ask(request []byte) string {
	s.t.Helper()
	must.Get(s.in.Write(request))(s.t)
	for {
		if l := s.line(); strings.Contains(l[:min(len(l), 12)], `"id":`) {
			return l
		}
	}
}

func (s *served) stop() int {
	s.t.Helper()
	s.in.Close()
	go io.Copy(io.Discard, s.out)
	return <-s.end
}

type reply struct {
	Error  string
	Ask    []struct{ Title string }
	Result struct {
		Error, Text, Level string
		Details            struct{ IDs []string }
		Items              []struct{ Value, Description string }
		Entries            []struct {
			Type, TargetID, CustomType string
			Data                       json.RawMessage
			Replacement                json.RawMessage
		}
		Edits []struct {
			Index   int
			Content json.RawMessage
		}
	}
	Effects []struct {
		Type, Key, Text, CustomType string
		Data                        json.RawMessage
	}
	Next struct{ Context string }
}

// replySchema is the protocol's schema of replies.
var replySchema = sync.OnceValues(func() (*jsonschema.Resolved, error) {
	text, err := os.ReadFile("../hooks/schema/v1/reply.json")
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
})

// parseReply reads a reply, which must be as the protocol's schema says.
func parseReply(t *testing.T, text string) reply {
	t.Helper()
	schema := must.Get(replySchema())(t)
	var v any
	err := json.Unmarshal([]byte(text), &v)
	if err == nil {
		err = schema.Validate(v)
	}
	must.Stop(t, err != nil, "%v in %.500s", err, text)
	var r reply
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	return r
}

// play is a recorded session that is written again turn by turn. It calls fn at
// the end of every turn, which the model answers without a call, with the session's leaf.
func (p *piAgent) play(file string, fn func(leaf string)) {
	p.t.Helper()
	s := must.Get(pi.Open(file))(p.t)
	defer s.Close()
	p.id = s.Header.ID
	out := must.Get(os.Create(p.file))(p.t)
	defer out.Close()
	for i := range s.Nodes {
		n := &s.Nodes[i]
		line := must.Get(s.Line(n))(p.t)
		must.Get(fmt.Fprintf(out, "%s\n", line))(p.t)
		if n.Message.Role == message.RoleAssistant && len(n.Message.Calls) == 0 {
			fn(n.ID)
		}
	}
}

// Whether one process answers everything, another one each event, or the process
// is replaced at any time: the replies are the same, byte for byte.
func TestEveryTransportGivesTheSameReplies(t *testing.T) {
	t.Parallel()
	for _, can := range [][]string{{"contextEdit"}, {}} {
		one, many, killed := newAgent(t), newAgent(t), newAgent(t)
		rng := rand.New(rand.NewPCG(1, uint64(len(can))))
		var server, fragile *served
		edits := 0
		for _, p := range []*piAgent{one, many, killed} {
			p.config(lowLimits)
			p.can = can
		}
		server, fragile = many.serve(), killed.serve()
		many.project, killed.project = one.project, one.project
		many.file, killed.file = one.file, one.file
		one.play("../testdata/sessions/notes-1.5.jsonl", func(leaf string) {
			for _, event := range []string{"before_agent_start", "context", "before_agent_start"} {
				payload := map[string]any{"systemPromptHash": strings.Repeat("0", 64)}
				if event == "context" {
					payload = map[string]any{"keys": atPrompt(t, one.file, leaf)}
				}
				request := one.request(event, leaf, payload)
				want := one.once(event, request)
				if diff := cmp.Diff(want, server.ask(request)); diff != "" {
					t.Fatalf("%s at %s: serve differs\n%s", event, leaf, diff)
				}
				if rng.IntN(3) == 0 {
					fragile.stop()
					fragile = killed.serve()
				}
				if diff := cmp.Diff(want, fragile.ask(request)); diff != "" {
					t.Fatalf("%s at %s: a new process differs\n%s", event, leaf, diff)
				}
				r := parseReply(t, want)
				edits += len(r.Result.Entries) + len(r.Result.Edits)
			}
		})
		must.Not(t, edits == 0, "nothing was pruned: the test tests nothing")
		server.stop()
		fragile.stop()
	}
}

// keysAt are the keys of a context event at an entry.
func keysAt(t *testing.T, file, leaf string) []map[string]any {
	t.Helper()
	s := must.Get(pi.Open(file))(t)
	defer s.Close()
	var keys []map[string]any
	for i, it := range message.WithoutSystem(s.Context(leaf)) {
		k := map[string]any{"i": i, "role": it.Head.Role, "timestamp": it.Head.Timestamp}
		if it.Head.ToolCallID != "" {
			k["toolCallId"] = it.Head.ToolCallID
		}
		keys = append(keys, k)
	}
	return keys
}

// atPrompt are the keys of the first request after the user's next prompt, which is where an agent
// without context edits has its context changed.
func atPrompt(t *testing.T, file, leaf string) []map[string]any {
	t.Helper()
	keys := keysAt(t, file, leaf)
	return append(keys, map[string]any{"i": len(keys), "role": message.RoleUser, "timestamp": int64(1 << 41)})
}

// prunes reports whether a reply records a decision to prune. Thinking that became invalid is cleared
// even while nothing is pruned.
func prunes(r reply) bool {
	for _, e := range r.Result.Entries {
		if e.CustomType == "pictx.prune" && bytes.Contains(e.Data, []byte("prunable tokens")) { // the policy seed's reason
			return true
		}
	}
	return false
}

// wholeSession copies a recorded session and returns its leaf.
func (p *piAgent) wholeSession(name string) string {
	p.t.Helper()
	p.play("../testdata/sessions/"+name, func(string) {})
	s := must.Get(pi.Open(p.file))(p.t)
	defer s.Close()
	return s.Nodes[len(s.Nodes)-1].ID
}

func TestToolsFindTheEntriesOfTheLastTurn(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	leaf := p.wholeSession("shop-main.jsonl")
	s := p.serve()
	tool := func(name string, params any) reply {
		return parseReply(t, s.ask(p.request("tool", leaf, map[string]any{"name": name, "toolCallId": "c", "params": params})))
	}
	found := tool("lcm_grep", map[string]any{"query": "duplicate charge"})
	must.Stop(t, found.Result.Error != "" || len(found.Result.Details.IDs) == 0 || !strings.Contains(found.Result.Text, "duplicate"), "grep: %+v", found)
	x := tool("lcm_expand", map[string]any{"id": found.Result.Details.IDs[0]})
	must.Not(t, x.Result.Error != "" || !strings.Contains(x.Result.Text, found.Result.Details.IDs[0]), "expand: %+v", x)
	for name, params := range map[string]any{"lcm_grep": map[string]any{}, "lcm_expand": map[string]any{"id": "ffffffff"}} {
		r := tool(name, params)
		must.Not(t, r.Result.Error == "" || r.Error != "", "%s with bad arguments: %+v", name, r)
	}
	must.Equal(t, s.stop(), 0, "exit code")
}

// Holds prune 27.
func TestEditsNeverToldAreToldAgainWithTheSameBytes(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.config(lowLimits)
	leaf := p.wholeSession("notes-1.5.jsonl")
	first := parseReply(t, p.once("before_agent_start", p.request("before_agent_start", leaf, map[string]any{})))
	again := parseReply(t, p.once("before_agent_start", p.request("before_agent_start", leaf, map[string]any{})))
	must.Stop(t, len(first.Result.Entries) < 2 || !prunes(first), "first: %+v", first.Result.Entries)
	edits := func(r reply) map[string]string {
		byTarget := make(map[string]string)
		for _, e := range r.Result.Entries {
			if e.Type == "context_edit" {
				byTarget[e.TargetID] = string(e.Replacement)
			}
		}
		return byTarget
	}
	one, two := edits(first), edits(again)
	must.Not(t, len(one) == 0 || !maps.Equal(one, two), "%v became %v", one, two)
}

// keepMarks writes the marks of a reply into the session, as an agent without context edits does,
// and returns how many entries that were.
func (p *piAgent) keepMarks(r reply, leaf string) (n int) {
	p.t.Helper()
	for _, e := range r.Effects {
		if e.Type == "appendEntry" && e.CustomType == "pictx.marks" {
			p.append(`{"type":"custom","customType":"pictx.marks","data":%s,"id":"marks001","parentId":"%s"}`, e.Data, leaf)
			n++
		}
	}
	return n
}

// Holds prune 31.
func TestAnAgentWithoutContextEditsIsToldAllOfThemAndKeepsTheMarks(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.config(lowLimits)
	p.can = nil
	leaf := p.wholeSession("notes-0.73.jsonl")
	payload := map[string]any{"keys": atPrompt(t, p.file, leaf)}
	first := parseReply(t, p.once("context", p.request("context", leaf, payload)))
	must.Stop(t, len(first.Result.Edits) == 0 || first.Next.Context != "ask", "%+v", first)
	must.Stop(t, p.keepMarks(first, leaf) == 0, "no marks in %+v", first.Effects)
	again := parseReply(t, p.once("context", p.request("context", "marks001", payload)))
	must.Match(t, again.Result, first.Result, "again")
	for _, e := range again.Effects {
		must.Not(t, e.Type == "appendEntry", "again: %+v", e)
	}
	// On another machine, with another store, the session's own marks are enough.
	other := newAgent(t)
	other.config("[prune]\nmode = \"off\"\n")
	other.can = nil
	other.wholeSession("notes-0.73.jsonl")
	other.keepMarks(first, leaf)
	there := parseReply(t, other.once("context", other.request("context", "marks001", payload)))
	must.Match(t, there.Result, first.Result, "elsewhere")
}

func TestASessionInMemoryIsKeptWhileItGoesOn(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		p := newAgent(t)
		p.config(lowLimits + fmt.Sprintf("[history]\nephemeral = %v\n", keep))
		p.wholeSession("notes-1.5.jsonl")
		data := must.Get(os.ReadFile(p.file))(t)
		p.file, p.id = "", "session-1"
		var entries []json.RawMessage
		for _, l := range bytes.Split(bytes.TrimSpace(data), []byte("\n"))[1:] {
			entries = append(entries, l)
		}
		var last struct{ ID string }
		must.Do(t, json.Unmarshal(entries[len(entries)-1], &last))
		half := len(entries) / 2
		p.once("session_start", p.request("session_start", last.ID, map[string]any{"reason": "startup"}, "entries", entries[:half+3]))
		// Some come twice, because a reply was lost.
		r := parseReply(t, p.once("before_agent_start", p.request("before_agent_start", last.ID, map[string]any{}, "entries", entries[half:])))
		must.Stop(t, r.Error != "" || len(r.Result.Entries) == 0, "%+v", r)
		found := parseReply(t, p.once("tool", p.request("tool", last.ID, map[string]any{"name": "lcm_grep", "params": map[string]any{"query": "the"}})))
		must.Not(t, len(found.Result.Details.IDs) == 0, "nothing is found: %+v", found)
		p.once("session_shutdown", p.request("session_shutdown", last.ID, map[string]any{"reason": "quit"}))
		left, err := os.ReadDir(filepath.Join(p.dir, "pictx", "ephemeral"))
		must.Not(t, err != nil || len(left) > 0, "left behind: %v, %v", left, err)
		var out bytes.Buffer
		Main(t.Context(), p.env(strings.NewReader(""), &out, "sessions", "--json"))
		kept := strings.Contains(out.String(), `"session-1"`)
		must.Not(t, kept != keep, "ephemeral = %v: stored %v\n%s", keep, kept, out.String())
	}
}

func TestASessionIDThatCannotNameAFileIsRefused(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.file = ""
	for _, id := range []string{"../x", "a/b", "", ".hidden", strings.Repeat("x", 200), "a\x00b"} {
		r := parseReply(t, p.once("before_agent_start", p.request("before_agent_start", "", map[string]any{}, "session", map[string]any{"id": id}, "entries", []any{map[string]any{"type": "message", "id": "a"}})))
		must.Not(t, r.Error == "", "%q is taken", id)
	}
	_, err := os.Stat(filepath.Join(p.dir, "x.jsonl"))
	must.Not(t, err == nil, "a file was written outside")
}

// Holds prune 58.
func TestChangedSettingsApplyAtTheNextEvent(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.config("[prune]\nenabled = false\n")
	leaf := p.wholeSession("notes-1.5.jsonl")
	s := p.serve()
	defer s.stop()
	request := p.request("before_agent_start", leaf, map[string]any{})
	r := parseReply(t, s.ask(request))
	must.Stop(t, prunes(r), "%+v", r)
	p.config(lowLimits)
	r = parseReply(t, s.ask(request))
	must.Not(t, !prunes(r), "%+v", r)
}

func TestPruneCommandsPruneSwitchAndReport(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.config("# mine\n[prune]\npolicy = \"seed\"\n[prune.seed]\nminimum = 1000000\nprotect = 0\nprotected_turns = 1\n")
	leaf := p.wholeSession("notes-1.5.jsonl")
	command := func(name string) reply {
		r := parseReply(t, p.once("command", p.request("command", leaf, map[string]any{"name": name, "args": ""})))
		leaf = p.keepEdits(r, p.keep(r, leaf))
		return r
	}
	if r := command("prune-stats"); !strings.Contains(r.Result.Text, "Pruned from all further requests: 0 tool outputs.") || !strings.Contains(r.Result.Text, "\nNothing more is pruned automatically yet: ") || !strings.Contains(r.Result.Text, "< 1,000,000") {
		t.Errorf("stats: %+v", r)
	}
	for _, name := range []string{"prune", "prune-toggle"} { // a slip of the keyboard changes nothing
		r := p.command(leaf, name, "nonsense")
		must.Not(t, !strings.Contains(r.Result.Text, "nonsense") || len(r.Result.Entries) > 0, "/%s nonsense: %+v", name, r)
	}
	r := command("prune")
	must.Not(t, !strings.HasPrefix(r.Result.Text, "Pruned ") || len(r.Result.Entries) == 0, "prune: %+v", r)
	must.Lack(t, command("prune-stats").Result.Text, "requests: 0 tool outputs", "stats after it")
	must.Contain(t, command("prune-config").Result.Text, "prune.seed.minimum = 1000000  (", "config")
	settings := must.Get(os.ReadFile(filepath.Join(p.dir, "pictx.toml")))(t)
	for _, off := range []bool{true, false} {
		if r := command("prune-toggle"); strings.Contains(r.Result.Text, "switched off for this session") != off {
			t.Errorf("toggle: %s", r.Result.Text)
		}
		if r := command("prune"); strings.Contains(r.Result.Text, "switched off") != off || off && len(r.Result.Entries) > 0 {
			t.Errorf("prune, off %v: %+v", off, r)
		}
		for _, args := range [][]string{{"kota", "pruning"}, {"prune-config", ""}, {"prune-stats", ""}} {
			if r := p.command(leaf, args[0], args[1]); strings.Contains(r.Result.Text, "pruning is switched off for this session") != off {
				t.Errorf("/%s, off %v: %s", args[0], off, r.Result.Text)
			}
		}
	}
	now, err := os.ReadFile(filepath.Join(p.dir, "pictx.toml"))
	must.Not(t, err != nil || !bytes.Equal(now, settings), "the toggle of a session changed the settings: %s, %v", now, err)
}

// A process that was killed while it wrote leaves half a line: what comes after it
// is kept all the same, and what was cut comes again.
func TestAnUnfinishedLineOfASessionInMemorySpoilsNoOther(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.file = ""
	entry := func(id, text string) map[string]any {
		return map[string]any{"type": "message", "id": id, "parentId": nil, "message": map[string]any{"role": "user", "content": text, "timestamp": 1}}
	}
	send := func(entries ...any) {
		p.once("turn_end", p.request("turn_end", "aaaa0001", map[string]any{}, "entries", entries))
	}
	send(entry("aaaa0001", "firstword"), entry("aaaa0002", "secondword"))
	file := filepath.Join(p.dir, "pictx", "ephemeral", "session-1.jsonl")
	data := must.Get(os.ReadFile(file))(t)
	must.Do(t, os.WriteFile(file, data[:len(data)-20], 0o600))
	send(entry("aaaa0002", "secondword"), entry("aaaa0003", "thirdword"))
	kept := must.Get(pi.Open(file))(t)
	defer kept.Close()
	for _, id := range []string{"aaaa0001", "aaaa0002", "aaaa0003"} {
		must.Not(t, kept.Lookup(id) == nil, "%s is lost", id)
	}
}
