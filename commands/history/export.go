package history

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
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
	var o exportOptions
	cmd := cli.Command("export [SESSION]", "Write a session to a file: Markdown, HTML, JSON", "3 5 10 11 12", cli.SomeArgs(0, 1), func(ctx context.Context, args []string) error {
		return runExport(a, ctx, o, append(args, "")[0])
	})
	cmd.ValidArgsFunction = a.SessionWords
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "md", "what to write: md, json, jsonl, html")
	cli.NewFileFlag(f, &o.html, "html", "write a page to read in a browser to this `file`")
	cli.NewFileFlag(f, &o.output, "output", "write into this `file`")
	a.CompleteWords(cmd, "format", exportFormats())
	cmd.MarkFlagsMutuallyExclusive("html", "format")
	return cmd
}

func exportFormats() []string { return []string{"md", "json", "jsonl", "html"} }

func runExport(a *cli.Run, ctx context.Context, o exportOptions, session string) error {
	h, err := a.OpenHistory(ctx, session)
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
func export(h *workspace.HistorySession, ctx context.Context, format string) ([]byte, error) {
	switch format {
	case "jsonl":
		return workspace.ExportLines(h)
	case "md", "json", "html":
		v, err := h.View(ctx)
		if err != nil {
			return nil, err
		}
		if format == "html" {
			return exportHTML(h, ctx, v)
		}
		write := map[string]func(*workspace.HistorySession, *summary.View) ([]byte, error){"md": exportMarkdown, "json": exportJSON}
		return write[format](h, v)
	}
	return nil, exit.UsageError("pictx export --format md", "unknown format %q: want md, json, jsonl or html", format)
}

// HookExport writes the session of an agent to a file in the agent's directory.
func HookExport(ctx context.Context, c *hooks.Call, ses hooks.Session, st summary.Reader, file string) (string, error) {
	if file == "" {
		file = "session-" + history.ShortSession(c.Session.ID) + ".md"
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(c.CWD, file)
	}
	h := &workspace.HistorySession{Id: c.Session.ID, Tree: ses.Entries(), Line: ses.Line, Summaries: st}
	data, err := export(h, ctx, strings.TrimPrefix(filepath.Ext(file), "."))
	if err != nil {
		return "", err
	}
	return file, cli.NewFile(file, data)
}

// exportedMessage is a message in an export.
type exportedMessage struct {
	ID       string   `json:"id"`
	Role     string   `json:"role"`
	Tool     string   `json:"tool,omitempty"`
	Error    bool     `json:"is_error,omitempty"`
	When     string   `json:"time"`
	Text     string   `json:"text"`
	command  string   // that the user ran, if the message is its output
	thinking string   // of the model before its response, if the session has it
	said     string   // Text without the calls
	calls    []string // the calls in Text
	at       int64    // When in Unix milliseconds
}

// messagesOf lists the messages of a branch.
func messagesOf(h *workspace.HistorySession, v *summary.View) ([]exportedMessage, error) {
	var out []exportedMessage
	for _, u := range v.Branch.Units {
		raw, err := h.Line(u.Node)
		if err != nil {
			return nil, err
		}
		m := exportedMessage{
			ID: u.ID, Role: string(u.Message.Role), Tool: u.Message.ToolName, Error: u.Message.IsError,
			When: text.KnownTime(u.Time), Text: string(u.AppendBody(nil, raw)), at: u.Time,
		}
		m.command, m.thinking = message.Unquote(u.Message.Command.Of(u.Body.Of(raw))), u.Thinking(raw)
		m.said = m.Text
		if u.Message.Role == message.RoleAssistant {
			m.said, m.calls = u.Message.Text(u.Body.Of(raw)), callsIn(&u.Entry, raw)
		}
		out = append(out, m)
	}
	return out, nil
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
func exportMarkdown(h *workspace.HistorySession, v *summary.View) ([]byte, error) {
	all, err := messagesOf(h, v)
	if err != nil {
		return nil, err
	}
	doc := report.MarkdownSession{ID: h.Id, CWD: h.Tree.Header.CWD, Begun: h.Tree.Header.Time, View: v}
	for i := range all {
		m := &all[i]
		doc.Messages = append(doc.Messages, report.MarkdownMessage{
			StopReason: v.Branch.Units[i].Message.StopReason, ID: m.ID, Tool: m.Tool, Command: m.command, IsError: m.Error, Time: m.at, Role: message.Role(m.Role), Text: m.said, Thinking: m.thinking, Calls: m.calls,
		})
	}
	return doc.Bytes(), nil
}

// exportedSession is what export writes as JSON.
type exportedSession struct {
	Session   string            `json:"session"`
	CWD       string            `json:"cwd"`
	Started   string            `json:"started"`
	Messages  []exportedMessage `json:"messages"`
	Summaries []summaryView     `json:"summaries"`
}

// exportJSON returns the session as a JSON document.
func exportJSON(h *workspace.HistorySession, v *summary.View) ([]byte, error) {
	all, err := messagesOf(h, v)
	if err != nil {
		return nil, err
	}
	doc := exportedSession{h.Id, h.Tree.Header.CWD, text.KnownTime(h.Tree.Header.Time), all, []summaryView{}}
	up := parentsOf(v.Nodes)
	for i := range v.Nodes {
		n := &v.Nodes[i]
		doc.Summaries = append(doc.Summaries, summaryLine(n, v.Cover.States[n.Key], up[n.Key]))
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err = enc.Encode(doc)
	return b.Bytes(), err
}

// exportHTML returns the session as an HTML page.
func exportHTML(h *workspace.HistorySession, ctx context.Context, v *summary.View) ([]byte, error) {
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
func pageOf(h *workspace.HistorySession, v *summary.View, t *transcript.Transcript) *report.SessionPage {
	return &report.SessionPage{
		Title: cmp.Or(fence.OneLine(t.Title, 120), "Session "+fence.OneLine(h.Id, 80)),
		Lead:  fmt.Sprintf("Session %s in %s, started %s.", fence.OneLine(h.Id, 80), fence.OneLine(h.Tree.Header.CWD, 0), text.LocalMinute(h.Tree.Header.Time)),
		View:  v,
	}
}
