package summary

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// rendered returns an entry as a summarizer reads it; valid until the next call.
func (b *Branch) rendered(n *message.Node, raw []byte) string {
	if isOwn(n) {
		return ownText(n)
	}
	b.text = n.AppendText(b.text[:0], raw)
	return pieces(string(b.text), b.limit(n))
}

// isOwn reports whether a message is the result of a tool that searches or reads history.
func isOwn(n *message.Node) bool {
	return n.Message.Role == message.RoleToolResult && history.OwnTool(n.Message.ToolName)
}

// ownText stands for such a result.
func ownText(n *message.Node) string {
	return "[" + n.Message.ToolName + "] (what it returned is elsewhere in the history)"
}

// limit is the size up to which an entry is read in full, 0 for any size.
func (b *Branch) limit(n *message.Node) token.Count {
	limit, output := b.limits.Message, n.Message.Role == message.RoleToolResult || n.Message.Role == message.RoleBashExecution
	if o := b.limits.Output; output && o > 0 && (limit == 0 || o < limit) {
		limit = o
	}
	return limit
}

// maxLarge is how many ids of large messages a summary lists.
const maxLarge = 30

// largeNote begins the line that lists large messages.
const largeNote = "Read only in pieces, lcm_expand gives all of it: "

// withLarge appends to a summary the ids of messages that were read only in pieces, unless
// it mentions them: every summary above a message must lead to it.
func (b *Branch) withLarge(text string, from, to int) string {
	var ids []string
	for _, u := range b.Units[from:to] {
		if !u.Pieces || strings.Contains(text, u.ID) {
			continue
		}
		if len(ids) == maxLarge {
			ids = append(ids, "and others below")
			break
		}
		ids = append(ids, u.ID)
	}
	if len(ids) == 0 {
		return text
	}
	return strings.TrimRight(text, "\n") + "\n\n" + largeNote + strings.Join(ids, ", ")
}

// charsPerToken is the ratio of pi's estimate.
const charsPerToken = 4

// pieces shortens a text to roughly this many tokens: its beginning and its end, with a note
// of what is left out.
func pieces(text string, tokens token.Count) string {
	limit := int(tokens) * charsPerToken
	if tokens <= 0 || len(text) <= limit {
		return text
	}
	from, to := fence.CutBefore(text, limit/2), fence.CutBefore(text, len(text)-limit/2)
	return fmt.Sprintf("%s\n[... %d bytes left out ...]\n%s", text[:from], to-from, text[to:])
}

// transcript writes a span of messages for a summarizer. The line before each message
// begins with a mark that does not occur in the messages.
func (b *Branch) transcript(from, to int) (body, mark string, err error) {
	var out strings.Builder
	mark = markOf(b.rangeHash(from, to))
	for i := from; i < to; i++ {
		u := &b.Units[i]
		raw, err := b.line(u.Node)
		if err != nil {
			return "", "", fmt.Errorf("read entry %s: %w", u.ID, err)
		}
		said := strings.ReplaceAll(fence.Plain(b.rendered(u.Node, raw)), mark, "#")
		when := ""
		if u.Message.Role == message.RoleUser { // once per turn, to save tokens
			when = text.Minute(u.Time) + " | "
		}
		fmt.Fprintf(&out, "%s [%s%s | %s]\n%s\n", mark, when, speaker(u.Node), fence.OneLine(u.ID, 40), said)
	}
	return out.String(), mark, nil
}

// markOf makes a mark from a hash of the marked text, so that the author of a message
// cannot predict it.
func markOf(hash string) string { return "#" + hash[:min(8, len(hash))] }

// speaker names the author of a message.
func speaker(n *message.Node) string {
	h := &n.Message
	switch h.Role {
	case message.RoleToolResult:
		s := "result of " + fence.OneLine(h.ToolName, 40)
		if h.IsError {
			s += ", an error"
		}
		return s
	case message.RoleBashExecution:
		return "command of the user"
	case message.RoleBranchSummary:
		return "summary of another branch"
	}
	return fence.OneLine(string(h.Role), 20)
}

// span formats a period in UTC.
func span(from, to int64) string { return spanIn(time.UTC, from, to) }

// spanIn formats a period in a time zone, which it names if the end is known.
func spanIn(zone *time.Location, from, to int64) string {
	moment := func(ms int64, form string) string {
		if ms == 0 {
			return "?"
		}
		return time.UnixMilli(ms).In(zone).Format(form)
	}
	a, z := moment(from, text.MinuteForm), moment(to, text.ZonedForm)
	switch {
	case strings.HasPrefix(z, a):
		return z
	case from != 0 && to != 0 && a[:len(time.DateOnly)] == z[:len(time.DateOnly)]:
		return a + " to " + z[len(time.DateOnly)+1:]
	}
	return a + " to " + z
}

// firstLine returns the first non-blank line of a text, shortened.
func firstLine(text string, limit int) string {
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(strings.TrimSpace(line), "#*->=– ")
		if first, _, _ := strings.Cut(line, " "); LooksLikeKey(first) {
			continue
		}
		if utf8.RuneCountInString(line) > 3 {
			return fence.OneLine(line, limit)
		}
	}
	return ""
}
