package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/text"
)

// byCount lists names by how often they were counted, the most frequent first.
func byCount(counts map[string]int) string {
	names := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(names, func(a, b string) int { return counts[b] - counts[a] })
	for i, n := range names {
		names[i] = fmt.Sprintf("%s %d", text.LogLine(n), counts[n])
	}
	return strings.Join(names, ", ")
}

// lines joins lines into a text.
func lines(l ...string) string { return strings.Join(l, "\n") }

// left names what requests leave out: tool outputs, and responses of which only thinking
// and old arguments went.
func left(outputs, responses int) string {
	trimmed := "thinking and old arguments of " + text.CountPlain(responses, "response")
	switch {
	case responses == 0:
		return text.CountPlain(outputs, "tool output")
	case outputs == 0:
		return trimmed
	}
	return text.CountPlain(outputs, "tool output") + ", and " + trimmed
}

// ago says how long before now a time was, in Unix milliseconds.
func ago(now time.Time, ms int64) string {
	d := now.Sub(time.UnixMilli(ms))
	switch {
	case ms <= 0:
		return "at an unknown time"
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	}
	return fmt.Sprintf("%d days ago", d/(24*time.Hour))
}

// UnknownWord says that a command does not have a word, and which one is near.
func UnknownWord(command, word string, words []string) string {
	said := "/" + command + " does not know " + text.LogLine(word) + "."
	if near := text.Closest(word, words, 2); near != "" {
		said += " Did you mean /" + command + " " + near + "?"
	}
	return said
}

// CompleteWord offers the words that begin with prefix.
func CompleteWord(prefix string, words []string) []CompletionItem {
	var out []CompletionItem
	for _, w := range words {
		if strings.HasPrefix(w, prefix) {
			out = append(out, CompletionItem{Value: w, Label: w})
		}
	}
	return out
}

// outlineBytes is how much of an outline a line of the log has room for.
const outlineBytes = 480

// outline is the form of a payload without its texts: of each the log has only the size.
func outline(payload jsontext.Value) string {
	var out bytes.Buffer
	in, enc := jsontext.NewDecoder(bytes.NewReader(payload)), jsontext.NewEncoder(&out)
	for out.Len() < outlineBytes {
		t, err := in.ReadToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "not JSON"
		}
		depth := in.StackDepth()
		if kind, n := in.StackIndex(depth); t.Kind() == '"' && (kind != '{' || n%2 == 0) { // not a name
			t = jsontext.String(fmt.Sprintf("%d bytes", len(t.String())))
		}
		if err := enc.WriteToken(t); err != nil {
			break
		}
	}
	text := bytes.TrimSpace(out.Bytes())
	return string(text[:min(len(text), outlineBytes)])
}
