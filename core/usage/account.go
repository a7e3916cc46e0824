package usage

import (
	"cmp"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/decision"
)

// Account is what sessions sent and cost, and what was decided meanwhile.
type Account struct {
	// Total, Days and Models add up the responses. Days are in order, with their models;
	// models are ordered by cost, the most expensive first.
	Total  Total
	Days   []Day
	Models []Group
	// Saved is how many dollars less they cost than with plain pi.
	Saved float64
	// Pruned and PrunedTokens are the number and size of pruned results, without those that
	// were restored.
	Pruned       int
	PrunedTokens int64
	// Summaries is the number of summaries that models wrote, SummaryDollars their cost.
	Summaries      int
	SummaryDollars float64
	// Sessions are the courses, the most expensive first.
	Sessions []*Session
	// Unread is the number of sessions that could not be followed. They are in the totals.
	Unread int
	// Decisions are the project's, in the order in which they were added.
	Decisions []*decision.Decision

	days, models *Table
	ofDay        map[string]*Table
}

// NewAccount returns an account without responses, whose days begin at midnight in zone.
func NewAccount(zone *time.Location) *Account {
	return &Account{days: NewTable("day", zone), models: NewTable("model", zone), ofDay: make(map[string]*Table)}
}

// Add adds a response.
func (a *Account) Add(r *Response) {
	a.days.Add(r)
	a.models.Add(r)
	day := a.days.Key(r)
	if a.ofDay[day] == nil {
		a.ofDay[day] = NewTable("model", time.Local)
	}
	a.ofDay[day].Add(r)
}

// Save adds what a response cost less than with plain pi.
func (a *Account) Save(r *Response, dollars float64) { a.days.Save(r, dollars) }

// Day is the cost of one day, by model.
type Day struct {
	Group
	Models []Group
}

// Settle sums up, and orders the sessions, once all are added. A request that forks share counts
// in the session that began first.
func (a *Account) Settle() {
	a.Total, a.Models, a.Saved, a.Days = a.days.All(), a.models.Groups(), a.days.Saved(), nil
	for _, g := range a.days.Groups() {
		a.Days = append(a.Days, Day{g, a.ofDay[g.Key].Groups()})
	}
	slices.SortStableFunc(a.Sessions, func(x, y *Session) int { return cmp.Compare(x.Started, y.Started) })
	seen := make(map[Response]bool)
	for _, s := range a.Sessions {
		for i := range s.Requests {
			r := s.Requests[i].Response
			s.Requests[i].Shared = seen[r]
			seen[r] = true
		}
	}
	slices.SortStableFunc(a.Sessions, func(x, y *Session) int {
		return cmp.Or(cmp.Compare(y.Total.Dollars, x.Total.Dollars), cmp.Compare(len(y.Requests), len(x.Requests)), cmp.Compare(x.ID, y.ID))
	})
}

// Loss is what was paid for again for one cause.
type Loss struct {
	Cause  Cause
	Times  int
	Tokens int64
}

// Losses adds up why caches missed, the most expensive cause first.
func (a *Account) Losses() []Loss {
	var out []Loss
	for _, c := range Causes() {
		l := Loss{Cause: c}
		for _, s := range a.Sessions {
			for i := range s.Requests {
				if q := &s.Requests[i]; q.Cause == c && !q.Shared {
					l.Times, l.Tokens = l.Times+1, l.Tokens+int64(q.Lost)
				}
			}
		}
		if l.Times > 0 {
			out = append(out, l)
		}
	}
	slices.SortStableFunc(out, func(x, y Loss) int { return cmp.Compare(y.Tokens, x.Tokens) })
	return out
}

// Dropped is the number of blocks of thinking that providers left out: see Session.Dropped.
func (a *Account) Dropped() (n int) {
	for _, s := range a.Sessions {
		n += s.Dropped()
	}
	return n
}

// Made returns the parts of all requests together.
func (a *Account) Made() (all Sizes) {
	for _, s := range a.Sessions {
		for i := range s.Requests {
			if !s.Requests[i].Shared {
				all.add(s.Requests[i].Sent)
			}
		}
	}
	return all
}
