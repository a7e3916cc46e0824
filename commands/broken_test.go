package commands

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/internal/must"
)

// brokenSession is a session of pi 1.6 that pictx e5d8e90e pruned within turns: the provider
// refused its last request, and would refuse every one to come.
const brokenSession = "../testdata/broken/early-edits.jsonl.gz"

// broken makes it the session of the agent, and returns its leaf.
func (p *piAgent) broken() (leaf string) {
	p.t.Helper()
	f := must.Get(os.Open(brokenSession))(p.t)
	defer f.Close()
	z := must.Get(gzip.NewReader(f))(p.t)
	text := must.Get(io.ReadAll(z))(p.t)
	p.plant(p.file, string(bytes.ReplaceAll(text, []byte("/home/dev/shop"), []byte(p.project))))
	s := p.open()
	p.id = s.Header.ID
	return s.Leaf()
}

// open opens the session for the rest of the test.
func (p *piAgent) open() *pi.Session {
	p.t.Helper()
	s := must.Get(pi.Open(p.file))(p.t)
	p.t.Cleanup(func() { s.Close() })
	return s
}

// invalid counts the responses at a leaf whose thinking is still there although something before
// it is not as it was when it was written. shortened counts the outputs that are not whole.
func (p *piAgent) invalid(leaf string) (invalid, shortened int) {
	p.t.Helper()
	s := p.open()
	said := func(items []message.Item) (all []string) { // without thinking, which may go from the beginning
		var parser message.Parser
		for i := range items {
			h, raw, err := items[i].Message(&parser, s.Line)
			if err != nil {
				p.t.Fatal(err)
			}
			text := string(h.Content.Span.Of(raw))
			if h.Role == message.RoleAssistant {
				if rest, ok := policy.WithoutThinking(&h, raw); ok {
					text = rest
				}
			}
			all = append(all, text)
		}
		return all
	}
	now := s.Context(leaf)
	for i := range now {
		h := now[i].Head
		if now[i].Edit != nil && h.Role == message.RoleToolResult && h.Content.Chars != now[i].Node.Message.Content.Chars {
			shortened++
		}
		if h.Role != message.RoleAssistant || message.Voided(h) || h.Content.ThinkingBlocks() == 0 {
			continue
		}
		if then := s.Context(now[i].Node.ParentID); !slices.Equal(said(then), said(now[:i])) {
			invalid++
		}
	}
	return invalid, shortened
}

// A session that was pruned within turns is valid again with the next prompt, and everything in it
// comes back when that is asked, in pi and at a shell.
func TestASessionThatWasPrunedWithinTurnsIsMended(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		mend  func(p *piAgent, leaf string) string
		whole bool // nothing stays pruned
	}{
		"the next prompt": {func(p *piAgent, leaf string) string {
			r := parseReply(p.t, p.once("before_agent_start", p.request("before_agent_start", leaf, map[string]any{"prompt": "x"})))
			return p.keepEdits(r, leaf)
		}, false},
		"/pictx restore all": {func(p *piAgent, leaf string) string {
			r := p.command(leaf, "pictx", "restore all")
			return p.keep(r, p.keepEdits(r, leaf))
		}, true},
		"prune --undo": {func(p *piAgent, _ string) string {
			p.must("prune", "--undo", "--yes", p.file)
			return p.open().Leaf()
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newAgent(t)
			leaf := p.broken()
			if invalid, shortened := p.invalid(leaf); invalid == 0 || shortened == 0 {
				t.Fatalf("%d responses are invalid, %d outputs are shortened: there is nothing to mend", invalid, shortened)
			}
			leaf = c.mend(p, leaf)
			invalid, shortened := p.invalid(leaf)
			must.Not(t, invalid > 0 || c.whole != (shortened == 0), "%d responses are invalid, %d outputs are shortened", invalid, shortened)
		})
	}
}

// Who uninstalls pictx is told which sessions it has pruned, and doctor of which thinking was left out.
func TestPrunedSessionsAreNamedByUninstallAndDoctor(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.file = filepath.Join(p.dir, "sessions", "--project--", "2026-11-28T10-00-00-000Z_s.jsonl")
	must.Do(t, os.MkdirAll(filepath.Dir(p.file), 0o700))
	leaf := p.broken()
	_, out := p.shell("uninstall", "--yes")
	want := "stays   what is pruned from 1 session; to bring it back in the newest: pictx prune --undo " + p.id
	must.Not(t, !strings.Contains(strings.Join(strings.Fields(out), " "), strings.Join(strings.Fields(want), " ")), "uninstall says %q, want %q", out, want)
	_, out = p.shell("doctor")
	must.Not(t, strings.Contains(out, "left thinking out"), "nothing was left out yet: %s", out)
	p.plant(p.file, string(p.bytes())+`{"type":"message","id":"dropped1","parentId":"`+leaf+`","timestamp":"2026-11-28T10:00:00.000Z","message":{"role":"assistant","content":[{"type":"text","text":"so"}],"api":"anthropic-messages","provider":"anthropic","model":"claude-opus-5-5","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2},"stopReason":"stop","timestamp":1795860000000,"diagnostics":[{"type":"anthropic_input_transformations","timestamp":1,"details":{"transformations":[{"type":"thinking_dropped","path":"messages.3.content.0","reason":"prefix_mismatch"}]}}]}}`+"\n")
	if _, out := p.shell("doctor"); !strings.Contains(out, "left thinking out of 1 request") || !strings.Contains(out, "hint: pictx prune --undo "+p.id) {
		t.Errorf("doctor says nothing of the thinking that was left out: %s", out)
	}
}

// bytes is the text of the session.
func (p *piAgent) bytes() []byte {
	p.t.Helper()
	return must.Get(os.ReadFile(p.file))(p.t)
}

// What is asked while a turn is running is done before the next one: a change within the turn
// would invalidate its thinking.
func TestWhatIsAskedWithinATurnWaitsForThePrompt(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.config(lowLimits)
	leaf := p.wholeSession("shop-fork.jsonl")
	command := func(name, args string) reply {
		return parseReply(t, p.once("command", p.request("command", leaf, map[string]any{"name": name, "args": args}, "idle", false)))
	}
	prompt := func() reply {
		return parseReply(t, p.once("before_agent_start", p.request("before_agent_start", leaf, map[string]any{"prompt": "x"})))
	}
	pruned, _ := p.forced(leaf)
	r := command("prune", "")
	edits := p.shortened(r)
	must.Stop(t, len(edits) > 0 || !strings.Contains(r.Result.Text, "waits for your next prompt"), "/prune changed %d outputs within the turn: %s", len(edits), r.Result.Text)
	leaf = p.keep(r, leaf)
	r = prompt()
	now := p.shortened(r)
	must.Not(t, len(now) < len(pruned), "%d outputs went with the prompt, want at least %d", len(now), len(pruned))
	leaf = p.keep(r, p.keepEdits(r, leaf))
	r = command("pictx", "restore all")
	must.Stop(t, len(r.Result.Entries) != 1 || !strings.Contains(r.Result.Text, "with your next prompt"), "/pictx restore all: %+v", r)
	leaf = p.keep(r, leaf)
	r = prompt()
	leaf = p.keep(r, p.keepEdits(r, leaf))
	if _, shortened := p.invalid(leaf); shortened > 0 {
		t.Errorf("%d outputs are still pruned", shortened)
	}
	again := prompt()
	must.Not(t, len(p.shortened(again)) > 0, "it is pruned again, although everything was restored")
}

// A model that copies a reference to pruned text into a call means the text.
func TestACallWithAReferenceToPrunedTextIsRefused(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	leaf := p.marked("Build.")
	for name, c := range map[string]struct {
		input   map[string]any
		refused bool
	}{
		"one of this session":      {map[string]any{"path": "a.go", "content": "package a\n// [pruned: write a[0].go (~300 tok); full text: pictx expand aaaa0001] }\n"}, true},
		"one to be removed":        {map[string]any{"path": "a.go", "oldText": "a [pruned: write a.go (~300 tok); full text: pictx expand aaaa0001]", "newText": "a"}, false},
		"the whole of an argument": {map[string]any{"path": "a.go", "content": "[pruned: write a.go (~300 tok); full text: pictx expand 0a1b2c3d]"}, true},
		"within a list":            {map[string]any{"path": "a.go", "edits": []any{map[string]any{"oldText": "[pruned: edit a.go (~30 tok); full text: pictx expand 0a1b2c3d]"}}}, true},
		"a text about one":         {map[string]any{"path": "a.go", "content": "the marker [pruned: write a.go (~300 tok); full text: pictx expand 0a1b2c3d] stands there"}, false},
		"none":                     {map[string]any{"path": "a.go", "content": "text"}, false},
	} {
		reply := p.once("tool_call", p.request("tool_call", leaf, map[string]any{"toolName": "write", "toolCallId": "c", "input": c.input}))
		refused := strings.Contains(reply, `"block":true`)
		must.Not(t, refused != c.refused, "%s: refused %v: %s", name, refused, reply)
	}
}
