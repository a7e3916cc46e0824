package summary

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Frame is what surrounds the summaries: what the user asked, verbatim, and the state of
// the work. It is derived from the messages each time, so that it does not degrade from one
// compaction to the next. The state is that at the end of the branch, with what is kept.
type Frame struct {
	Files
	x       *extractor
	dropped int     // number of messages that the reader no longer sees
	points  []point // of these messages
}

// prompt is a message of the user.
type prompt struct {
	unit     int
	id, text string
	time     int64
	point    int // index in points of the extractor
}

// The sizes of a frame in tokens. Around extracts it is larger than around summaries by a
// model.
const (
	fullFrame token.Count = 5400
	leanFrame token.Count = 1280
)

// plenty is the size up to which an assembled text without a model's summary is filled with
// findings; minFound is their minimum.
const (
	plenty   token.Count = 3000
	minFound token.Count = 2000
)

// Frame returns the frame of a branch.
func (b *Branch) Frame() (Frame, error) {
	x := b.extractor(0, len(b.Units)+len(b.kept))
	if err := x.read(); err != nil {
		return Frame{}, err
	}
	f := Frame{Files: b.Files(), x: x, dropped: len(b.Units)}
	for _, p := range x.latest() {
		if p.unit < f.dropped {
			f.points = append(f.points, p)
		}
	}
	return f, nil
}

// A section lists points of one kind.
type section struct {
	title      string
	lean, full token.Count // the usual size around a model's summary, and around an extract
	most       int         // characters of a point, 0 for any
	is         func(p *point) bool
}

// sections are the lists between what the user asked and the to-do list.
func sections() []section {
	return []section{
		{"Decided", 0, 450, 0, func(p *point) bool { return p.weight == weightDecision }},
		{"Done", 0, 600, 0, func(p *point) bool { return (p.weight == weightReport || p.weight == weightDone) && !p.asks }},
		{"Asked at the end of a turn, and the reply", 0, 350, 0, func(p *point) bool { return p.asks }},
		{"Commands that failed when they were last run", 130, 300, 0, func(p *point) bool { return p.failed }},
		{"Errors met before, now gone or avoided", 0, 800, 0, func(p *point) bool { return (p.weight == weightFailed || p.weight == weightError) && !p.failed }},
	}
}

// write formats the frame in roughly budget tokens. known is text that stands beside it,
// which need not be repeated.
func (f *Frame) write(full bool, budget token.Count, known string) string {
	if f.x == nil {
		return ""
	}
	w := frameWriter{x: f.x, points: f.points, known: known, full: full, share: min(1, float64(budget)/float64(leanFrame))}
	if full {
		w.share = min(1, float64(budget)/float64(fullFrame))
	}
	w.section("What the user asked, word for word", f.pick(w.part(900, 1500)))
	for _, s := range sections() {
		if part := w.part(s.lean, s.full); part > 0 {
			w.list(s, part)
		}
	}
	w.section(f.planTitle(), f.plan(w.part(130, 300)))
	if full { // findings use the room that is left, shortened so that more of them fit
		room := max(w.part(0, minFound), plenty-token.OfText(known+w.out.String()))
		w.list(section{title: "Found out", most: shortPoint, is: func(p *point) bool { return p.weight == weightFinding }}, room)
	}
	return w.out.String()
}

// plan formats the to-do list in at most budget tokens; open items have priority.
func (f *Frame) plan(budget token.Count) string {
	var points []point
	for _, line := range f.x.todoLines() {
		points = append(points, point{text: line})
	}
	var out []string
	for _, p := range chooseLast(points, budget) {
		out = append(out, "- "+p.text)
	}
	return strings.Join(out, "\n")
}

// planTitle says how old the plan is, since open items may be done by now.
func (f *Frame) planTitle() string {
	const title = "To-do list"
	since := len(f.x.prompts) - f.x.atPlan
	if since == 0 {
		return title
	}
	return fmt.Sprintf("%s, written before the user's last %s", title, text.Count(since, "message"))
}

// frameWriter writes the sections of a frame.
type frameWriter struct {
	x      *extractor
	points []point
	known  string // what stands beside the frame
	full   bool
	share  float64 // share of the usual size
	out    strings.Builder
}

// part is how many tokens a section may have.
func (w *frameWriter) part(lean, full token.Count) token.Count {
	if w.full {
		lean = full
	}
	return token.Count(float64(lean) * w.share)
}

// section writes a section, in a fence that its text cannot close.
func (w *frameWriter) section(title, body string) {
	if body != "" {
		fmt.Fprintf(&w.out, "\n### %s\n%s\n", title, fence.Block(withoutTags(body)))
	}
}

// list writes the points of a section, in order and without what is written already.
func (w *frameWriter) list(s section, room token.Count) {
	var points []point
	seen := make(map[string]bool)
	known := w.known + w.out.String()
	for _, p := range w.points {
		if !s.is(&p) || seen[p.text] || p.weight < weightDecision && !p.failed && strings.Contains(known, strings.TrimPrefix(p.text, "said: ")) {
			continue
		}
		seen[p.text] = true
		if p.asks {
			p.text += " - the user replied: " + cmp.Or(p.reply, "nothing yet")
		}
		p.text = fence.OneLine(p.text, s.most)
		points = append(points, p)
	}
	w.section(s.title, strings.TrimSpace(w.x.lines(chooseLast(points, room))))
}

// pick writes prompts verbatim, within a budget. The latest and the first have priority,
// then the others from the latest on. A prompt that is too long is cut in the middle, with
// the call that shows all of it.
func (f *Frame) pick(budget token.Count) string {
	all := tasks(f.x.prompts, f.dropped)
	if len(all) == 0 {
		return ""
	}
	last := len(all) - 1
	sizes := make([]token.Count, len(all))
	left := budget
	grant := func(i int, most token.Count) {
		n := min(all[i].size(), most, left+sizes[i])
		if n > sizes[i] && (n == all[i].size() || n >= minPrompt) {
			left -= n - sizes[i]
			sizes[i] = n
		}
	}
	grant(last, budget*45/100)
	grant(0, budget*40/100)
	for i := last - 1; i > 0; i-- {
		grant(i, budget/8)
	}
	for i := last; i >= 0; i-- {
		grant(i, budget)
	}
	var b strings.Builder
	for i, p := range all {
		if sizes[i] > 0 {
			b.WriteString(p.write(sizes[i]) + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

// tasks are the prompts of the messages before a unit that may set a task or a constraint:
// all but those of at most two words, such as "go on" or a command. The latest always counts.
func tasks(all []prompt, end int) []prompt {
	var out []prompt
	for i, p := range all {
		if p.unit < end && (len(strings.Fields(p.text)) > 2 || i+1 == len(all) || all[i+1].unit >= end) {
			out = append(out, p)
		}
	}
	return out
}

// minPrompt is the minimum size of a part of a prompt worth showing, in tokens.
const minPrompt token.Count = 60

// head is the line before a prompt.
func (p *prompt) head() string {
	return fmt.Sprintf("[%s, entry %s]\n", text.Minute(p.time), fence.OneLine(p.id, 40))
}

// size is the size of the whole prompt.
func (p *prompt) size() token.Count { return token.OfText(p.head()+p.text) + 1 }

// write formats the prompt in size tokens.
func (p *prompt) write(size token.Count) string {
	if size >= p.size() {
		return p.head() + p.text
	}
	note := fmt.Sprintf("\n[... cut; all of it: lcm_expand(id=\"%s\") ...]\n", fence.OneLine(p.id, 40))
	room := max(0, int(size-1)*charsPerToken-text.Units(p.head()+note))
	begin := p.text[:fence.Fit(p.text, room*2/3)]
	rest := p.text[len(begin):]
	end := rest[fence.CutBefore(rest, max(0, len(rest)-room/3)):]
	return p.head() + begin + note + end
}
