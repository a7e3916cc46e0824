package decision

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Question is something that a person is asked, as data. A form on a terminal and the
// dialogs of an agent each draw it in their own way.
type Question struct {
	// ID names it among the questions of its dialog.
	ID   string
	Kind QuestionKind
	// Title is the question, About what is shown beside it.
	Title, About string
	// Alone is the question where nothing can be shown beside it, "" for Title.
	Alone string
	// Spoken is printed first where forms are read aloud: those have no About.
	Spoken string
	// Placeholder is what an empty line shows.
	Placeholder string
	Choices     []Choice
	// Default is what is chosen or written at first.
	Default string
	// Lines is how many lines a text shows, 0 for as many as usual.
	Lines int
	// Required refuses an empty answer, Check what else is wrong; nil for nothing.
	Required bool
	Check    func(answer string) error
	// Optional questions are left out where each one is a dialog of its own.
	Optional bool
}

// QuestionKind is how a question is answered.
type QuestionKind int

// The kinds of questions.
const (
	ChooseOne QuestionKind = iota
	ChooseSome
	WriteLine
	WriteText // of several lines
)

// Choice is something that may be chosen.
type Choice struct {
	// Value is the answer.
	Value string
	// Label is what is shown for it, Short the same where there is little room, "" for
	// Label, About what is shown beside it.
	Label, Short, About string
	// Selected tells that it is chosen at first, where several may be.
	Selected bool
}

// ErrNoChoice says that there is no active decision that a question could offer.
var ErrNoChoice = errors.New("there is no active decision to choose")

// Answers are what a person said so far of a decision that takes the place of another,
// or of two that are in conflict. The JSON is small: an agent keeps it between two
// questions.
type Answers struct {
	IDs    []string `json:"ids,omitempty"`
	Text   string   `json:"text,omitempty"`
	Reason string   `json:"reason,omitempty"`
	Note   string   `json:"-"`
	// Suggested is a reason to begin with.
	Suggested string `json:"-"`

	noted bool
}

// The questions of a dialog.
const (
	askWhich = "which"
	askText  = "text"
	askWhy   = "why"
	askNote  = "note"
)

// DialogIDs are the ids of the questions that Superseding and Conflicting ask, as far
// as they are not optional.
func DialogIDs() []string { return []string{askWhich, askText, askWhy} }

// Take takes the answer to a question.
func (a *Answers) Take(id, said string) {
	switch id {
	case askWhich:
		a.IDs = append(a.IDs, said)
	case askText:
		a.Text = said
	case askWhy:
		a.Reason = said
	case askNote:
		a.Note, a.noted = said, true
	}
}

// Superseding returns what is to be asked next of a decision that takes the place of
// another, nothing when all is said. A text may have limit bytes. The error is
// ErrNoChoice.
func (a *Answers) Superseding(s *State, limit int) ([]Question, error) {
	if len(a.IDs) == 0 {
		q, err := a.which(s, "Which decision is superseded?")
		return []Question{q}, err
	}
	var out []Question
	if strings.TrimSpace(a.Text) == "" {
		q := textQuestion("New decision", limit)
		if old := s.lookup(a.IDs[0]); old != nil {
			q.About = "In the place of: " + old.Summary()
			q.Spoken = "It says: " + old.Summary() + "\n"
		}
		q.Alone = "New decision, in the place of " + s.brief(a.IDs[0])
		out = append(out, q)
	}
	if strings.TrimSpace(a.Reason) == "" {
		why := WhyQuestion(a.IDs[0])
		why.Default = a.Suggested
		out = append(out, why)
	}
	return out, nil
}

// Conflicting returns what is to be asked next of two decisions that are in conflict,
// nothing when all is said. The error is ErrNoChoice.
func (a *Answers) Conflicting(s *State) ([]Question, error) {
	q := Question{ID: askNote, Kind: WriteLine, Title: "Note", About: "What is in conflict; may stay empty.", Optional: true}
	var err error
	switch len(a.IDs) {
	case 0:
		q, err = a.which(s, "Which decision is in conflict with another?")
	case 1:
		q, err = a.which(s, "With which one?")
		q.Alone = "With which one is this in conflict: " + s.brief(a.IDs[0])
	default:
		if a.noted {
			return nil, nil
		}
	}
	return []Question{q}, err
}

// which asks for an active decision that was not chosen yet, the latest first.
func (a *Answers) which(s *State, title string) (Question, error) {
	q := Question{ID: askWhich, Kind: ChooseOne, Title: title}
	for _, d := range slices.Backward(s.With(Active)) {
		if !slices.Contains(a.IDs, d.ID) {
			q.Choices = append(q.Choices, Choice{Value: d.ID, Label: d.Summary(), Short: d.Brief()})
		}
	}
	if len(q.Choices) == 0 {
		return q, ErrNoChoice
	}
	return q, nil
}

// textQuestion asks for the text of a decision.
func textQuestion(title string, limit int) Question {
	return Question{ID: askText, Kind: WriteText, Title: title, Required: true, Check: func(said string) error {
		_, err := CleanTo(said, limit)
		return err
	}}
}

// WhyQuestion asks why a decision takes the place of another, which has the id.
func WhyQuestion(id string) Question {
	return Question{
		ID: askWhy, Kind: WriteLine, Title: "Reason for superseding", Required: true,
		Alone: "Why does it take the place of " + id + "?", Placeholder: "reason",
	}
}

// NewQuestions ask for a new decision: its text of at most limit bytes, its reason and
// its tags, which SplitTags reads.
func NewQuestions(limit int) (body, reason, tags Question) {
	body = textQuestion("Decision", limit)
	body.About = "A rule that was chosen, had alternatives, and holds for what comes."
	reason = Question{ID: askWhy, Kind: WriteText, Title: "Reason", Lines: 2}
	tags = Question{ID: "tags", Kind: WriteLine, Title: "Tags", About: "Separated by commas."}
	return body, reason, tags
}

// SplitTags are the tags of a list with commas.
func SplitTags(list string) []string {
	var out []string
	for _, t := range strings.Split(list, ",") {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// What may be done with a new decision that others are related to.
const (
	AddSuperseding = "supersede" // it takes the place of the nearest
	AddMarked      = "mark"      // both stay, marked as being in conflict
	AddUpdating    = "update"    // the nearest gets its text
	AddAnyway      = "add"
	AddCancelled   = "cancel"
)

// How many related decisions are named.
const (
	MaxRelatedShown = 10 // beside a question, and in a warning
	maxRelatedAlone = 6  // where the question is all there is
)

// RelatedQuestion asks what to do about decisions that a new one is related to, the
// nearest first.
func RelatedQuestion(related []Related) Question {
	first := related[0].Decision.ID
	lines := func(limit int, line func(*Decision) string) string {
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
	about := lines(MaxRelatedShown, (*Decision).Summary) + "\n"
	return Question{
		ID: "related", Kind: ChooseOne, Title: "There are related decisions", About: about, Spoken: about,
		Alone:   "There are related decisions:\n" + lines(maxRelatedAlone, (*Decision).Brief),
		Default: AddSuperseding,
		Choices: []Choice{
			{Value: AddSuperseding, Label: "Supersede " + first + " (recommended)"},
			{Value: AddMarked, Label: "Keep both and mark the conflict"},
			{Value: AddUpdating, Label: "Update " + first + " with this text"},
			{Value: AddAnyway, Label: "Add it: they do not concern each other"},
			{Value: AddCancelled, Label: "Cancel"},
		},
	}
}

// What may become of a draft.
const (
	ReviewAccept = "accept"
	ReviewReject = "reject"
	ReviewLeave  = "leave"
)

// ReviewQuestion asks what is to become of a draft, with what it is related to.
func ReviewQuestion(s *State, d *Decision, title string) Question {
	about := d.Summary() + "\n"
	if d.Reason != "" {
		about += "reason: " + text.TerminalLine(d.Reason) + "\n"
	}
	about += "from " + text.TerminalLine(d.Actor+" "+d.By) + "\n"
	related := s.Related(d.Text, nil)
	const limit = 3
	for _, r := range related[:min(len(related), limit)] {
		about += string(r.Class) + "? " + r.Decision.Summary() + "\n"
	}
	return Question{
		ID: "review", Kind: ChooseOne, Title: title, About: about, Spoken: about, Default: ReviewLeave,
		Choices: []Choice{
			{Value: ReviewAccept, Label: "Accept: it binds from now on"},
			{Value: ReviewReject, Label: "Reject"},
			{Value: ReviewLeave, Label: "Leave it a draft"},
		},
	}
}

// What may be done about decisions whose retention is over.
const (
	PurgeKeep   = "keep"
	PurgeRemove = "remove"
	PurgeRedact = "redact" // remove them and take their texts out of the log
)

// PurgeQuestion asks what to do about decisions whose retention is over. redact leaves
// out removing them without taking their texts out of the log.
func PurgeQuestion(due []Due, redact bool) Question {
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
		ID: "purge", Kind: ChooseOne, Title: "Purge " + text.Count(len(due), "decision") + "?", About: about, Spoken: about, Default: PurgeKeep,
		Choices: []Choice{
			{Value: PurgeKeep, Label: "Keep them"},
			{Value: PurgeRemove, Label: "Remove them; their texts stay in the log's history"},
			{Value: PurgeRedact, Label: "Remove them and take their texts out of the log"},
		},
	}
	if redact {
		q.Choices = slices.Delete(q.Choices, 1, 2)
	}
	return q
}

// CaptureQuestion asks which candidates are decisions. An answer names them by
// Candidate.ID.
func CaptureQuestion(s *State, list []Candidate) Question {
	q := Question{ID: "capture", Kind: ChooseSome, Title: "Remember these as decisions?"}
	for _, c := range list {
		choice := Choice{Value: c.ID(), Label: CutWord(text.Line(c.Text), 100), Selected: true}
		if related := s.Related(c.Text, nil); len(related) > 0 {
			choice.About = string(related[0].Class) + "? " + related[0].Decision.Line()
			choice.Selected = related[0].Class != Duplicate
		}
		q.Choices = append(q.Choices, choice)
	}
	return q
}

// brief is a decision on a short line, its id alone when the log does not have it.
func (s *State) brief(id string) string {
	if d, err := s.Find(id); err == nil {
		return d.Brief()
	}
	return id
}
