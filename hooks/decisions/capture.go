package decisions

import (
	"context"
	"strings"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks"
)

// capture offers to record the decisions that the user marked in the run that just ended. A
// session entry records which prompts were processed, so that each is asked about only
// once.
func (s System) capture(ctx context.Context, c *hooks.Call, log Log) error {
	set := c.Project.Config().Config.Decisions.AutoCapture
	if !set.Enabled || c.Nested {
		return nil
	}
	a, answered := c.Answered("capture")
	var asked decision.Prompts
	if answered && !c.Kept(&asked) {
		return nil
	}
	r, err := endedRun(ctx, c, asked.Entries)
	if err != nil || r.Failed {
		return err
	}
	all, from := r.Candidates()
	if len(all) == 0 {
		return nil
	}
	state, err := log.Load()
	if err != nil {
		return err
	}
	fresh := state.Fresh(all)
	most := min(len(fresh), max(0, set.MaxPerTurn))
	if !answered {
		leftOut(c, fresh[most:], most)
	}
	if fresh = fresh[:most]; len(fresh) == 0 {
		return nil
	}
	status := decision.Active
	switch {
	case !c.HasUI:
		status = decision.Draft
	case set.Confirm:
		if !answered {
			c.Ask(offer(state, fresh))
			return c.Keep(decision.Prompts{Entries: from})
		}
		fresh = decision.Chosen(fresh, answeredIDs(a))
	}
	if c.Is(hooks.EventAgentEnd) {
		c.Result().Entries = append(c.Result().Entries, hooks.CustomEntry(decision.CapturedType, decision.Prompts{Entries: from}))
	}
	return s.keep(ctx, c, log, fresh, status)
}

// offer asks which candidates are decisions. An answer names them by Candidate.ID.
func offer(s *decision.State, list []decision.Candidate) hooks.Ask {
	a := hooks.Ask{ID: "capture", Kind: hooks.AskMultiselect, Title: "Remember these as decisions?"}
	for _, c := range list {
		o := hooks.Option{Value: c.ID(), Label: decision.CutWord(text.Line(string(c)), 100), Selected: true}
		if closest := s.Closest(string(c), nil); len(closest) > 0 {
			o.Description = "closest: " + closest[0].Line()
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
	c.Add(hooks.Notify("pictx takes "+text.CountPlain(most, "decision")+" from a prompt (autoCapture.maxPerTurn), and left out "+
		"\""+text.Quoted(string(list[0]))+"\""+others(len(list)-1)+". /decision add TEXT records one.", "warning"))
}

// others says how many more there are.
func others(n int) string {
	if n == 0 {
		return ""
	}
	return " and " + text.CountPlain(n, "other")
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
func (s System) keep(ctx context.Context, c *hooks.Call, log Log, list []decision.Candidate, status decision.Status) error {
	if len(list) == 0 {
		return nil
	}
	var ids []string
	_, err := log.Change(ctx, "user", func(e *decision.Editor) error {
		var err error
		ids, err = e.Keep(list, status)
		return err
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	c.Note(text.CountPlain(len(ids), "decision") + " captured as " + string(status))
	if c.HasUI {
		c.Add(hooks.Notify("pictx recorded "+text.CountPlain(len(ids), "decision")+" of yours as "+string(status)+": "+strings.Join(ids, ", ")+". /decision show ID prints one.", "info"))
	}
	return nil
}

// endedRun returns the run that just ended, or the prompts of the given entries: the next
// run may have begun before the person answered.
func endedRun(ctx context.Context, c *hooks.Call, entries []string) (decision.Run, error) {
	session, err := c.Project.Session(ctx)
	if err != nil {
		return decision.Run{}, err
	}
	if len(entries) > 0 {
		return decision.RunOf(session, entries)
	}
	return decision.LastRun(session, c.Leaf(session.Entries()))
}
