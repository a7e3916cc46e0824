package report

import (
	"bytes"
	"fmt"
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
	View     *summary.View
}

// MarkdownMessage is one of its messages.
type MarkdownMessage struct {
	ID, Tool, Command string // Command is the command that the user ran
	IsError           bool
	Time              int64 // Unix milliseconds
	Role              message.Role
	Text, Thinking    string
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
	prose, code := "", fence.Plain(m.Text)
	isOutput := m.Role == message.RoleToolResult || m.Role == message.RoleBashExecution
	if !isOutput {
		prose, code = m.parts()
	}
	if prose != "" {
		const level = 2 // level of the heading above
		b.WriteString(markdownProse(prose, level) + "\n")
	}
	if prose != "" && code != "" {
		b.WriteByte('\n')
	}
	if code != "" || isOutput {
		foldedBlock(b, strings.TrimRight(code, "\n"), "", foldedLines)
	}
}

// parts separates prose from the tool calls that follow it.
func (m *MarkdownMessage) parts() (prose, calls string) {
	said := strings.TrimRight(fence.Plain(m.Text), "\n")
	if m.Role != message.RoleAssistant {
		return said, ""
	}
	lines := strings.Split(said, "\n")
	at := len(lines)
	for at > 0 && strings.HasPrefix(lines[at-1], "[tool: ") {
		at--
	}
	return strings.TrimRight(strings.Join(lines[:at], "\n"), "\n"), strings.Join(lines[at:], "\n")
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
