package history

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/transcript"
	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/report"
	"github.com/coctostan/pictx/workspace"
)

type exportOptions struct {
	format, html, output string
}

// ExportCommand returns the command pictx export.
func ExportCommand(a *cli.Run) *cobra.Command {
	o := exportOptions{format: "md"}
	cmd := cli.Command("export [SESSION]", "Write a session to a file: Markdown, HTML, JSON", "3 5 10 11 12", cli.SomeArgs(0, 1), func(ctx context.Context, args []string) error {
		return runExport(a, ctx, o, append(args, "")[0])
	})
	cmd.ValidArgsFunction = a.SessionWords
	f := cmd.Flags()
	cli.WordFlag(cmd, &o.format, "format", "what to write", "md", "json", "jsonl", "html")
	cli.NewFileFlag(f, &o.html, "html", "write a page to read in a browser to this `file`")
	cli.NewFileFlag(f, &o.output, "output", "write into this `file`")
	cmd.MarkFlagsMutuallyExclusive("html", "format")
	return cmd
}

func runExport(a *cli.Run, ctx context.Context, o exportOptions, session string) error {
	h, err := a.OpenSession(ctx, session)
	if err != nil {
		return err
	}
	defer h.Close()
	if o.html != "" {
		o.format = "html"
	}
	data, err := export(h, ctx, o.format)
	if err != nil {
		return err
	}
	return a.Deliver(cmp.Or(o.html, o.output), data)
}

// export returns the session in a format.
func export(h *workspace.Session, ctx context.Context, format string) ([]byte, error) {
	switch format {
	case "jsonl":
		return workspace.ExportLines(h)
	case "md", "json", "html":
		v, err := h.View(ctx)
		if err != nil {
			return nil, err
		}
		switch format {
		case "html":
			return exportHTML(h, ctx, v)
		case "json":
			return exportJSON(h, v)
		}
		return exportMarkdown(h, v)
	}
	return nil, exit.UsageError("pictx export --format md", "unknown format %q: want md, json, jsonl or html", format)
}

// HookExport writes the session of an agent to a file in the agent's directory.
func HookExport(ctx context.Context, c *hooks.Call, ses hooks.Session, st summary.Reader, file string) (string, error) {
	if file == "" {
		file = "session-" + filepath.Base(history.ShortSession(c.Session.ID)) + ".md" // an id is what a file says
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(c.CWD, file)
	}
	h := &workspace.Session{ID: c.Session.ID, Tree: ses.Entries(), Line: ses.Line, Summaries: st}
	data, err := export(h, ctx, strings.TrimPrefix(filepath.Ext(file), "."))
	if err != nil {
		return "", err
	}
	return file, cli.NewFile(file, data)
}

// exportedMessage is a message in an export.
type exportedMessage struct {
	ID    string `json:"id"`
	Role  string `json:"role"`
	Tool  string `json:"tool,omitempty"`
	Error bool   `json:"is_error,omitempty"`
	When  string `json:"time"`
	Text  string `json:"text"`
}

// callsIn returns the text of each call in a response.
func callsIn(e *message.Entry, raw []byte) []string {
	var out []string
	one := *e
	for _, b := range e.Message.Content.Blocks {
		if b.Kind == message.BlockToolCall {
			one.Message.Content.Blocks = []message.Block{b}
			out = append(out, string(one.AppendBody(nil, raw)))
		}
	}
	return out
}

// exportMarkdown returns the session as a Markdown document.
func exportMarkdown(h *workspace.Session, v *summary.View) ([]byte, error) {
	doc := report.MarkdownSession{ID: h.ID, CWD: h.Tree.Header.CWD, Begun: h.Tree.Header.Time, View: v, Left: leftText(leftOut(h, v))}
	for _, u := range v.Branch.Units {
		raw, err := h.Line(u.Node)
		if err != nil {
			return nil, err
		}
		m := report.MarkdownMessage{
			ID: u.ID, Tool: u.Message.ToolName, IsError: u.Message.IsError, Time: u.Time, Role: u.Message.Role, StopReason: u.Message.StopReason,
			Command: message.Unquote(u.Message.Command.Of(u.Body.Of(raw))), Thinking: u.Thinking(raw),
		}
		if m.Role == message.RoleAssistant {
			m.Text, m.Calls = u.Message.Text(u.Body.Of(raw)), callsIn(&u.Entry, raw)
		} else {
			m.Text = string(u.AppendBody(nil, raw))
		}
		doc.Messages = append(doc.Messages, m)
	}
	return doc.Bytes(), nil
}

// exportedSession is what export writes as JSON.
type exportedSession struct {
	Session   string            `json:"session"`
	CWD       string            `json:"cwd"`
	Started   string            `json:"started"`
	Messages  []exportedMessage `json:"messages"`
	LeftOut   int               `json:"left_out"`
	Summaries []summaryView     `json:"summaries"`
}

// leftOut counts the messages of a session that are not on the branch that is exported: on
// others, or connected to none.
func leftOut(h *workspace.Session, v *summary.View) int {
	n := -len(slices.DeleteFunc(slices.Clone(v.Branch.Units), func(u summary.Unit) bool { return u.Type != message.EntryMessage }))
	for i := range h.Tree.Nodes {
		if h.Tree.Nodes[i].Type == message.EntryMessage {
			n++
		}
	}
	return max(0, n)
}

// leftText says what an export leaves out, "" for nothing.
func leftText(n int) string {
	if n == 0 {
		return ""
	}
	return text.Count(n, "message") + " of this session not shown, because they are not on this branch: pictx export --format jsonl has all."
}

// exportJSON returns the session as a JSON document.
func exportJSON(h *workspace.Session, v *summary.View) ([]byte, error) {
	doc := exportedSession{h.ID, h.Tree.Header.CWD, text.KnownTime(h.Tree.Header.Time), []exportedMessage{}, leftOut(h, v), summaryLines(v)}
	for _, u := range v.Branch.Units {
		raw, err := h.Line(u.Node)
		if err != nil {
			return nil, err
		}
		doc.Messages = append(doc.Messages, exportedMessage{
			u.ID, string(u.Message.Role), u.Message.ToolName, u.Message.IsError, text.KnownTime(u.Time), string(u.AppendBody(nil, raw)),
		})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(doc)
	return b.Bytes(), err
}

// exportHTML returns the session as an HTML page.
func exportHTML(h *workspace.Session, ctx context.Context, v *summary.View) ([]byte, error) {
	marks, err := h.Marks(ctx)
	if err != nil {
		return nil, err
	}
	t, err := transcript.Read(h.Tree, h.Tree.Leaf(), h.Line, marks)
	if err != nil {
		return nil, err
	}
	p := pageOf(h, v, t)
	p.Transcript = t
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// pageOf returns the page of a session without its messages.
func pageOf(h *workspace.Session, v *summary.View, t *transcript.Transcript) *report.SessionPage {
	return &report.SessionPage{
		Title: cmp.Or(fence.OneLine(t.Title, 120), "Session "+fence.OneLine(h.ID, 80)),
		Lead: strings.TrimSpace(fmt.Sprintf("Session %s in %s, started %s. %s",
			fence.OneLine(h.ID, 80), fence.OneLine(h.Tree.Header.CWD, 0), text.LocalMinute(h.Tree.Header.Time), leftText(leftOut(h, v)))),
		View: v,
	}
}
