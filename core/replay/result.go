package replay

import (
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
)

// World is the prices of a run.
type World struct {
	// Name and Date identify it; About says whose prices they are.
	Name  string `json:"world"`
	Date  string `json:"date"`
	About string `json:"about"`
	// Of returns the prices of a model.
	Of session.Costs `json:"-"`
}

// OwnModels is the name of the world in which every request has the price of the model that
// answered it.
const OwnModels = "own-models"

// Own returns the world of the models that answered.
func Own(prices *bill.Prices) World {
	return World{OwnModels, token.CatalogDate(), "each session's own models", func(m *session.Model) token.Prices {
		return prices.Of(m.Provider, m.ID, m.API, &m.Paid)
	}}
}

// Worlds returns the price worlds of package token.
func Worlds() (out []World) {
	for _, w := range token.Worlds() {
		out = append(out, World{w.Name, w.Date, w.About, func(*session.Model) token.Prices { return w.Prices }})
	}
	return out
}

// Policy is a way of pruning to be priced.
type Policy struct {
	// Name identifies it in results.
	Name string
	// Planner decides before every request; nil never prunes. What was pruned once stays
	// pruned.
	Planner *policy.Planner
}

// None is the policy that never prunes, the baseline of comparisons.
func None() Policy { return Policy{Name: "none"} }

// Run is what one policy did to one session under the prices of one world. Tokens are as the
// provider counts, as far as the session recorded that: see session.Model.
type Run struct {
	// Policy and World are their names.
	Policy string `json:"name"`
	World  string `json:"-"`
	// FirstPrune is the number, from 1, of the first request with something pruned; 0 for
	// none.
	FirstPrune int `json:"first_prune"`
	// BillVsNone compares the bill with that of the policy "none"; a Tally sets it.
	BillVsNone float64 `json:"bill_vs_none"`
	Dollars    float64 `json:"dollars"`
	Figures

	// Bill is the whole bill, with plain pi's beside it.
	Bill bill.Total `json:"-"`
	// Series are the requests of the session, nil when not asked for.
	Series []Point `json:"-"`
	// Pruned are the pruned results in order of pruning, nil when not asked for.
	Pruned []Pruned `json:"-"`
}

// Figures are the counts of a run.
type Figures struct {
	// Requests is the number of requests, without those that another session has, too.
	Requests int `json:"requests"`
	// TokensSent is the input of all requests, PeakContext that of the largest one.
	TokensSent  token.Count `json:"tokens_sent"`
	PeakContext token.Count `json:"peak_context"`
	// WarmRewrites is the number of requests in which the policy changed what was still
	// cached.
	WarmRewrites int `json:"warm_rewrites"`
	// Edits is the number of calls of an editing tool whose old text is in the context and
	// that were made while something was pruned. EditsMissing counts those with an old text
	// that is only in pruned messages.
	Edits        int `json:"edits"`
	EditsMissing int `json:"edits_missing_text"`
	// CallsMissing is the number of tool calls with a path in their arguments that is only
	// in pruned messages.
	CallsMissing int `json:"calls_missing_text"`
	// Folds is how often the beginning of the context was replaced by an extract.
	Folds int `json:"folds"`
	// ThinkingLost is the number of blocks of thinking that the policy made invalid while
	// their turn was running. What that costs a model is not known.
	ThinkingLost int `json:"running_turn_thinking_lost"`
}

// plus adds the figures of another session; PeakContext becomes the maximum.
func (f Figures) plus(g Figures) Figures {
	f.Requests += g.Requests
	f.TokensSent += g.TokensSent
	f.PeakContext = max(f.PeakContext, g.PeakContext)
	f.WarmRewrites += g.WarmRewrites
	f.Edits += g.Edits
	f.EditsMissing += g.EditsMissing
	f.CallsMissing += g.CallsMissing
	f.Folds += g.Folds
	f.ThinkingLost += g.ThinkingLost
	return f
}

// Change is what a policy did to the context before a request.
type Change uint8

// The kinds of changes.
const (
	Unchanged   Change = iota
	ChangedWarm        // cached messages were changed
	ChangedCold        // the changed messages were no longer cached
)

// Point is one request of a run.
type Point struct {
	// Request is its number, from 1, in file order.
	Request int
	// Time is when it was sent, in Unix milliseconds; 0 when unknown.
	Time int64
	// Tokens is the size of its prompt, Read the part read from the cache.
	Tokens, Read token.Count
	// Change is what the policy did before the request.
	Change Change
	// Start is set on the first request of the session, after a compaction, and on another
	// branch.
	Start session.Start
	// Idle is set when the cache expired before the request.
	Idle bool
}

// Pruned is what a policy pruned, with sizes as the provider counts. The index is that in the
// context of its request.
type Pruned struct {
	policy.Edit
	// Argument is the main argument of the call: the path, command or pattern. It and the name of
	// the tool are untrusted text from a session.
	Argument string
	// Request is the number, from 1, of the first request without it.
	Request int
}
