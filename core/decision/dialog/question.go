package dialog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/capture"
	"github.com/coctostan/pictx/core/decision/likeness"
	"github.com/coctostan/pictx/core/text"
)

// textQuestion asks for the text of a decision.
func textQuestion(title string, limit int) Question {
	return Question{ID: askText, Kind: WriteText, Title: title, Required: true, Check: func(said string) error {
		_, err := decision.CleanTo(said, limit)
		return err
	}}
}

// Why asks why a decision supersedes the one with the id.
func Why(id string) Question {
	return Question{
		ID: askWhy, Kind: WriteLine, Title: "Reason for superseding", Required: true,
		Alone: "Why does it replace " + id + "?", Placeholder: "reason",
	}
}

// New asks for a new decision: its text of at most limit bytes, its reason and its tags,
// which SplitTags parses.
func New(limit int) (body, reason, tags Question) {
	body = textQuestion("Decision", limit)
	body.About = "A rule that was chosen over alternatives and applies from now on."
	reason = Question{ID: askWhy, Kind: WriteText, Title: "Reason", Lines: 2}
	tags = Question{ID: "tags", Kind: WriteLine, Title: "Tags", About: "Separated by commas."}
	return body, reason, tags
}

// SplitTags parses a comma-separated list of tags.
func SplitTags(list string) []string {
	var out []string
	for _, t := range strings.Split(list, ",") {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// The answers to Related.
const (
	Supersede = "supersede" // it supersedes the nearest one
	Mark      = "mark"      // both stay and are marked as conflicting
	Update    = "update"    // the nearest one gets its text
	Add       = "add"       // it is added unchanged
	Cancel    = "cancel"
)

// The maximum number of related decisions that are named.
const (
	MaxRelatedShown = 10 // next to a question, and in a warning
	maxRelatedAlone = 6  // where only the question is shown
)

// Related asks what to do about decisions related to a new one, nearest first.
func Related(related []decision.Relation) Question {
	first := related[0].Decision.ID
	lines := func(limit int, line func(*decision.Decision) string) string {
		var out []string
		for i, r := range related {
			if i == limit {
				out = append(out, "and "+text.Count(len(related)-i, "more related decision"))
				break
			}
			out = append(out, string(r.Class)+"? "+line(r.Decision))
		}
		return strings.Join(out, "\n")
	}
	about := lines(MaxRelatedShown, (*decision.Decision).Summary) + "\n"
	return Question{
		ID: "related", Kind: ChooseOne, Title: "There are related decisions", About: about, Spoken: about,
		Alone:   "There are related decisions:\n" + lines(maxRelatedAlone, (*decision.Decision).Brief),
		Default: Supersede,
		Choices: []Choice{
			{Value: Supersede, Label: "Supersede " + first + " (recommended)"},
			{Value: Mark, Label: "Keep both and mark the conflict"},
			{Value: Update, Label: "Update " + first + " with this text"},
			{Value: Add, Label: "Add it: they do not concern each other"},
			{Value: Cancel, Label: "Cancel"},
		},
	}
}

// Review asks what to do with a draft and names related decisions. The answer is a status.
func Review(s *decision.State, d *decision.Decision, title string) Question {
	about := d.Summary() + "\n"
	if d.Reason != "" {
		about += "reason: " + text.TerminalLine(d.Reason) + "\n"
	}
	about += "from " + text.TerminalLine(d.Actor+" "+d.By) + "\n"
	related := s.Related(d.Text, nil)
	const limit = 3
	for _, r := range related[:min(len(related), limit)] {
		about += string(r.Class) + "? " + r.Decision.Summary() + "\n"
		if r.Why != "" {
			about += "  why: " + r.Why + "\n"
		}
	}
	return Question{
		ID: "review", Kind: ChooseOne, Title: title, About: about, Spoken: about, Default: string(decision.Draft),
		Choices: []Choice{
			{Value: string(decision.Active), Label: "Accept: it is binding from now on"},
			{Value: string(decision.Rejected), Label: "Reject"},
			{Value: string(decision.Draft), Label: "Leave it a draft"},
		},
	}
}

// The answers to Purge.
const (
	Keep   = "keep"
	Remove = "remove"
	Redact = "redact" // remove them and their texts from the log
)

// Purge asks what to do about decisions that have exceeded their retention. With redact
// set, plain removal that leaves their texts in the log is not offered.
func Purge(due []decision.Due, redact bool) Question {
	const limit = 15
	about := ""
	for i, d := range due {
		if i == limit {
			about += fmt.Sprintf("and %s; --dry-run lists them\n", text.Count(len(due)-i, "more decision"))
			break
		}
		about += d.Line() + "\n"
	}
	q := Question{
		ID: "purge", Kind: ChooseOne, Title: "Purge " + text.Count(len(due), "decision") + "?", About: about, Spoken: about, Default: Keep,
		Choices: []Choice{
			{Value: Keep, Label: "Keep them"},
			{Value: Remove, Label: "Remove them; their texts stay in the log's history"},
			{Value: Redact, Label: "Remove them and delete their texts from the log"},
		},
	}
	if redact {
		q.Choices = slices.Delete(q.Choices, 1, 2)
	}
	return q
}

// Capture asks which candidates are decisions. An answer names them by Candidate.ID.
func Capture(s *decision.State, list []capture.Candidate) Question {
	q := Question{ID: "capture", Kind: ChooseSome, Title: "Remember these as decisions?"}
	for _, c := range list {
		choice := Choice{Value: c.ID(), Label: decision.CutWord(text.Line(c.Text), 100), Selected: true}
		if related := s.Related(c.Text, nil); len(related) > 0 {
			choice.About = string(related[0].Class) + "? " + related[0].Decision.Line()
			choice.Selected = related[0].Class != likeness.Duplicate
		}
		q.Choices = append(q.Choices, choice)
	}
	return q
}

// brief returns a decision as a short line, only its id when the log lacks it.
func brief(s *decision.State, id string) string {
	if d, err := s.Find(id); err == nil {
		return d.Brief()
	}
	return id
}

// maxNear is the maximum number of decisions that Near returns.
const maxNear = 3

// Near returns decisions that a user may have meant by an unknown id, latest first: those
// with a similar end of the id, else those whose text contains it, else any.
func Near(s *decision.State, id string) []*decision.Decision {
	const mistakes = 2
	want := strings.ToUpper(strings.TrimSpace(id))
	alike := func(d *decision.Decision) bool {
		end := d.Bare[max(0, len(d.Bare)-len(want)):]
		return len(want) > mistakes && text.Distance(want, strings.ToUpper(end)) <= mistakes
	}
	holds := func(d *decision.Decision) bool { return strings.Contains(strings.ToUpper(d.Text), want) }
	anyOne := func(*decision.Decision) bool { return true }
	var out []*decision.Decision
	for _, is := range []func(*decision.Decision) bool{alike, holds, anyOne} {
		for _, d := range slices.Backward(s.Present()) {
			if len(out) < maxNear && is(d) {
				out = append(out, d)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}
