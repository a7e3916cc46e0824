package report

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/transcript"
	"github.com/coctostan/pictx/core/usage"
)

// messagesView is the transcript of a session prepared for its template.
type messagesView struct {
	*transcript.Transcript
	prose *prose
	code  *highlighter
}

func newMessagesView(t *transcript.Transcript) (*messagesView, error) {
	code, err := newHighlighter()
	return &messagesView{t, newProse(code), code}, err
}

// Prompts returns the user's messages, for the list at the top of the page.
func (v *messagesView) Prompts() []itemView {
	var out []itemView
	for _, it := range v.Views() {
		if it.Kind == transcript.Prompt {
			out = append(out, it)
		}
	}
	return out
}

// Views returns the items of the transcript.
func (v *messagesView) Views() []itemView {
	out := make([]itemView, len(v.Items))
	for i := range v.Items {
		out[i] = itemView{&v.Items[i], v}
	}
	return out
}

// Facts returns the figures of the session as pairs of name and value.
func (v *messagesView) Facts() [][2]string {
	t := &v.Total
	out := [][2]string{{"model", fence.OneLine(strings.Join(v.Models, ", "), 120)}}
	if t.Responses > 0 {
		out = append(out, [2]string{"requests", text.Thousands(t.Responses)},
			[2]string{"input", inputOf(&t.Usage.Input, t)}, [2]string{"output", text.TokensShort(float64(t.Output)) + " tokens"})
	}
	if t.Responses > 0 && t.Priced() {
		out = append(out, [2]string{"cost", text.Dollars(t.Dollars)})
	}
	if v.Pruned > 0 {
		out = append(out, [2]string{"pruned", tokensOf(v.Pruned) + " tokens of results"})
	}
	return out
}

// inputOf formats the input of a total and its cached share.
func inputOf(plain *int64, t *usage.Total) string {
	all := *plain + t.CacheRead + t.CacheWrite
	return fmt.Sprintf("%s tokens, %.0f%% from the cache", text.TokensShort(float64(all)), 100*t.Cached())
}

// itemView is an item of a transcript.
type itemView struct {
	*transcript.Item
	view *messagesView
}

// Who returns the author of an item.
func (it itemView) Who() string {
	switch it.Kind {
	case transcript.Prompt:
		return "You"
	case transcript.Answer:
		return fence.OneLine(it.Model, 60)
	case transcript.Command:
		return "You ran a command"
	case transcript.Orphan:
		return "Result of " + fence.OneLine(it.Name, 60)
	case transcript.Compaction:
		return "Compacted: this summary took the place of everything above"
	case transcript.Branch:
		return "Summary of a branch that was left"
	}
	return "Added by an extension: " + fence.OneLine(it.Name, 60)
}

// Line returns the beginning of an item as one line.
func (it itemView) Line() string {
	line := fence.OneLine(usage.Title("", it.Text), 90)
	if line == "" {
		return "(no text)"
	}
	return line
}

// When is the local time of the item, "" when unknown.
func (it itemView) When() string { return localMinute(it.Time) }

func localMinute(ms int64) string {
	if ms == 0 {
		return ""
	}
	return text.LocalMinute(ms)
}

// Bill formats what a response was billed for, "" when the provider did not say.
func (it itemView) Bill() string {
	r := it.Response
	if r == nil {
		return ""
	}
	var t usage.Total
	t.Add(r)
	out := inputOf(&t.Usage.Input, &t) + ", " + text.TokensShort(float64(r.Output)) + " out"
	if r.Priced {
		out += " · " + text.Dollars(r.Dollars)
	}
	return out
}

// Prose returns the text of the item as HTML.
func (it itemView) Prose() template.HTML { return it.view.prose.render(it.Text) }

// PartViews returns the parts of a response.
func (it itemView) PartViews() []partView {
	out := make([]partView, len(it.Parts))
	for i := range it.Parts {
		out[i] = partView{&it.Parts[i], it.view}
	}
	return out
}

// Output returns the result of a command or an orphan, nil for none.
func (it itemView) Output() *resultView { return it.view.result(it.Result) }

// partView is a part of a response.
type partView struct {
	*transcript.Part
	view *messagesView
}

// Prose returns the text of the part as HTML.
func (p partView) Prose() template.HTML { return p.view.prose.render(p.Text) }

// Thought returns the thinking of the model as HTML.
func (p partView) Thought() template.HTML { return p.view.prose.render(p.Thinking) }

// Input returns the arguments of the tool call, highlighted.
func (p partView) Input() template.HTML { return p.view.code.code(p.Call.Input) }

// Output returns the result of the tool call, nil for none.
func (p partView) Output() *resultView { return p.view.result(p.Call.Result) }

// shortest is the size in bytes up to which a call with its result is shown unfolded.
const shortest = 700

// IsShort reports whether the call is shown unfolded.
func (p partView) IsShort() bool {
	n := len(p.Call.Input.Text)
	if p.Call.Result != nil {
		n += len(p.Call.Result.Output.Text)
	}
	return n <= shortest
}

// resultView is a tool result.
type resultView struct {
	*transcript.Result
	view *messagesView
}

func (v *messagesView) result(r *transcript.Result) *resultView {
	if r == nil {
		return nil
	}
	return &resultView{r, v}
}

// Text returns the output, highlighted.
func (r *resultView) Text() template.HTML { return r.view.code.code(r.Result.Output) }

// IsShort reports whether a result outside a call is shown unfolded.
func (r *resultView) IsShort() bool { return len(r.Result.Output.Text) <= shortest }

// Size formats the length of the output.
func (r *resultView) Size() string {
	lines := strings.Count(strings.TrimRight(r.Result.Output.Text, "\n"), "\n") + 1
	if r.Result.Output.Text == "" {
		lines = 0
	}
	out := text.Count(lines, "line")
	if r.Images > 0 {
		out += ", " + text.Count(r.Images, "image")
	}
	return out
}

// Why says when and why the result was pruned.
func (r *resultView) Why() string {
	p := r.Pruned
	out := "pruned"
	if at := localMinute(p.Time); at != "" {
		out += " " + at
	}
	if p.Reason != "" {
		out += ": " + reasonWords(p.Reason)
	}
	if p.Tokens > 0 {
		out += " (" + tokensOf(token.Count(p.Tokens)) + " tokens)"
	}
	return out
}

// Marker is the text that the model sees instead.
func (r *resultView) Marker() string { return fence.Plain(r.Pruned.Marker) }
