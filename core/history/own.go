package history

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/tool"
)

// SearchText returns the searchable text of an entry whose line is raw: everything that a
// person or the model said or saw, except searches, their results, and the system prompt,
// which would match every word that it explains. It is "" for an entry that is not
// searched.
func SearchText(e *message.Entry, raw []byte) string {
	return string(appendSearchText(nil, e, raw))
}

// appendSearchText appends the result of SearchText.
func appendSearchText(dst []byte, e *message.Entry, raw []byte) []byte {
	if e.Message.Role == message.RoleSystem || OwnTool(e.Message.ToolName) || e.Message.CustomType == ShownType {
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

// ShownType is the type of messages that show a person what they asked for, such as an
// entry that a search found. The extension sets it.
const ShownType = "pictx.shown"

// firstLine returns the first line of a text, without its line end.
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
	command := tool.ParseArguments(c.Arguments).Command
	return command != nil && searches(message.Unquote(command))
}

// searches reports whether a command line runs pictx to search or show history, for example
//
//	cd src && LANG=C /usr/bin/pictx grep lease | head
func searches(command string) bool {
	for _, part := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(";&|\n()`{}", r) }) {
		words := strings.Fields(part)
		for len(words) > 0 && isPrelude(words[0]) {
			words = words[1:]
		}
		if len(words) > 1 && isPictx(words[0]) && showsHistory(words[1:]) {
			return true
		}
	}
	return false
}

// isPrelude reports whether a word may precede the program in a command.
func isPrelude(word string) bool {
	switch word {
	case "$", "env", "time", "timeout", "nice", "command", "exec", "sudo", "xargs", "!", "if", "then", "else", "do", "while":
		return true
	}
	name, _, assigns := strings.Cut(word, "=")
	return assigns && !strings.ContainsAny(name, `/'"`) || strings.Trim(word, "0123456789smh") == ""
}

// isPictx reports whether a word is pictx or a path to it.
func isPictx(word string) bool {
	word = strings.Trim(word, `"'\`)
	return word[strings.LastIndexByte(word, '/')+1:] == "pictx"
}

// showsHistory reports whether the arguments of pictx name a command that shows entries.
func showsHistory(args []string) bool {
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			continue // the value of a flag does not match below
		}
		switch a {
		case "grep", "expand", "describe", "tree", "export":
			return true
		}
	}
	return false
}

// ownResult reports whether an entry is what a search of ours printed in a shell, which
// only its call tells. It is asked only about entries that are to be shown.
func (s *search) ownResult(ctx context.Context, r Row, e *message.Entry) (bool, error) {
	st, ok := s.st.(Expander)
	if !ok || r.Tool != bashTool || e.Message.ToolCallID == "" {
		return false, nil
	}
	const most = 16 // a response may have several results between call and result
	for range most {
		if r.ParentID == "" {
			return false, nil
		}
		rows, err := st.Find(ctx, r.ParentID, []string{r.Session}, 1)
		if err != nil || len(rows) == 0 {
			return false, err
		}
		r = rows[0]
		if r.Role != message.RoleAssistant {
			continue
		}
		raw, err := s.st.Raw(ctx, r, nil)
		if err != nil {
			return false, err
		}
		var p message.Parser
		caller, err := p.ParseEntry(raw)
		if err != nil {
			return false, nil
		}
		for i := range caller.Message.Calls {
			if c := &caller.Message.Calls[i]; c.ID == e.Message.ToolCallID {
				return ownCall(c), nil
			}
		}
		return false, nil
	}
	return false, nil
}

// maxIDLength is the maximum length of an id in the output of pictx grep.
const maxIDLength = 60

// foundByCommand reports whether the first line of a text looks like output of pictx grep:
// an id, a time, the speaker and the session, or JSON with the session and the entry. A
// tool result does not say which command it is from.
func foundByCommand(line string) bool {
	if strings.HasPrefix(line, `{"session":"`) {
		return strings.Contains(line, `,"entry":"`) && strings.Contains(line, `,"snippet":"`)
	}
	id, rest, ok := strings.Cut(line, "  ")
	if !ok || id == "" || len(id) > maxIDLength || strings.Contains(id, " ") || len(rest) < len(text.MinuteForm) {
		return false
	}
	_, err := time.Parse(text.MinuteForm, rest[:len(text.MinuteForm)])
	return err == nil && strings.Contains(rest, "  session ")
}

// withoutOwnCalls returns a response without the calls of our tools. A call contains the
// words that it searches for: it would be the first result of the same query, which would
// then never be relaxed.
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
// stored but not searched: otherwise every search would find earlier searches.
func OwnTool(name string) bool { return strings.HasPrefix(name, ownPrefix) }

// ownPrefix begins the names of our tools.
const ownPrefix = "lcm_"
