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

// messagesView is the transcript of a session on a page.
type messagesView struct {
	*transcript.Transcript
	prose *prose
	code  *highlighter
}

func newMessagesView(t *transcript.Transcript) (*messagesView, error) {
	code, err := newHighlighter()
	return &messagesView{t, newProse(code), code}, err
}

// Prompts are what the user wrote, for the list at the head of the page.
func (v *messagesView) Prompts() []itemView {
	var out []itemView
	for _, it := range v.Views() {
		if it.Kind == transcript.Prompt {
			out = append(out, it)
		}
	}
	return out
}

// Views are the items as they are shown.
func (v *messagesView) Views() []itemView {
	out := make([]itemView, len(v.Items))
	for i := range v.Items {
		out[i] = itemView{&v.Items[i], v}
	}
	return out
}

// Facts are the figures of the session, a name and a value each.
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

// inputOf is the input of a total, and how much of it the cache held.
func inputOf(plain *int64, t *usage.Total) string {
	all := *plain + t.CacheRead + t.CacheWrite
	return fmt.Sprintf("%s tokens, %.0f%% from the cache", text.TokensShort(float64(all)), 100*t.Cached())
}

// itemView is an item of a transcript on a page.
type itemView struct {
	*transcript.Item
	view *messagesView
}

// Who says whose words an item has.
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

// Line is the beginning of an item in a line.
func (it itemView) Line() string {
	line := fence.OneLine(usage.Title("", it.Text), 90)
	if line == "" {
		return "(no text)"
	}
	return line
}

// When is the local time of an item, "" when unknown.
func (it itemView) When() string { return localMinute(it.Time) }

func localMinute(ms int64) string {
	if ms == 0 {
		return ""
	}
	return text.LocalMinute(ms)
}

// Bill is what a response was billed for, "" when its provider did not say.
func (it itemView) Bill() string {
	r := it.Response
	if r == nil {
		return ""
	}
	var t usage.Total
	t.Add(r)
	out := inputOf(&t.Usage.Input, &t) + ", " + text.TokensShort(float64(r.Output)) + " out"
	if cost, known := r.Cost(); known {
		out += " · " + text.Dollars(cost)
	}
	return out
}

// Prose is the text of an item.
func (it itemView) Prose() template.HTML { return it.view.prose.render(it.Text) }

// PartViews are the parts of an answer.
func (it itemView) PartViews() []partView {
	out := make([]partView, len(it.Parts))
	for i := range it.Parts {
		out[i] = partView{&it.Parts[i], it.view}
	}
	return out
}

// Output is the result of a command or an orphan, nil for none.
func (it itemView) Output() *resultView { return it.view.result(it.Result) }

// partView is a part of an answer on a page.
type partView struct {
	*transcript.Part
	view *messagesView
}

// Prose is the text of a part.
func (p partView) Prose() template.HTML { return p.view.prose.render(p.Text) }

// Thought is what the model thought.
func (p partView) Thought() template.HTML { return p.view.prose.render(p.Thinking) }

// Input is what the model gave the tool, in colour.
func (p partView) Input() template.HTML { return p.view.code.code(p.Call.Input) }

// Output is what the tool returned, nil when it returned nothing.
func (p partView) Output() *resultView { return p.view.result(p.Call.Result) }

// shortest is how many bytes of a call and its result are shown unfolded.
const shortest = 700

// IsShort reports whether a call is shown unfolded.
func (p partView) IsShort() bool {
	n := len(p.Call.Input.Text)
	if p.Call.Result != nil {
		n += len(p.Call.Result.Output.Text)
	}
	return n <= shortest
}

// resultView is a result on a page.
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

// Text is the output in colour.
func (r *resultView) Text() template.HTML { return r.view.code.code(r.Result.Output) }

// IsShort reports whether a result that is not within a call is shown unfolded.
func (r *resultView) IsShort() bool { return len(r.Result.Output.Text) <= shortest }

// Size says how long the output is.
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

// Why says when and why a result was pruned.
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

// Marker is what the model reads instead.
func (r *resultView) Marker() string { return fence.Plain(r.Pruned.Marker) }
