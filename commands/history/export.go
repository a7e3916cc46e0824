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
	format string
	output string
}

// ExportCommand returns the command pictx export.
func ExportCommand(a *cli.Run) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:               "export [SESSION]",
		GroupID:           cli.GroupHistory,
		Short:             "Write a session to a file: Markdown, HTML, JSON",
		Annotations:       cli.Exits("3 5 10 11 12"),
		Args:              cli.SomeArgs(0, 1),
		ValidArgsFunction: a.SessionWords,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runExport(a, cmd.Context(), o, append(args, "")[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "md", "what to write: md, json, jsonl, html")
	f.StringVarP(&o.output, "output", "o", "", "write into this `file`, which must not be there")
	a.CompleteWords(cmd, "format", exportFormats())
	return cmd
}

func exportFormats() []string { return []string{"md", "json", "jsonl", "html"} }

func runExport(a *cli.Run, ctx context.Context, o exportOptions, session string) error {
	h, err := a.OpenHistory(ctx, session)
	if err != nil {
		return err
	}
	defer h.Close()
	data, err := export(h, ctx, o.format)
	if err != nil {
		return err
	}
	return a.Deliver(o.output, data)
}

// export writes the session in a format.
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

// HookExport writes the session of an agent into a file of its directory.
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

// exportedMessage is a message as it is exported.
type exportedMessage struct {
	ID    string `json:"id"`
	Role  string `json:"role"`
	Tool  string `json:"tool,omitempty"`
	Error bool   `json:"is_error,omitempty"`
	When  string `json:"time"`
	Text  string `json:"text"`
	Who   string `json:"-"`
	// thinking is what the model thought before it answered, where the session says so.
	thinking string
	at       int64 // When
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
		m.Who, m.thinking = speakerOf(&m), u.Thinking(raw)
		if u.Message.Role == message.RoleBashExecution {
			m.Who = "$ " + fence.OneLine(message.Unquote(u.Message.Command.Of(u.Body.Of(raw))), 200)
		}
		out = append(out, m)
	}
	return out, nil
}

// speakerOf is a heading for a message.
func speakerOf(m *exportedMessage) string {
	switch message.Role(m.Role) {
	case message.RoleUser:
		return "User"
	case message.RoleAssistant:
		return "Assistant"
	case message.RoleToolResult:
		if m.Error {
			return "Result of " + fence.OneLine(m.Tool, 80) + " (an error)"
		}
		return "Result of " + fence.OneLine(m.Tool, 80)
	case message.RoleBranchSummary:
		return "Summary of another branch"
	}
	return fence.OneLine(m.Role, 80)
}

// said reports whether a message is prose rather than output.
func (m *exportedMessage) said() bool {
	switch message.Role(m.Role) {
	case message.RoleToolResult, message.RoleBashExecution:
		return false
	}
	return true
}

// exportMarkdown writes headings, prose as it is and output in code blocks.
func exportMarkdown(h *workspace.HistorySession, v *summary.View) ([]byte, error) {
	all, err := messagesOf(h, v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Session %s\n\n%s in %s, begun %s.\n", fence.OneLine(h.Id, 80), text.Count(len(all), "message"), report.MarkdownLine(fence.OneLine(h.Tree.Header.CWD, 0)), text.LocalMinute(h.Tree.Header.Time))
	for i := range all {
		m := &all[i]
		fmt.Fprintf(&b, "\n## %s\n\n<sub>%s · %s</sub>\n\n", report.MarkdownLine(m.Who), text.LocalMinute(m.at), fence.OneLine(m.ID, 0))
		m.markdown(&b)
	}
	if len(v.Nodes) > 0 {
		b.WriteString("\n# Summaries\n")
	}
	for _, r := range v.Cover.Roots {
		markdownNode(&b, r, 2)
	}
	return b.Bytes(), nil
}

// markdown writes prose as it is, output and calls in code blocks, where no line of
// theirs is taken for a heading or for the end of one.
func (m *exportedMessage) markdown(b *bytes.Buffer) {
	const level = 2 // of the heading above
	if m.thinking != "" {
		foldedBlock(b, strings.TrimRight(fence.Plain(m.thinking), "\n"), "Thinking: ", 0)
		b.WriteByte('\n')
	}
	prose, code := "", fence.Plain(m.Text)
	if m.said() {
		prose, code = m.parts()
	}
	if prose != "" {
		b.WriteString(report.MarkdownProse(prose, level) + "\n")
	}
	if prose != "" && code != "" {
		b.WriteByte('\n')
	}
	if code != "" || !m.said() {
		codeBlock(b, strings.TrimRight(code, "\n"))
	}
}

// foldedLines is how many lines of code stand open in Markdown: more are folded, with the
// number of lines to unfold.
const foldedLines = 30

// codeBlock writes text as a block of code, folded when it is long.
func codeBlock(b *bytes.Buffer, code string) { foldedBlock(b, code, "", foldedLines) }

// foldedBlock writes text as a block of code, folded when it has more lines than that. What
// it is stands before the number of lines.
func foldedBlock(b *bytes.Buffer, code, what string, most int) {
	block := report.CodeBlock(code)
	if lines := 1 + strings.Count(code, "\n"); lines > most {
		block = fmt.Sprintf("<details><summary>%s%s</summary>\n\n%s\n</details>\n", what, text.Count(lines, "line"), block)
	}
	b.WriteString(block)
}

// parts separates prose from the tool calls that come after it.
func (m *exportedMessage) parts() (prose, calls string) {
	text := strings.TrimRight(fence.Plain(m.Text), "\n")
	if message.Role(m.Role) != message.RoleAssistant {
		return text, ""
	}
	lines := strings.Split(text, "\n")
	at := len(lines)
	for at > 0 && strings.HasPrefix(lines[at-1], "[tool: ") {
		at--
	}
	return strings.TrimRight(strings.Join(lines[:at], "\n"), "\n"), strings.Join(lines[at:], "\n")
}

// markdownNode writes a summary and those below it.
func markdownNode(b *bytes.Buffer, p *summary.PlacedNode, level int) {
	text := fence.Plain(p.Text)
	fmt.Fprintf(b, "\n%s %s\n\n", strings.Repeat("#", min(level, 6)), report.SummaryTitle(p.Node))
	codeBlock(b, text)
	for _, c := range p.Children {
		markdownNode(b, c, level+1)
	}
}

// exportedSession is what export writes as JSON.
type exportedSession struct {
	Session   string            `json:"session"`
	CWD       string            `json:"cwd"`
	Started   string            `json:"started"`
	Messages  []exportedMessage `json:"messages"`
	Summaries []summaryView     `json:"summaries"`
}

// exportJSON writes one document.
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

// exportHTML writes a page.
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

// pageOf is the page about a session, without its messages.
func pageOf(h *workspace.HistorySession, v *summary.View, t *transcript.Transcript) *report.SessionPage {
	return &report.SessionPage{
		Title: cmp.Or(fence.OneLine(t.Title, 120), "Session "+fence.OneLine(h.Id, 80)),
		Lead:  fmt.Sprintf("Session %s in %s, begun %s.", fence.OneLine(h.Id, 80), fence.OneLine(h.Tree.Header.CWD, 0), text.LocalMinute(h.Tree.Header.Time)),
		View:  v,
	}
}
