package history

import (
	"bytes"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// SearchText returns what is searched of an entry whose line is raw: everything that a
// person or the model said or saw, except the results of searches, the calls that asked
// for them, and the system prompt, which would match every word that it explains. It is
// "" for an entry that is not searched.
func SearchText(e *message.Entry, raw []byte) string {
	return string(appendSearchText(nil, e, raw))
}

// appendSearchText appends what SearchText returns.
func appendSearchText(dst []byte, e *message.Entry, raw []byte) []byte {
	if e.Message.Role == message.RoleSystem || OwnTool(e.Message.ToolName) {
		return dst
	}
	own := false
	for i := range e.Message.Calls {
		own = own || ownCall(&e.Message.Calls[i])
	}
	if own {
		e = withoutOwnCalls(e)
	}
	out := e.AppendText(dst, raw)
	text := out[len(dst):]
	switch e.Message.Role {
	case message.RoleBashExecution:
		if searches(firstLine(bytes.TrimPrefix(text, []byte("$ ")))) {
			return dst
		}
	case message.RoleToolResult:
		if foundByCommand(firstLine(bytes.TrimPrefix(text, []byte("["+bashTool+"] ")))) {
			return dst
		}
	}
	return out
}

// firstLine is a text up to its first line end.
func firstLine(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return string(line)
}

// bashTool is the agent's tool that runs a command.
const bashTool = "bash"

// ownCall reports whether a call is of one of our tools, or runs pictx to search.
func ownCall(c *message.Call) bool {
	if c.Name != bashTool {
		return OwnTool(c.Name)
	}
	p := readParams(bashTool, "", c.Arguments)
	return searches(p.text("command"))
}

// searches reports whether a command runs pictx to search or expand history, with
// nothing before it but a cd.
func searches(command string) bool {
	words := strings.Fields(command)
	if len(words) > 3 && words[0] == "cd" && words[2] == "&&" {
		words = words[3:]
	}
	if len(words) < 2 || words[0] != "pictx" {
		return false
	}
	switch words[1] {
	case "grep", "expand", "describe", "tree":
		return true
	}
	return false
}

// foundByCommand reports whether the first line of a text looks like a result of pictx
// grep: an id, a time, the speaker, and the session; or, as JSON, the session and the
// entry. A tool result does not say which command it belongs to.
func foundByCommand(line string) bool {
	if strings.HasPrefix(line, `{"session":"`) {
		return strings.Contains(line, `,"entry":"`) && strings.Contains(line, `,"snippet":"`)
	}
	id, rest, ok := strings.Cut(line, "  ")
	if !ok || id == "" || len(id) > maxName || strings.Contains(id, " ") || len(rest) < len(text.MinuteForm) {
		return false
	}
	_, err := time.Parse(text.MinuteForm, rest[:len(text.MinuteForm)])
	return err == nil && strings.Contains(rest, "  session ")
}

// withoutOwnCalls is a response without the calls of our tools. A call holds the words
// it searches for: it would be the first result for the same query, which would never
// be relaxed.
func withoutOwnCalls(e *message.Entry) *message.Entry {
	rest := *e
	c := &rest.Message.Content
	c.Blocks = nil
	for _, b := range e.Message.Content.Blocks {
		if b.Kind != message.BlockToolCall || !ownCall(&e.Message.Calls[b.Call]) {
			c.Blocks = append(c.Blocks, b)
		}
	}
	return &rest
}

// OwnTool reports whether a tool is one of ours that returns history. Its results are
// stored but not searched, or every search would find the searches before it.
func OwnTool(name string) bool { return strings.HasPrefix(name, ownPrefix) }

// ownPrefix is what the names of our tools begin with.
const ownPrefix = "lcm_"
