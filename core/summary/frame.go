package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Frame is what surrounds the summaries: what the user asked, verbatim, and the state of
// the work. It is derived from the messages each time, so that it does not degrade from one
// compaction to the next.
type Frame struct {
	Files
	prompts          []prompt
	plan             []string
	promptsSincePlan int      // number of prompts after the plan was written
	failing          []string // commands whose last run failed, oldest first
	errors           []string // other failures
	decided          []string
	found            []string // causes and fixes
	done             []string
	proposed         []string // with the user's replies
	ahead            []string // what the model announced to do
	progress         []string // what the model wrote since the user's last turn
	names            []string // most mentioned first
}

// prompt is a message of the user.
type prompt struct {
	id, text string
	time     int64
}

// The sizes of a frame in tokens. Around extracts it is larger than around summaries by a
// model.
const (
	fullFrame token.Count = 4850
	leanFrame token.Count = 1280
)

// Frame returns the frame of a branch.
func (b *Branch) Frame() (Frame, error) {
	x := b.extractor(0, len(b.Units))
	x.names = newNames(b)
	if err := x.read(); err != nil {
		return Frame{}, err
	}
	f := Frame{Files: b.Files(), prompts: x.prompts, plan: x.todo.lines(), promptsSincePlan: len(x.prompts) - x.promptsAtPlan, ahead: x.ahead.lines(len(x.prompts))}
	for _, p := range x.points {
		switch {
		case p.failed:
			f.failing = append(f.failing, p.text)
		case p.weight == weightFailed || p.weight == weightError:
			f.errors = append(f.errors, p.text)
		case p.weight == weightDecision:
			f.decided = append(f.decided, p.text)
		case p.weight == weightFinding:
			f.found = append(f.found, p.text)
		case p.proposal:
			f.proposed = append(f.proposed, p.text+" - the user replied: "+cmp.Or(p.reply, "nothing yet"))
		case p.weight == weightResult || p.weight == weightDone:
			f.done = append(f.done, p.text)
		}
	}
	for i := len(x.points) - 1; i >= 0 && len(f.progress) < progressLines && x.points[i].weight < weightUser; i-- {
		if p := x.points[i]; p.fromModel {
			f.progress = append(f.progress, p.text)
		}
	}
	slices.Reverse(f.progress)
	f.names = x.names.ranked()
	return f, nil
}

// progressLines is how many lines describe the work in progress.
const progressLines = 3

// write formats the frame in roughly budget tokens. known is text that stands beside it,
// whose names need not be repeated.
func (f *Frame) write(full bool, budget token.Count, known string) string {
	size := leanFrame
	if full {
		size = fullFrame
	}
	w := frameWriter{share: min(1, float64(budget)/float64(size))}
	if full {
		w.section("What the user asked, word for word", f.pick(w.part(1500)))
		w.list("Decided", f.decided, 450)
		w.list("Found out", f.found, 300)
		w.list("Done", f.done, 600)
		w.list("Proposed without a change, and the reply", f.proposed, 250)
		w.list("Commands that failed when they were last run", f.failing, 300)
		w.list("Errors met before, now gone or avoided", f.errors, 300)
		w.list(f.planTitle(), f.plan, 300)
		w.list("Announced, and perhaps not done yet", f.ahead, 150)
		w.list("In progress", f.progress, 150)
		w.words("Names to search for", f.names, known, 700)
		return w.out.String()
	}
	w.section("What the user asked, word for word", f.pick(w.part(900)))
	w.list("Commands that failed when they were last run", f.failing, 130)
	w.list(f.planTitle(), f.plan, 130)
	return w.out.String()
}

// planTitle says how old the plan is, since open items may be done by now.
func (f *Frame) planTitle() string {
	const title = "To-do list"
	if f.promptsSincePlan == 0 {
		return title
	}
	return fmt.Sprintf("%s, written before the user's last %s", title, text.Count(f.promptsSincePlan, "message"))
}

// frameWriter writes the sections of a frame.
type frameWriter struct {
	share float64 // share of the usual size
	out   strings.Builder
}

// part is how many tokens a section may have.
func (w *frameWriter) part(usual token.Count) token.Count {
	return token.Count(float64(usual) * w.share)
}

// section writes a section, in a fence that its text cannot close.
func (w *frameWriter) section(title, body string) {
	if body != "" {
		fmt.Fprintf(&w.out, "\n### %s\n%s\n", title, fence.Block(withoutTags(body)))
	}
}

// list writes the latest of some lines, in order and without duplicates.
func (w *frameWriter) list(title string, lines []string, usual token.Count) {
	room := w.part(usual)
	var kept []string
	seen := make(map[string]bool)
	for i := len(lines) - 1; i >= 0; i-- {
		line := "- " + lines[i] + "\n"
		n := token.OfText(line)
		if seen[undated(lines[i])] || n > room {
			continue
		}
		seen[undated(lines[i])] = true
		kept, room = append(kept, line), room-n
	}
	slices.Reverse(kept)
	w.section(title, strings.TrimSpace(strings.Join(kept, "")))
}

// undated returns a line without the time at its beginning.
func undated(line string) string {
	if _, rest, ok := strings.Cut(line, " "); ok && len(line) > 5 && line[2] == ':' {
		return rest
	}
	return line
}

// words writes, on one line, words that occur nowhere else in the text.
func (w *frameWriter) words(title string, words []string, known string, usual token.Count) {
	room := w.part(usual)
	known += w.out.String()
	var b strings.Builder
	for _, word := range words {
		n := token.OfText(word + ", ")
		if n > room || strings.Contains(known, word) {
			continue
		}
		b.WriteString(word + ", ")
		room -= n
	}
	w.section(title, strings.TrimSuffix(b.String(), ", "))
}

// pick writes prompts verbatim, within a budget. The latest and the first have priority,
// then the others from the latest on. A prompt that is too long is cut in the middle, with
// the call that shows all of it.
func (f *Frame) pick(budget token.Count) string {
	all := tasks(f.prompts)
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

// tasks are the prompts that may set a task or a constraint: all but those of at most two
// words, such as "go on" or a command. The latest always counts.
func tasks(all []prompt) []prompt {
	var out []prompt
	for i, p := range all {
		if i == len(all)-1 || len(strings.Fields(p.text)) > 2 {
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
	room := max(0, int(size-1)*charsPerToken-token.Units(p.head()+note))
	begin := p.text[:fence.Fit(p.text, room*2/3)]
	rest := p.text[len(begin):]
	end := rest[fence.CutBefore(rest, max(0, len(rest)-room/3)):]
	return p.head() + begin + note + end
}
