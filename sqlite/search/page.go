package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
)

// shown is a result to be shown, with what it is compared by.
type shown struct {
	hit    history.Hit
	held   uint64
	calls  []string // the ids of the calls in the entry
	result string   // the id of the call that the entry is the result of
	answer int64    // the key of the text of hit.Answer
}

// page makes the hits of the requested page of a sorted list. Results that are merged into
// an earlier one, and our own searches, are not counted.
func (r *run) page(ctx context.Context, st step, list []candidate) error {
	var all []shown
	for _, c := range list {
		one, ok, err := r.show(ctx, st, c)
		if err != nil {
			return err
		}
		if !ok || absorbed(all, one) {
			continue
		}
		if len(all) == r.q.Offset+r.q.Limit {
			r.res.More = true
			break
		}
		if err := r.addAnswer(ctx, st, &one, all); err != nil {
			return err
		}
		all = append(all, one)
	}
	r.res.Ranked = st.best
	r.res.Weak = weak(st, all)
	var held []uint64
	for _, one := range all[min(r.q.Offset, len(all)):] {
		if err := r.addResult(ctx, st, &one); err != nil {
			return err
		}
		held = append(held, one.held)
		r.res.Hits = append(r.res.Hits, one.hit)
	}
	r.res.Step = matched(st, held)
	return nil
}

// show makes a hit of a candidate. ok is false for a search of ours, and for a text that was
// erased meanwhile.
func (r *run) show(ctx context.Context, st step, c candidate) (one shown, ok bool, err error) {
	if c.text != "" {
		one, at := r.hit(st, c, c.text)
		one.hit.Line = history.LineOf(c.text, c.text, at)
		return one, true, nil
	}
	err = r.entry(ctx, c.Row, func(e *message.Entry, raw []byte, body string) {
		var at int
		one, at = r.hit(st, c, body)
		one.hit.Line = history.LineIn(e, raw, body, at)
		one.result = e.Message.ToolCallID
		for i := range e.Message.Calls {
			one.calls = append(one.calls, e.Message.Calls[i].ID)
		}
		ok = body != ""
	})
	if ok && err == nil {
		var own bool
		own, err = r.ownResult(ctx, c.Row, one.result)
		ok = !own
	}
	return one, ok, err
}

// entry reads the line of a row and passes it on, with its entry and searchable text, unless it
// was erased meanwhile.
func (r *run) entry(ctx context.Context, row history.Row, fn func(e *message.Entry, raw []byte, body string)) error {
	raw, err := r.store.Raw(ctx, row, r.room)
	if err != nil {
		if sqlite.NoRows(err) {
			return nil
		}
		return err
	}
	r.room = raw
	r.store.read(raw, func(e *message.Entry, body []byte) { fn(e, raw, string(body)) })
	return nil
}

// hit makes a hit of a candidate whose searched text is body, and returns the offset of the
// match. It keeps nothing of body.
func (r *run) hit(st step, c candidate, body string) (one shown, at int) {
	one.held = st.Held(body)
	start, end := st.Place(body, r.q.Context)
	one.hit = history.Snippet(c.Row, body, start, end, r.q.Context)
	one.hit.Spill = c.spill
	return one, start
}

// absorbed reports whether a result is merged into an earlier one, which then mentions it:
// they are a call and its result, or a prompt and the answer to it.
func absorbed(earlier []shown, c shown) bool {
	for i := range earlier {
		e := &earlier[i]
		switch {
		case e.hit.Session == c.hit.Session && e.hit.EntryID == c.hit.EntryID && (e.hit.Spill == "") != (c.hit.Spill == ""):
			return true // a whole output, and the excerpt of it in the session
		case e.hit.Answer != nil && e.answer == c.hit.Content && c.hit.Spill == "":
			return true
		case e.hit.Other == "" && e.hit.Session == c.hit.Session && e.pairedWith(c):
			e.hit.Other = c.hit.EntryID
			return true
		}
	}
	return false
}

// pairedWith reports whether one of two entries is the result of a call in the other.
func (s *shown) pairedWith(t shown) bool {
	return s.result != "" && slices.Contains(t.calls, s.result) || t.result != "" && slices.Contains(s.calls, t.result)
}

// answerReach is how many characters of an answer are shown on each side of its match, and
// twice as many of its beginning.
const answerReach = 80

// concluded is how many results, prompts aside, are shown with the reply that their turn
// ended with. Further down it would take more room than it is worth.
const concluded = 3

// wantsTurn reports whether what came of a result is shown: not for an order other than by
// relevance, or if certain entries were asked for.
func (r *run) wantsTurn(st step, h history.Hit) bool {
	f := r.q.Filter
	return st.best && h.Role != history.RoleSummary && h.Spill == "" && len(f.Roles) == 0 && f.Tool == ""
}

// addResult names the result of a call that did not match itself: of several calls, that of
// the first which failed.
func (r *run) addResult(ctx context.Context, st step, one *shown) error {
	if !r.wantsTurn(st, one.hit) || len(one.calls) == 0 || one.hit.Other != "" {
		return nil
	}
	query, args := resultsQuery(one.hit.Row, r.q.Filter)
	rows, err := r.store.rows(ctx, query, args...)
	if len(rows) > 0 {
		failed := slices.IndexFunc(rows, func(r history.Row) bool { return r.IsError })
		one.hit.Other = rows[max(0, failed)].EntryID
	}
	return err
}

// addAnswer adds to a prompt, and to each of the best results, the reply that its turn ended
// with, unless that is shown above.
func (r *run) addAnswer(ctx context.Context, st step, one *shown, above []shown) error {
	if !r.wantsTurn(st, one.hit) || one.hit.Role != message.RoleUser && len(above) >= concluded {
		return nil
	}
	query, args := answersQuery(one.hit.Row, r.q.Filter)
	rows, err := r.store.rows(ctx, query, args...)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if slices.ContainsFunc(above, func(a shown) bool { return a.hit.Content == row.Content || a.answer == row.Content }) {
			return nil
		}
		if err := r.readAnswer(ctx, st, one, row); one.hit.Answer != nil || err != nil {
			return err
		}
	}
	return nil
}

// readAnswer takes a reply for the answer to an entry, unless the turn went on after it.
func (r *run) readAnswer(ctx context.Context, st step, one *shown, row history.Row) error {
	return r.entry(ctx, row, func(e *message.Entry, raw []byte, body string) {
		if len(e.Message.Calls) > 0 || strings.TrimSpace(body) == "" {
			return
		}
		start, end := st.Place(body, answerReach)
		one.hit.Answer = &history.Answer{EntryID: row.EntryID, Text: history.Excerpt(body, start, end, answerReach), Line: history.LineIn(e, raw, body, start)}
		one.answer = row.Content
	})
}

// maxBetween is how many entries may be between a call and its result: a response may have
// several calls.
const maxBetween = 16

// ownResult reports whether an entry is what a search of ours printed in a shell, which
// only its call tells. It is asked only about entries that are to be shown.
func (r *run) ownResult(ctx context.Context, row history.Row, call string) (own bool, err error) {
	if row.Tool != history.BashTool || call == "" {
		return false, nil
	}
	for n := 0; n < maxBetween && row.ParentID != ""; n++ {
		rows, err := r.store.Find(ctx, row.ParentID, []string{row.Session}, 1)
		if err != nil || len(rows) == 0 {
			return false, err
		}
		if row = rows[0]; row.Role != message.RoleAssistant {
			continue
		}
		err = r.entry(ctx, row, func(e *message.Entry, _ []byte, _ string) {
			for i := range e.Message.Calls {
				own = own || e.Message.Calls[i].ID == call && history.OwnCall(&e.Message.Calls[i])
			}
		})
		return own, err
	}
	return false, nil
}

// addBranchStatus sets the branch status of every hit.
func (r *run) addBranchStatus(ctx context.Context) error {
	rows := make([]history.Row, len(r.res.Hits))
	for i, h := range r.res.Hits {
		rows[i] = h.Row
	}
	all, err := r.store.BranchStatus(ctx, rows)
	for i := range all {
		r.res.Hits[i].BranchStatus = all[i]
	}
	return err
}

// maxTurnLength is how many entries after one are looked at for what came of it.
const maxTurnLength = 2000

// answersQuery is the SQL of the last replies between an entry and the next prompt of its session
// that a filter admits, the last one first; a test pins its plan.
func answersQuery(entry history.Row, f history.Filter) (string, []any) {
	return followers(entry, f, `n.role = 'user'`, `m.role = 'assistant' AND %s ORDER BY m.ordinal DESC LIMIT 3`)
}

// resultsQuery is the SQL of the results of the calls in an entry that a filter admits, in order;
// a test pins its plan.
func resultsQuery(call history.Row, f history.Filter) (string, []any) {
	return followers(call, f, `n.role IN ('user', 'assistant')`, `m.role = 'toolResult' AND %s ORDER BY m.ordinal LIMIT 50`)
}

// followers is the SQL of entries that follow one in its session, before the next that ends
// them. It visits those entries once for where they end and once for which are wanted; wanted
// has a place for the conditions of the filter.
func followers(r history.Row, f history.Filter, ending, wanted string) (string, []any) {
	cond, args := Where(f)
	until := r.Ordinal + maxTurnLength
	return `SELECT ` + columns + `
		FROM messages p CROSS JOIN messages m INDEXED BY messages_conversation ON m.conversation = p.conversation CROSS JOIN conversations c ON c.id = m.conversation
		WHERE p.id = ? AND m.ordinal > ? AND m.ordinal < coalesce((SELECT n.ordinal FROM messages n INDEXED BY messages_conversation
			WHERE n.conversation = p.conversation AND n.ordinal > ? AND n.ordinal < ? AND ` + ending + ` ORDER BY n.ordinal LIMIT 1), ?) AND ` +
		fmt.Sprintf(wanted, cond), append([]any{r.ID, r.Ordinal, r.Ordinal, until, until}, args...)
}
