package summary

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// DescribeTool is the tool with which a model asks for summaries.
const DescribeTool = "lcm_describe"

// The size of a reply to a model, in tokens.
const (
	answerTokens    token.Count = 4000
	minAnswerTokens token.Count = 400
)

// CallError is why a tool call cannot be answered. Its text is for the model.
type CallError struct{ Text string }

// Error implements error.
func (e *CallError) Error() string { return e.Text }

// KeyIn finds the key of a summary, or a prefix of one, in the id that a model passes.
func KeyIn(s string) (string, bool) {
	for _, word := range strings.FieldsFunc(s, func(r rune) bool {
		return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	}) {
		if LooksLikeKey(word) {
			return word, true
		}
	}
	return "", false
}

// DescribeText answers the tool DescribeTool: a section of the view, or the summary that id
// names.
func (v *View) DescribeText(ctx context.Context, st Reader, section, id string) (recall.Answer, error) {
	if id = strings.TrimSpace(id); id != "" {
		return v.describeKey(ctx, st, id)
	}
	switch section {
	case "":
		section = Overview
	case Overview, Recent, Earliest:
	case ByID:
		return recall.Answer{}, &CallError{`id is missing. Call it like lcm_describe(section="by_id", id="s-3f9a2c1b0d12")`}
	default:
		return recall.Answer{}, &CallError{"there is no section " + text.LogLine(section) + ": want overview, recent, earliest or by_id"}
	}
	return recall.Answer{Text: v.Describe(section, answerTokens)}, nil
}

func (v *View) describeKey(ctx context.Context, st Reader, id string) (recall.Answer, error) {
	key, ok := KeyIn(id)
	if !ok {
		return recall.Answer{}, &CallError{text.LogLine(id) + " is not the id of a summary. lcm_expand reads an entry; lcm_describe(section=\"overview\") lists the summaries"}
	}
	body, n, err := v.DescribeNode(ctx, st, key, answerTokens)
	if err != nil {
		return recall.Answer{}, callError(err)
	}
	return recall.Answer{Text: body, Details: map[string]any{"id": n.Key, "depth": n.Depth}}, nil
}

// callError explains an unknown or ambiguous id to a model.
func callError(err error) error {
	var many *AmbiguousError
	switch {
	case errors.As(err, &many):
		return &CallError{many.Error()}
	case errors.Is(err, ErrNotFound):
		return &CallError{err.Error() + `. lcm_describe(section="overview") lists the summaries`}
	}
	return err
}

// ExpandCall is a model's request for the sources of a summary. 0 selects a default.
type ExpandCall struct {
	Key                      string
	Depth, Cursor, MaxTokens int
}

// ExpandText answers a call with a page, and names the call for the next one.
func ExpandText(ctx context.Context, st Reader, call ExpandCall) (recall.Answer, error) {
	n, err := st.Summary(ctx, call.Key)
	if err != nil {
		return recall.Answer{}, callError(err)
	}
	budget := answerTokens
	if call.MaxTokens > 0 {
		budget = min(max(token.Count(call.MaxTokens), minAnswerTokens), recall.MaxReply)
	}
	page, err := Expand(ctx, st, n, PageRequest{Depth: call.Depth, Cursor: call.Cursor, Budget: budget})
	if err != nil {
		return recall.Answer{}, err
	}
	body := page.Text
	if page.Next > 0 {
		body += fmt.Sprintf("Next part: lcm_expand(id=\"%s\", cursor=\"%d\"", n.Key, page.Next)
		if call.Depth > 1 {
			body += fmt.Sprintf(", depth=%d", call.Depth)
		}
		body += ")"
	}
	return recall.Answer{Text: body, Details: map[string]any{"id": n.Key, "next": page.Next, "bytes": page.Total}}, nil
}
