package report

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
)

// MarkdownSession is a session to be written as Markdown.
type MarkdownSession struct {
	ID, CWD  string
	Begun    int64 // Unix milliseconds
	Messages []MarkdownMessage
	Left     string // what the document leaves out, "" for nothing
	View     *summary.View
}

// MarkdownMessage is one of its messages.
type MarkdownMessage struct {
	ID, Tool, Command string // Command is the command that the user ran
	IsError           bool
	Time              int64 // Unix milliseconds
	Role              message.Role
	Text, Thinking    string
	Calls             []string // the tool calls of a response, of which Text has nothing
	StopReason        string   // how a response ended
}

// who returns the heading of a message.
func (m *MarkdownMessage) who() string {
	switch m.Role {
	case message.RoleUser:
		return "User"
	case message.RoleAssistant:
		return "Assistant"
	case message.RoleToolResult:
		if m.IsError {
			return "Result of " + fence.OneLine(m.Tool, 80) + " (an error)"
		}
		return "Result of " + fence.OneLine(m.Tool, 80)
	case message.RoleBashExecution:
		return "$ " + fence.OneLine(m.Command, 200)
	case message.RoleBranchSummary:
		return "Summary of another branch"
	}
	return fence.OneLine(string(m.Role), 80)
}

// Bytes returns the document: headings, prose, and output in code blocks. Content of the
// session stays inert text.
func (d *MarkdownSession) Bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Session %s\n\n%s in %s, started %s.\n", inert(fence.OneLine(d.ID, 80)), text.Count(len(d.Messages), "message"),
		inert(fence.OneLine(d.CWD, 0)), text.LocalMinute(d.Begun))
	if d.Left != "" {
		b.WriteString("\n" + d.Left + "\n")
	}
	for i := range d.Messages {
		m := &d.Messages[i]
		fmt.Fprintf(&b, "\n## %s\n\n<sub>%s · %s</sub>\n\n", inert(m.who()), text.LocalMinute(m.Time), inert(fence.OneLine(m.ID, 0)))
		m.write(&b)
	}
	if len(d.View.Nodes) > 0 {
		b.WriteString("\n# Summaries\n")
	}
	for _, r := range d.View.Cover.Roots {
		markdownNode(&b, r, 2)
	}
	return b.Bytes()
}

// foldedLines is the maximum number of lines of unfolded code. Longer code is folded below
// its number of lines.
const foldedLines = 30

// write writes prose as it is, and output and calls as code blocks, so that no line in them
// can act as a heading or end the block.
func (m *MarkdownMessage) write(b *bytes.Buffer) {
	if m.Thinking != "" {
		foldedBlock(b, strings.TrimRight(fence.Plain(m.Thinking), "\n"), "Thinking: ", 0)
		b.WriteByte('\n')
	}
	if m.Role == message.RoleToolResult || m.Role == message.RoleBashExecution {
		foldedBlock(b, strings.TrimRight(fence.Plain(m.Text), "\n"), "", foldedLines)
		return
	}
	prose := strings.TrimRight(fence.Plain(m.Text), "\n")
	if prose != "" {
		const level = 2 // level of the heading above
		b.WriteString(markdownProse(prose, level) + "\n")
	}
	if prose != "" && len(m.Calls) > 0 {
		b.WriteByte('\n')
	}
	m.writeCalls(b)
	if m.Role == message.RoleAssistant && prose+m.Thinking == "" && len(m.Calls) == 0 {
		fmt.Fprintf(b, "<sub>no text, ended: %s</sub>\n", inert(fence.OneLine(cmp.Or(m.StopReason, "unknown"), 40)))
	}
}

// writeCalls writes short calls in a row as one block, and folds each long one below its
// beginning. A blank line ends each: without one, what follows belonged to the fold.
func (m *MarkdownMessage) writeCalls(b *bytes.Buffer) {
	const beginning = 100 // characters
	blocks := 0
	write := func(code, what string, most int) {
		if blocks++; blocks > 1 {
			b.WriteByte('\n')
		}
		foldedBlock(b, code, what, most)
	}
	var row []string
	for i, call := range m.Calls {
		call = strings.TrimRight(fence.Plain(call), "\n")
		long := strings.Count(call, "\n") >= foldedLines
		if !long {
			row = append(row, call)
		}
		if len(row) > 0 && (long || i == len(m.Calls)-1) {
			write(strings.Join(row, "\n"), "", math.MaxInt)
			row = nil
		}
		if long {
			write(call, html.EscapeString(fence.OneLine(call, beginning))+" ", foldedLines)
		}
	}
}

// foldedBlock writes text as a code block, folded when it has more than most lines. what
// precedes the number of lines.
func foldedBlock(b *bytes.Buffer, code, what string, most int) {
	block := codeBlock(code)
	if lines := 1 + strings.Count(code, "\n"); lines > most {
		block = fmt.Sprintf("<details><summary>%s%s</summary>\n\n%s\n</details>\n", what, text.Count(lines, "line"), block)
	}
	b.WriteString(block)
}

// markdownNode writes a summary and its children.
func markdownNode(b *bytes.Buffer, p *summary.PlacedNode, level int) {
	fmt.Fprintf(b, "\n%s %s\n\n", strings.Repeat("#", min(level, 6)), SummaryTitle(p.Node))
	foldedBlock(b, fence.Plain(p.Text), "", foldedLines)
	for _, c := range p.Children {
		markdownNode(b, c, level+1)
	}
}
