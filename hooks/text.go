package hooks

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/text"
)

// byCount lists names, the one with the highest count first.
func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
}

// lines joins lines with newlines.
func lines(l ...string) string { return strings.Join(l, "\n") }

// describePruned describes pruned tool outputs and trimmed responses: "3 tool outputs, and
// thinking and old arguments of 1 response".
func describePruned(outputs, responses int) string {
	trimmed := "thinking and old arguments of " + text.CountPlain(responses, "response")
	switch {
	case responses == 0:
		return text.CountPlain(outputs, "tool output")
	case outputs == 0:
		return trimmed
	}
	return text.CountPlain(outputs, "tool output") + ", and " + trimmed
}

// UnknownWord says that a command does not have a word, and suggests the closest one.
func UnknownWord(command, word string, words []string) string {
	msg := "/" + command + " does not know " + text.LogLine(word) + "."
	if near := text.Closest(word, words, 2); near != "" {
		msg += " Did you mean /" + command + " " + near + "?"
	}
	return msg
}

// CompleteWord returns completions for the words that begin with prefix.
func CompleteWord(prefix string, words []string) []CompletionItem {
	var out []CompletionItem
	for _, w := range words {
		if strings.HasPrefix(w, prefix) {
			out = append(out, CompletionItem{Value: w, Label: w})
		}
	}
	return out
}

// outlineBytes is the maximum length of an outline in the log.
const outlineBytes = 480

// outline returns the shape of a payload for the log, with the size of each string in place
// of its text: {"toolName":"4 bytes"}.
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
		if kind, n := in.StackIndex(depth); t.Kind() == '"' && (kind != '{' || n%2 == 0) { // a value, not a member name
			t = jsontext.String(fmt.Sprintf("%d bytes", len(t.String())))
		}
		if err := enc.WriteToken(t); err != nil {
			break
		}
	}
	text := bytes.TrimSpace(out.Bytes())
	return string(text[:min(len(text), outlineBytes)])
}
