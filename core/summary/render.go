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
	return b.signs.pieces(string(b.text), b.limit(n))
}

// measure returns roughly the length of rendered, without searching for the pieces worth
// reading, and whether the entry is too large to be read in full.
func (b *Branch) measure(n *message.Node, raw []byte) (size int, pieces bool) {
	if isOwn(n) {
		return len(ownText(n)), false
	}
	b.text = n.AppendText(b.text[:0], raw)
	size = len(b.text)
	if limit := int(b.limit(n)) * charsPerToken; limit > 0 && size > limit {
		size = limit + pieceNotes
	}
	return size, b.limits.Message > 0 && len(b.text) > int(b.limits.Message)*charsPerToken
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

// pieceNotes is the approximate size in bytes of the notes between pieces.
const pieceNotes = 150

// sliceCount is how many pieces are read of a long text.
const sliceCount = 6

// pieces shortens a text to roughly this many tokens: its beginning, its end, and pieces in
// between, at errors if possible, with a note for each gap.
func (s *signs) pieces(text string, tokens token.Count) string {
	limit := int(tokens) * charsPerToken
	if tokens <= 0 || len(text) <= limit {
		return text
	}
	size := limit / sliceCount
	var b strings.Builder
	at := 0
	for i, start := range s.sliceStarts(text, size) {
		from := max(at, fence.CutBefore(text, start))
		to := fence.CutBefore(text, min(len(text), from+size))
		if i == sliceCount-1 {
			to = len(text)
		}
		if from > at {
			fmt.Fprintf(&b, "\n[... %d bytes left out ...]\n", from-at)
		}
		b.WriteString(text[from:max(from, to)])
		at = max(at, to)
	}
	return b.String()
}

// sliceStarts are the starts of the pieces: the first at the beginning, the last so that it
// reaches the end, each of the others at an error in its section of the text, if any.
func (s *signs) sliceStarts(text string, size int) []int {
	starts := []int{0}
	part := (len(text) - 2*size) / (sliceCount - 2)
	for i := range sliceCount - 2 {
		from := size + i*part
		to := min(from+part, len(text)-size)
		at := from
		if hit := s.errorAt(text[from:to]); hit >= 0 {
			at = max(from, from+hit-size/4)
		}
		starts = append(starts, at)
	}
	return append(starts, len(text)-size)
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
