package dialog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/capture"
	"github.com/coctostan/pictx/core/text"
)

// The questions whose answers several dialogs want.
const (
	askWhich = "which"
	askText  = "text"
	askWhy   = "why"
)

// textQuestion asks for the text of a decision.
func textQuestion(title string) Question {
	return Question{ID: askText, Kind: WriteText, Title: title, Required: true, Check: func(said string) error {
		_, err := decision.Clean(said)
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

// New asks for a new decision: its text, its reason and its tags,
// which SplitTags parses.
func New() (body, reason, tags Question) {
	body = textQuestion("Decision")
	body.About = "A decision is a rule that was chosen over alternatives and applies from now on."
	reason = Question{ID: askWhy, Kind: WriteLine, Title: "Reason"}
	tags = Question{ID: "tags", Kind: WriteLine, Title: "Tags", About: "Tags are separated by commas."}
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

// The answers to Closest.
const (
	Supersede = "supersede" // it supersedes one of them
	Mark      = "mark"      // both stay and are marked as conflicting
	Update    = "update"    // one of them gets its text
	Add       = "add"       // it is added unchanged
	Cancel    = "cancel"
)

// Closest shows the active decisions closest to a new one and asks what to do.
func Closest(closest []*decision.Decision) Question {
	about := lines(closest, (*decision.Decision).Summary)
	return Question{
		ID: "closest", Kind: ChooseOne, Title: "Does it contradict one of these, or say the same?", About: about,
		Alone:   "These active decisions are closest:\n" + lines(closest, (*decision.Decision).Brief) + "Does it contradict one, or say the same?",
		Default: Add,
		Choices: []Choice{
			{Value: Add, Label: "Neither: add it"},
			{Value: Supersede, Label: "It contradicts one: supersede that (recommended)"},
			{Value: Mark, Label: "It contradicts one: keep both and mark the conflict"},
			{Value: Update, Label: "It says the same as one: update that with this text"},
			{Value: Cancel, Label: "Cancel"},
		},
	}
}

// lines returns decisions as lines.
func lines(list []*decision.Decision, line func(*decision.Decision) string) string {
	var b strings.Builder
	for _, d := range list {
		b.WriteString(line(d) + "\n")
	}
	return b.String()
}

// Review asks what to do with a draft and names the closest active decisions. The answer is
// a status.
func Review(s *decision.State, d *decision.Decision, title string) Question {
	about := d.Summary() + "\n"
	if d.Reason != "" {
		about += "reason: " + text.TerminalLine(d.Reason) + "\n"
	}
	about += "from " + text.TerminalLine(d.Actor+" "+d.By) + "\n"
	if closest := s.Closest(d.Text, nil); len(closest) > 0 {
		about += "closest active decisions; check whether one contradicts it or says the same:\n" + lines(closest, (*decision.Decision).Summary)
	}
	return Question{
		ID: "review", Kind: ChooseOne, Title: title, About: about, Default: string(decision.Draft),
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
		ID: "purge", Kind: ChooseOne, Title: "Purge " + text.Count(len(due), "decision") + "?", About: about, Default: Keep,
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
		if closest := s.Closest(c.Text, nil); len(closest) > 0 {
			choice.About = "closest: " + closest[0].Line()
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
