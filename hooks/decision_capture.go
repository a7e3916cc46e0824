package hooks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// prompt is what a user typed in the run that ended.
type prompt struct {
	entry, text string
}

// failedDraft is the setting that makes drafts of what was marked in a run that
// failed.
const failedDraft = "draft"

// captured is the data of an entry that says which prompts were looked at.
type captured struct {
	Entries []string `json:"entries"`
}

// endedRun is what is known of the run that ended.
type endedRun struct {
	prompts []prompt // the oldest first
	// failed tells that it ended with an error, or was given up.
	failed bool
	done   []string // entries that were looked at before
}

// capture offers what the user marked as decisions in the run that ended. Nobody is
// asked twice: an entry in the session says what was looked at.
func (s Decisions) capture(ctx context.Context, c *Call, log DecisionLog) error {
	set := c.Project.Config().Config.Decisions.AutoCapture
	if !set.Enabled || c.Nested {
		return nil
	}
	a, answered := c.Answered("capture")
	var asked captured
	if answered && !c.Kept(&asked) {
		return nil
	}
	r, err := lastRun(ctx, c, asked.Entries)
	if err != nil || r.failed && set.Failed != failedDraft {
		return err
	}
	var all []decision.Candidate
	var from []string
	for _, p := range r.prompts {
		if found := decision.Candidates(p.text, c.Project.Config().Config.Decisions.MaxText); len(found) > 0 && !slices.Contains(r.done, p.entry) {
			all, from = append(all, found...), append(from, p.entry)
		}
	}
	if len(all) == 0 {
		return nil
	}
	state, err := log.Load()
	if err != nil {
		return err
	}
	fresh := state.Fresh(all, max(0, set.MaxPerTurn))
	if len(fresh) == 0 {
		return nil
	}
	status := decision.Active
	switch {
	case !c.HasUI, r.failed:
		status = decision.Draft
	case set.Confirm:
		if !answered {
			c.Ask(captureAsk(state, fresh))
			return c.Keep(captured{from})
		}
		fresh = chosen(fresh, a)
	}
	if c.Is(EventAgentEnd) {
		c.Result().Entries = append(c.Result().Entries, CustomEntry(capturedType, captured{from}))
	}
	return s.keep(ctx, c, log, fresh, status)
}

// captureAsk is the question which of the candidates are decisions.
func captureAsk(s *decision.State, list []decision.Candidate) Ask {
	a := Ask{ID: "capture", Kind: AskMultiselect, Title: "Remember these as decisions?"}
	for _, c := range list {
		o := Option{Value: candidateID(c), Label: decision.CutWord(text.Line(c.Text), 100), Selected: true}
		if rel := s.Related(c.Text, nil); len(rel) > 0 {
			o.Description = fmt.Sprintf("%s? %s", rel[0].Class, rel[0].Decision.Line())
			o.Selected = rel[0].Class != decision.Duplicate
		}
		a.Options = append(a.Options, o)
	}
	return a
}

// candidateID names a candidate in an answer, whatever else was decided meanwhile.
func candidateID(c decision.Candidate) string {
	const digits = 12
	sum := sha256.Sum256([]byte(c.Text))
	return hex.EncodeToString(sum[:])[:digits]
}

// chosen are the candidates that the user took; none of a question that was turned
// away.
func chosen(list []decision.Candidate, a Answer) []decision.Candidate {
	var ids []string
	if a.Cancelled || a.Error != "" || decode(a.Value, &ids) != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(list), func(c decision.Candidate) bool { return !slices.Contains(ids, candidateID(c)) })
}

// keep adds candidates, and says so.
func (s Decisions) keep(ctx context.Context, c *Call, log DecisionLog, list []decision.Candidate, status decision.Status) error {
	if len(list) == 0 {
		return nil
	}
	var ids []string
	_, err := log.Change(ctx, "user", func(e *decision.Editor) error {
		ids = nil
		var left []decision.Candidate
		for _, x := range list {
			if len(decision.Secrets(x.Text)) == 0 {
				left = append(left, x)
			}
		}
		for _, x := range e.State.Fresh(left, len(left)) {
			n := decision.New{Text: x.Text, Status: status, Extra: []decision.Member{{Name: "so", Value: jsontext.Value(`"prompt"`)}}}
			id, err := e.Add(n, true)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	c.Decision = join(c.Decision, text.CountPlain(len(ids), "decision")+" captured as "+string(status))
	if c.HasUI {
		c.Add(Notify("Remembered as "+string(status)+": "+strings.Join(ids, ", "), "info"))
	}
	return nil
}

// lastRun reads the run that ended from the session: back to the prompt that began
// it. A prompt that was sent while the agent worked belongs to it. When entries are
// named it is those: the next run may have begun while a person thought.
func lastRun(ctx context.Context, c *Call, entries []string) (endedRun, error) {
	var r endedRun
	session, err := c.Project.Session(ctx)
	if err != nil {
		return r, err
	}
	tree := session.Entries()
	if len(entries) > 0 {
		return named(session, entries)
	}
	path := tree.Path(leafOf(c, tree))
	first := true
	for i := len(path) - 1; i >= 0; i-- {
		n := path[i]
		head := &n.Message
		switch {
		case n.Type == message.EntryCustom && head.CustomType == capturedType:
			r.done = append(r.done, looked(session, n)...)
		case n.Type != message.EntryMessage:
		case head.Role == message.RoleAssistant:
			if first {
				r.failed = head.StopReason == "error" || head.StopReason == "aborted"
			}
			first = false
		case head.Role == message.RoleUser:
			raw, err := session.Line(n)
			if err != nil {
				return r, fmt.Errorf("read entry %s: %w", n.ID, err)
			}
			r.prompts = append([]prompt{{n.ID, string(n.AppendBody(nil, raw))}}, r.prompts...)
			if begins(path[:i]) {
				return r, nil
			}
		}
	}
	return r, nil
}

// named reads prompts by their entries.
func named(session Session, entries []string) (endedRun, error) {
	var r endedRun
	for _, id := range entries {
		n := session.Entries().Lookup(id)
		if n == nil || n.Type != message.EntryMessage || n.Message.Role != message.RoleUser {
			continue
		}
		raw, err := session.Line(n)
		if err != nil {
			return r, fmt.Errorf("read entry %s: %w", id, err)
		}
		r.prompts = append(r.prompts, prompt{id, string(n.AppendBody(nil, raw))})
	}
	return r, nil
}

// begins reports whether a prompt after this path began a run: nothing is before it,
// or an answer after which the agent had nothing to do.
func begins(path []*message.Node) bool {
	for i := len(path) - 1; i >= 0; i-- {
		n := path[i]
		if n.Type != message.EntryMessage {
			continue
		}
		switch n.Message.Role {
		case message.RoleAssistant:
			return len(n.Message.Calls) == 0 || n.Message.StopReason == "aborted" || n.Message.StopReason == "error"
		case message.RoleToolResult, message.RoleUser:
			return false
		}
	}
	return true
}

// looked reads which prompts an entry says were looked at.
func looked(session Session, n *message.Node) []string {
	raw, err := session.Line(n)
	if err != nil {
		return nil
	}
	var e struct {
		Data captured `json:"data"`
	}
	if decode(raw, &e) != nil {
		return nil
	}
	return e.Data.Entries
}
