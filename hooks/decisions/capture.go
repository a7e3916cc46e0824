package decisions

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks"
)

// What a dialog about captured decisions keeps between its questions, besides the answers.
const (
	keptEntries = "entries" // the entries of the prompts, separated by spaces
	keptChosen  = "chosen"  // the ids of the chosen candidates, likewise
)

// capture offers to record the decisions that the user marked in the run that just ended. A
// session entry records which prompts were processed, so that each is asked about only
// once.
func (s System) capture(ctx context.Context, c *hooks.Call, log Log) error {
	set := c.Project.Config().Config.Decisions.AutoCapture
	if !set.Enabled || c.Nested {
		return nil
	}
	t := talkOf(c)
	asked := strings.Fields(t.said[keptEntries])
	if _, answered := c.Answered("capture"); answered && len(asked) == 0 {
		return nil
	}
	session, err := c.Project.Session(ctx)
	if err != nil {
		return err
	}
	all, from, err := decision.Marked(session, c.Leaf(session.Entries()), asked)
	if err != nil || len(all) == 0 {
		return err
	}
	state, err := log.Load()
	if err != nil {
		return err
	}
	fresh := state.Fresh(all)
	most := min(len(fresh), max(0, set.MaxPerTurn))
	if len(asked) == 0 {
		leftOut(c, fresh[most:], most)
	}
	if fresh = fresh[:most]; len(fresh) == 0 {
		return nil
	}
	status := decision.Active
	answers := make([]decision.Addition, len(fresh))
	switch {
	case !c.HasUI:
		status = decision.Draft
	case set.Confirm:
		t.said[keptEntries] = strings.Join(from, " ")
		fresh, answers, err = t.choices(ctx, state, fresh)
	}
	if errors.Is(err, errAsked) {
		return nil
	}
	if err == nil && c.Is(hooks.EventAgentEnd) {
		c.Result().Entries = append(c.Result().Entries, hooks.CustomEntry(decision.CapturedType, decision.Prompts{Entries: from}))
	}
	if err != nil || len(fresh) == 0 {
		return err
	}
	return s.keep(ctx, c, log, status, func(e *decision.Editor) ([]string, error) { return e.Keep(fresh, status, answers) })
}

// choices asks which candidates are decisions, and about each that has active decisions close
// to it what it would ask for any decision that is added.
func (t *talk) choices(ctx context.Context, s *decision.State, list []decision.Candidate) ([]decision.Candidate, []decision.Addition, error) {
	a, answered := t.Answered("capture")
	switch _, chosen := t.said[keptChosen]; {
	case answered:
		t.said[keptChosen] = strings.Join(answeredIDs(a), " ")
	case !chosen:
		t.Call.Ask(offer(s, list))
		return nil, nil, cmp.Or(t.Keep(t.said), errAsked)
	}
	var kept []decision.Candidate
	var answers []decision.Addition
	for _, c := range list {
		if !strings.Contains(t.said[keptChosen], c.ID()) {
			continue
		}
		do := decision.Addition{Do: decision.DoAdd}
		if closest := s.Closest(string(c), nil); len(closest) > 0 {
			var err error
			do, err = decision.AskClosest(ctx, t, decision.Entrant{Text: string(c), Closest: closest})
			switch {
			case errors.Is(err, errClosed), errors.Is(err, errLong): // of the next question this one is not asked again
				t.said[keptChosen] = strings.ReplaceAll(t.said[keptChosen], c.ID(), "")
				continue
			case err != nil:
				return nil, nil, err
			}
		}
		if do.Do != decision.DoCancel {
			kept, answers = append(kept, c), append(answers, do)
		}
	}
	return kept, answers, nil
}

// offer asks which candidates are decisions. An answer names them by Candidate.ID. One that
// may contradict an active decision is not chosen beforehand.
func offer(s *decision.State, list []decision.Candidate) hooks.Ask {
	a := hooks.Ask{ID: "capture", Kind: hooks.AskMultiselect, Title: "Remember these as decisions?"}
	for _, c := range list {
		o := hooks.Option{Value: c.ID(), Label: decision.CutWord(text.Line(string(c)), 100), Selected: true}
		if closest := s.Closest(string(c), nil); len(closest) > 0 {
			o.Selected, o.Description = false, "closest: "+closest[0].Line()
		}
		a.Options = append(a.Options, o)
	}
	return a
}

// leftOut tells the log and, where there is one, the user which decisions of a prompt exceed
// the limit, unless the limit is 0.
func leftOut(c *hooks.Call, list []decision.Candidate, most int) {
	if len(list) == 0 || most == 0 {
		return
	}
	c.Note(text.CountPlain(len(list), "decision") + " left out (autoCapture.maxPerTurn)")
	if !c.HasUI {
		return
	}
	said := "pictx takes " + text.CountPlain(most, "decision") + " from a prompt (autoCapture.maxPerTurn), and left out \"" + text.Quoted(string(list[0])) + "\""
	if more := len(list) - 1; more > 0 {
		said += " and " + text.CountPlain(more, "other")
	}
	c.Add(hooks.Notify(said+". /decision add TEXT records one.", "warning"))
}

// answeredIDs returns the ids in an answer, none when it was cancelled.
func answeredIDs(a hooks.Answer) []string {
	var ids []string
	if a.Cancelled || a.Error != "" || hooks.Decode(a.Value, &ids) != nil {
		return nil
	}
	return ids
}

// keep adds candidates and notifies the user.
func (s System) keep(ctx context.Context, c *hooks.Call, log Log, status decision.Status, add func(e *decision.Editor) ([]string, error)) error {
	var ids []string
	state, err := log.Change(ctx, "user", func(e *decision.Editor) (err error) {
		ids, err = add(e)
		return err
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	c.Note(text.CountPlain(len(ids), "decision") + " captured as " + string(status))
	if !c.HasUI {
		return nil
	}
	said := "pictx recorded " + text.CountPlain(len(ids), "decision") + " of yours as " + string(status) + ": " + strings.Join(ids, ", ") + ". /decision show ID prints one."
	for _, id := range ids { // those that nobody was asked about
		if d, err := state.Find(id); err == nil && !c.Project.Config().Config.Decisions.AutoCapture.Confirm {
			said += decision.Compared("\nClosest active decisions; check whether one contradicts it or says the same:", state.Closest(d.Text, d))
		}
	}
	c.Add(hooks.Notify(said, "info"))
	return nil
}
