package summary

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// DescribeTool is the tool with which a model asks for summaries.
const DescribeTool = "lcm_describe"

// answerTokens is the size of a reply to a model.
const answerTokens token.Count = 4000

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
		key, ok := KeyIn(id)
		if !ok {
			return recall.Answer{}, badCall(text.LogLine(id)+" is not the id of a summary; lcm_expand reads an entry", nil)
		}
		body, n, err := v.DescribeNode(ctx, st, key, answerTokens)
		if err != nil {
			return recall.Answer{}, explained(err)
		}
		return recall.Answer{Text: body, Details: map[string]any{"id": n.Key, "depth": n.Depth}}, nil
	}
	switch section = cmp.Or(section, Overview); section {
	case Overview, Recent, Earliest:
		return recall.Answer{Text: v.Describe(section, answerTokens)}, nil
	case ByID:
		return recall.Answer{}, badCall("id is missing", nil)
	}
	return recall.Answer{}, badCall("there is no section "+text.LogLine(section)+": want overview, recent, earliest or by_id", nil)
}

// badCall is a call that a model can correct.
func badCall(problem string, cause error) error {
	return &recall.BadCallError{Tool: DescribeTool, Problem: problem, Hint: `lcm_describe(section="overview") lists the summaries.`, Cause: cause}
}

// explained makes an unknown or ambiguous id a call that a model can correct.
func explained(err error) error {
	if errors.Is(err, ErrNotFound) || errors.As(err, new(*AmbiguousError)) {
		return badCall(err.Error(), err)
	}
	return err
}
