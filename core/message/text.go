package message

import (
	"bytes"
	"slices"
	"strings"
)

// AppendText appends the searchable text of an entry; line is the bytes it was parsed from.
//
//	user, custom, summary   the text
//	assistant               the text, and calls as "[tool: name(arguments)]", no thinking
//	tool result             "[tool] text"
//	"!" command             "$ command" and its output
//	image                   "[image]"
//
// An entry without text appends nothing. The rules are those of pi-lcm's
// extractSearchableText, except that strings inside a call's arguments are decoded, so that
// a word after an escaped line break is found as a word.
func (e *Entry) AppendText(dst, line []byte) []byte {
	raw := line
	if e.Type == EntryMessage {
		raw = e.Body.Of(line)
	}
	h := &e.Message
	switch h.Role {
	case RoleUser, RoleAssistant, RoleCustom, RoleSystem:
		return appendContent(dst, raw, h)
	case RoleToolResult:
		dst = append(append(append(dst, '['), h.ToolName...), "] "...)
		return appendContent(dst, raw, h)
	case RoleBashExecution:
		dst = appendUnquoted(append(dst, "$ "...), h.Command.Of(raw))
		return appendUnquoted(append(dst, '\n'), h.Body.Of(raw))
	case RoleBranchSummary, RoleCompactionSummary:
		return appendUnquoted(dst, h.Body.Of(raw))
	}
	switch e.Type {
	case EntrySessionInfo:
		return append(dst, e.Name...)
	case EntrySession, EntryMessage, EntryCustomMessage, EntryCustom, EntryCompaction, EntryBranchSummary, EntryContextEdit,
		EntryModelChange, EntryThinking, EntryUsage:
		return dst
	}
	return appendStrings(dst, line)
}

// appendStrings appends the strings of a label, or of an entry of an unknown type, one per
// line, without member names and the members that every entry has.
func appendStrings(dst, line []byte) []byte {
	start := len(dst)
	for member, s := range Strings(line) {
		if slices.Contains([]string{"type", "id", "parentId", "timestamp", "targetId"}, member) {
			continue
		}
		if len(dst) > start {
			dst = append(dst, '\n')
		}
		dst = appendUnquoted(dst, s.Of(line))
	}
	return dst
}

// AppendBody appends the text of an entry without the labels of AppendText: what the tool
// returned, the user wrote, or a command printed. It is for people who expand an entry.
func (e *Entry) AppendBody(dst, line []byte) []byte {
	if e.Type == EntryMessage {
		raw := e.Body.Of(line)
		switch e.Message.Role {
		case RoleToolResult:
			return appendContent(dst, raw, &e.Message)
		case RoleBashExecution:
			return appendUnquoted(dst, e.Message.Body.Of(raw))
		}
	}
	return e.AppendText(dst, line)
}

// LabelSize returns the number of bytes that AppendText appends before what AppendBody does.
func (e *Entry) LabelSize(line []byte) int {
	if e.Type == EntryMessage {
		switch e.Message.Role {
		case RoleToolResult:
			return len("[] ") + len(e.Message.ToolName)
		case RoleBashExecution:
			return len("$ \n") + len(Unquote(e.Message.Command.Of(e.Body.Of(line))))
		}
	}
	return 0
}

// Thinking returns the thinking of an assistant message, "" without any. It is not part of
// the entry's text.
func (e *Entry) Thinking(line []byte) string {
	if e.Type != EntryMessage || e.Message.Role != RoleAssistant {
		return ""
	}
	var all []string
	for _, b := range e.Message.Content.Blocks {
		if b.Kind != BlockThinking {
			continue
		}
		if s := strings.TrimSpace(Unquote(b.Text.Of(e.Body.Of(line)))); s != "" {
			all = append(all, s)
		}
	}
	return strings.Join(all, "\n\n")
}

// Text returns what a message says: its text blocks, decoded, one below the other, without
// thinking, calls and images. raw is the message.
func (h *Head) Text(raw []byte) string {
	if h.Content.Kind == ContentText {
		return Unquote(h.Content.Span.Of(raw))
	}
	var texts []string
	for _, b := range h.Content.Blocks {
		if b.Kind == BlockText {
			texts = append(texts, Unquote(b.Text.Of(raw)))
		}
	}
	return strings.Join(texts, "\n")
}

// appendContent appends the text of a message's content, one block per line.
func appendContent(dst, raw []byte, h *Head) []byte {
	if h.Content.Kind == ContentText {
		return appendUnquoted(dst, h.Content.Span.Of(raw))
	}
	n := len(dst)
	for _, b := range h.Content.Blocks {
		if b.Kind == BlockThinking || b.Kind == BlockOther {
			continue
		}
		if len(dst) > n {
			dst = append(dst, '\n')
		}
		switch b.Kind {
		case BlockText:
			dst = appendUnquoted(dst, b.Text.Of(raw))
		case BlockImage:
			dst = append(dst, "[image]"...)
		case BlockToolCall:
			dst = append(append(append(dst, "[tool: "...), h.Calls[b.Call].Name...), '(')
			dst = append(appendDecoded(dst, b.Text.Of(raw)), ")]"...)
		}
	}
	return dst
}

// appendDecoded appends JSON with the escapes inside its strings decoded.
func appendDecoded(dst, json []byte) []byte {
	for len(json) > 0 {
		i := bytes.IndexByte(json, '"')
		if i < 0 {
			return append(dst, json...)
		}
		end := i + 1
		for end < len(json) && json[end] != '"' {
			if json[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(json))
		dst = appendUnquoted(append(dst, json[:i+1]...), json[i:end])
		dst = append(dst, '"')
		json = json[end:]
	}
	return dst
}
