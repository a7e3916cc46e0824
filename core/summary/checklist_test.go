package summary_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// compacted is a compaction of a session: where it happened, and the first entry that was
// kept.
type compacted struct {
	*session
	name, cut string
	before    []*message.Node // the path up to cut
	since     int             // the first of before that the compaction before it kept
	previous  string          // its summary
}

// eachCompaction runs f for every compaction of the recorded sessions and of the others,
// and for one at the end of each.
func eachCompaction(t *testing.T, f func(t *testing.T, c *compacted)) {
	for _, file := range append(others(t), sessionFiles(t)...) {
		s := read(t, file)
		end := s.leaf
		for i := range s.tree.Nodes {
			if n := &s.tree.Nodes[i]; n.Type == message.EntryCompaction {
				s.leaf = n.ParentID
				run(t, s, fmt.Sprintf("%.9s at %s", filepath.Base(file), n.ID), n.FirstKept, f)
			}
		}
		s.leaf = end
		if cut := s.piCut(); cut != "" {
			run(t, s, fmt.Sprintf("%.9s at its end", filepath.Base(file)), cut, f)
		}
	}
}

func run(t *testing.T, s *session, name, cut string, f func(t *testing.T, c *compacted)) {
	t.Helper()
	c := &compacted{session: s, name: name, cut: cut}
	at := make(map[string]int)
	path := s.tree.Path(s.leaf)
	if !slices.ContainsFunc(path, func(n *message.Node) bool { return n.ID == cut }) {
		c.cut = "" // nothing was kept
	}
	for i, n := range path {
		if n.ID == c.cut {
			break
		}
		at[n.ID] = i
		c.before = append(c.before, n)
		if n.Type == message.EntryCompaction {
			c.since, c.previous = at[n.FirstKept], string(n.AppendBody(nil, s.lines[n.ID]))
		}
	}
	if len(s.branch(t, c.cut).Units) > 1 {
		t.Run(name, func(t *testing.T) { f(t, c) })
	}
}

// text is the text of an entry.
func (c *compacted) text(n *message.Node) string {
	return strings.TrimSpace(string(n.AppendBody(nil, c.lines[n.ID])))
}

// prompts are what the user said that is more than two words.
func (c *compacted) prompts() []string {
	var out []string
	for _, n := range c.before {
		if n.Type == message.EntryMessage && n.Message.Role == message.RoleUser {
			out = append(out, c.text(n))
		}
	}
	var kept []string
	for i, p := range out {
		if i == len(out)-1 || len(strings.Fields(p)) > 2 {
			kept = append(kept, p)
		}
	}
	return kept
}

// holdsPrompt reports whether a text has a prompt word for word, or as much of it as
// no cut to one line would leave.
func holdsPrompt(text, prompt string) bool {
	return strings.Contains(text, prompt) || len(prompt) > 700 && strings.Contains(text, prompt[:700])
}

// changed are the paths of files that were edited or written.
func (c *compacted) changed() []string {
	var out []string
	for _, n := range c.before {
		for _, call := range n.Message.Calls {
			if call.Name == "edit" || call.Name == "write" {
				if _, rest, ok := strings.Cut(string(call.Arguments), `"path":"`); ok {
					path, _, _ := strings.Cut(rest, `"`)
					out = append(out, path)
				}
			}
		}
	}
	return out
}

// failing is the last command that failed with an error of several words and was not run again, alone or
// among others, "" if there is none.
func (c *compacted) failing() string {
	commands, last := make(map[string]string), ""
	for _, n := range c.before {
		for _, call := range n.Message.Calls {
			if _, rest, ok := strings.Cut(string(call.Arguments), `"command":"`); ok && call.Name == "bash" {
				command, _, _ := strings.Cut(rest, `"`)
				commands[call.ID] = command
				if last != "" && strings.Contains(command, last) { // with others around it too
					last = ""
				}
			}
		}
		if h := &n.Message; h.IsError && h.ToolName == "bash" && strings.Contains(c.text(n), "rror: ") {
			last = commands[h.ToolCallID]
		}
	}
	return last
}

// checkFrame checks what stands in a context whoever writes the summaries.
func (c *compacted) checkFrame(t *testing.T, text string) {
	t.Helper()
	prompts := c.prompts()
	if len(prompts) > 0 {
		if !holdsPrompt(text, prompts[0]) {
			t.Errorf("the task is not there: %.300q", prompts[0])
		}
		if last := prompts[len(prompts)-1]; !holdsPrompt(text, last) {
			t.Errorf("what the user asked last is not there: %.300q", last)
		}
	}
	if !strings.Contains(text, "(and others)") {
		for _, path := range c.changed() {
			must.Contain(t, text, path, "a changed file is not there")
		}
	}
	if f := c.failing(); f != "" && !strings.Contains(text, "### Commands that failed") {
		t.Errorf("no failing command is there, not even %q", f)
	}
	if begin := strings.TrimSpace(c.previous); begin != "" && !strings.Contains(text, strings.ReplaceAll(begin[:min(len(begin), 600)], "\r", "")) {
		t.Errorf("the summary before is not there: %.200q", begin)
	}
}

// Without a model, the text that replaces the messages has everything on the list: the
// task, the latest request, all prompts where there is room, decisions, what was done,
// changed files, failing commands, the summary before, and the newest span in full.
func TestEveryCompactionWithoutAModelKeepsTheChecklist(t *testing.T) {
	eachCompaction(t, func(t *testing.T, c *compacted) {
		b := c.branch(t, c.cut)
		m := &memory{}
		o := summary.Options{Now: (&clock{}).now}
		work(t, m, b, o, nil)
		cover := b.Cover(m.nodes)
		text := assembled(t, b, m.nodes)
		if n := tokensOf(text); n > summary.DefaultBudget {
			t.Errorf("%d tokens", n)
		}
		c.checkFrame(t, text)
		prompts := c.prompts()
		if all := strings.Join(prompts, "\n"); tokensOf(all)+token.Count(15*len(prompts)) < 1500 {
			for _, p := range prompts {
				must.Contain(t, text, p, "a prompt is not there")
			}
		}
		if newest := cover.Roots[len(cover.Roots)-1]; !strings.Contains(text, summary.Gist(newest.Text)) {
			t.Errorf("the newest span is not there in full: %.300s", newest.Text)
		}
	})
}

// With a model, the messages that the compaction drops are asked about once, for at most
// 1.2 times the bytes of pi's own request; the text that replaces them is at most 1,500
// tokens larger than what the model wrote, and has the task all the same.
func TestEveryCompactionWithAModelCostsWhatPisDoes(t *testing.T) {
	eachCompaction(t, func(t *testing.T, c *compacted) {
		b := must.Get(summary.ReadBranch(&c.tree, c.leaf, c.cut, summary.LimitsFor(summary.Options{}, 25_000), c.line))(t)
		m, sc := &memory{}, &scribe{}
		work(t, m, b, summary.Options{Models: []string{"session"}, Span: 1_000_000, Now: (&clock{}).now}, sc)
		if len(sc.asked) != 1 {
			t.Fatalf("%d requests", len(sc.asked))
		}
		own, plain := len(sc.asked[0].System)+len(sc.asked[0].Prompt), c.plainRequest()
		if own*10 > plain*12 {
			t.Errorf("a request of %d bytes, pi's own has %d", own, plain)
		}
		text := assembled(t, b, m.nodes)
		c.checkFrame(t, text)
		var written token.Count
		for _, r := range b.Cover(m.nodes).Roots {
			written += tokensOf(r.Text)
		}
		without, _, _ := strings.Cut(text, "\n<modified-files>")
		without, _, _ = strings.Cut(without, "\n<read-files>")
		if n := tokensOf(without); n > written+1500 {
			t.Errorf("%d tokens around a text of %d", n-written, written)
		}
	})
}

// plainRequest is at least how many bytes pi sends for the same compaction: its
// instructions, the summary before, the conversation with outputs cut.
func (c *compacted) plainRequest() int {
	const instructions, output = 1500, 2000
	n := instructions + len(c.previous)
	for _, node := range c.before[c.since:] {
		body := c.text(node)
		switch node.Message.Role {
		case message.RoleToolResult:
			n += len("[Tool result]: \n\n") + min(len(body), output)
		case message.RoleAssistant:
			n += len("[Assistant]: \n\n[Assistant tool calls]: \n\n") + len(body)
			n += node.Message.Content.Thinking
		case message.RoleSystem, message.RoleCompactionSummary:
		default:
			n += len("[User]: \n\n") + len(body)
		}
	}
	return n
}
