package history

import (
	"bytes"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/tool"
)

// SearchText returns the searchable text of an entry whose line is raw: everything that a
// person or the model said or saw, except searches, their results, and the system prompt,
// which would match every word that it explains. It is "" for an entry that is not
// searched.
func SearchText(e *message.Entry, raw []byte) string {
	return string(AppendSearchText(nil, e, raw))
}

// AppendSearchText appends the result of SearchText.
func AppendSearchText(dst []byte, e *message.Entry, raw []byte) []byte {
	if e.Message.Role == message.RoleSystem || OwnTool(e.Message.ToolName) || e.Message.CustomType == ShownType {
		return dst
	}
	own := false
	for i := range e.Message.Calls {
		own = own || OwnCall(&e.Message.Calls[i])
	}
	if own {
		e = withoutOwnCalls(e)
	}
	out := e.AppendText(dst, raw)
	if e.Message.Role == message.RoleBashExecution {
		command, _, _ := bytes.Cut(bytes.TrimPrefix(out[len(dst):], []byte("$ ")), []byte("\n"))
		if searches(string(command)) {
			return dst
		}
	}
	return out
}

// Prose separates what is said in a searchable text from what a machine reads or prints: calls
// and tool output.
func Prose(role message.Role, text string) (prose, machine string) {
	const call = "[tool: "
	switch role {
	case message.RoleToolResult, message.RoleBashExecution:
		return "", text
	case message.RoleAssistant:
		if strings.HasPrefix(text, call) {
			return "", text
		}
		if i := strings.Index(text, "\n"+call); i >= 0 {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// ShownType is the type of messages that show a person what they asked for, such as an
// entry that a search found. The extension sets it.
const ShownType = "pictx.shown"

// BashTool is the agent's tool that runs a command.
const BashTool = "bash"

// OwnCall reports whether a call is of one of our tools, or runs pictx to search.
func OwnCall(c *message.Call) bool {
	if c.Name != BashTool {
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

// withoutOwnCalls returns a response without the calls of our tools. A call contains the
// words that it searches for: it would be the first result of the same query, which would
// then never be relaxed.
func withoutOwnCalls(e *message.Entry) *message.Entry {
	rest := *e
	c := &rest.Message.Content
	c.Blocks = nil
	for _, b := range e.Message.Content.Blocks {
		if b.Kind != message.BlockToolCall || !OwnCall(&e.Message.Calls[b.Call]) {
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
