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
}

// Day is the cost of one day, by model.
type Day struct {
	Group
	Models []Group
}

// Settle orders the sessions once all are added. A request that forks share counts in the
// session that began first.
func (a *Account) Settle() {
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

// Ledger adds up responses for an Account, by day and model.
type Ledger struct {
	days, models *Table
	ofDay        map[string]*Table
	zone         *time.Location
}

// NewLedger returns an empty ledger whose days begin at midnight in zone.
func NewLedger(zone *time.Location) *Ledger {
	return &Ledger{NewTable("day", zone), NewTable("model", zone), make(map[string]*Table), zone}
}

// Add adds a response.
func (l *Ledger) Add(r Response) {
	l.days.Add(&r)
	l.models.Add(&r)
	day := l.days.Key(&r)
	if l.ofDay[day] == nil {
		l.ofDay[day] = NewTable("model", l.zone)
	}
	l.ofDay[day].Add(&r)
}

// Save adds what a response cost less than with plain pi.
func (l *Ledger) Save(r *Response, dollars float64) { l.days.Save(r, dollars) }

// Into writes the sums to an account.
func (l *Ledger) Into(a *Account) {
	a.Total, a.Models, a.Saved = l.days.All(), l.models.Groups(), l.days.Saved()
	for _, g := range l.days.Groups() {
		a.Days = append(a.Days, Day{g, l.ofDay[g.Key].Groups()})
	}
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
