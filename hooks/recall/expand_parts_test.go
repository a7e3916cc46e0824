package recall_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// A model that knows where to look reads the lines that it needs.
func TestLcmExpandShowsThePartsOfALongOutputThatACallAsksFor(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	var log []string
	for i := range 3000 {
		log = append(log, fmt.Sprintf("row %d of the log", i+1))
	}
	log[1499], log[2499] = "warn: the okapi sleeps", "warn: the okapi woke"
	text := must.Get(json.Marshal(strings.Join(log, "\n")))(t)
	a.write(
		`{"type":"message","id":"run","parentId":"reply","timestamp":"2026-03-02T10:00:00.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"cat zoo.log"}}],"stopReason":"toolUse"}}`,
		`{"type":"message","id":"log","parentId":"run","timestamp":"2026-03-02T10:00:01.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":`+string(text)+`}],"isError":false}}`,
	)
	for _, tt := range []struct {
		params      string
		want        []string // in the result, or in the error
		first, last string   // the rows at the ends; "" for any
		bad         bool
	}{
		{`{"id":"log","lines":"1498-1501"}`, []string{"warn: the okapi sleeps"}, "row 1498 of the log", "row 1501 of the log", false},
		{`{"id":"log","grep":"okapi \\w+"}`, []string{"1500", "warn: the okapi sleeps", "2500", "warn: the okapi woke"}, "", "", false},
		{`{"id":"log","around":"okapi woke"}`, []string{"warn: the okapi woke"}, "row 2490 of the log", "row 2510 of the log", false},
		{`{"id":"log","around":1500}`, []string{"warn: the okapi sleeps"}, "row 1490 of the log", "row 1510 of the log", false},
		{`{"id":"log","around":"giraffe"}`, []string{`does not hold "giraffe"`}, "", "", true},
		{`{"id":"log","lines":"4000-4010"}`, []string{"there is no line 4000: the text has 3,000 lines"}, "", "", true},
		{`{"id":"log","grep":"("}`, []string{"grep must be a regular expression"}, "", "", true},
		{`{"id":"log","lines":"last"}`, []string{"lines must be a range such as 10-40"}, "", "", true},
	} {
		got := a.tool("lcm_expand", tt.params)
		shown := got.Text
		if tt.bad {
			shown = got.Error
		}
		for _, want := range tt.want {
			if !strings.Contains(shown, want) {
				t.Errorf("%s: no %q in text %q, error %q", tt.params, want, got.Text, got.Error)
			}
		}
		if (got.Error != "") != tt.bad {
			t.Errorf("%s: error %q, want one: %v", tt.params, got.Error, tt.bad)
		}
		var rows []string
		for line := range strings.Lines(shown) {
			if strings.HasPrefix(line, "row ") {
				rows = append(rows, strings.TrimSpace(line))
			}
		}
		if tt.first != "" && (len(rows) == 0 || rows[0] != tt.first || rows[len(rows)-1] != tt.last) {
			t.Errorf("%s: rows %q, want them from %q to %q", tt.params, rows, tt.first, tt.last)
		}
	}
}
