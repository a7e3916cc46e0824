package replay

import (
	"slices"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/token"
)

// Comparison is what sessions would have cost under several policies. Ratios are relative
// to the policy "none"; 1.0 is the same.
type Comparison struct {
	Sessions   int             `json:"sessions"`
	Calls      int             `json:"calls"`
	Policies   []PolicyTotal   `json:"policies"` // "none" first
	PerSession []SessionResult `json:"per_session"`

	// Profile is the price profile of all figures without a price of their own.
	Profile string `json:"-"`
	// Prices are all profiles, in the order in which they are shown.
	Prices []token.Prices `json:"-"`
	// Problems are the sessions that could not be replayed.
	Problems []Problem `json:"-"`
	// Converted is the number of sessions of another agent, whose system prompt and tools
	// are much larger than pi's. ConvertedFloor is the size of the largest.
	Converted      int         `json:"-"`
	ConvertedFloor token.Count `json:"-"`
	// Interrupted is set when not all sessions were replayed.
	Interrupted bool `json:"-"`
}

// Shown are the prices of the comparison's profile. Those of an unknown profile have no
// cache discount.
func (c *Comparison) Shown() token.Prices {
	for _, p := range c.Prices {
		if p.Name == c.Profile {
			return p
		}
	}
	return token.Prices{Name: c.Profile, Read: 1, Write: 1}
}

// Priced reports whether the model of any session has a price in dollars.
func (c *Comparison) Priced() bool {
	return slices.ContainsFunc(c.PerSession, func(s SessionResult) bool { return s.Rate.Known() })
}

// PolicyTotal is what one policy did to all sessions.
type PolicyTotal struct {
	Name string `json:"name"`
	Counts
	Prices map[string]TotalBill `json:"prices"` // by profile

	// Pruned are the largest MaxGroups groups of pruned results, by tool, argument and
	// reason, in descending order. PrunedResults and PrunedTokens cover all of them.
	Pruned        []Group     `json:"-"`
	PrunedResults int         `json:"-"`
	PrunedTokens  token.Count `json:"-"`
}

// Counts are the figures of a policy that do not depend on prices.
type Counts struct {
	TokensSent   token.Count `json:"tokens_sent"`
	PeakContext  token.Count `json:"peak_context"`
	WarmRewrites int         `json:"warm_rewrites"`
	Edits        int         `json:"edits"`
	EditsMissing int         `json:"edits_missing_text"`
	CallsMissing int         `json:"calls_missing_text"`

	// Of a simulated agent: see Agent.
	Deactivated        int `json:"deactivated"`
	DeactivatedMissing int `json:"deactivated_missing_text"`
}

// TotalBill is what a policy costs under one price profile, for all sessions. Unless stated
// otherwise it is the whole bill, as package bill defines it. Ratios are relative to plain
// pi.
type TotalBill struct {
	Bill       float64 `json:"bill"` // in uncached input tokens
	BillVsNone float64 `json:"bill_vs_none"`
	// MedianVsNone is the median over the sessions.
	MedianVsNone float64 `json:"median_session_vs_none"`
	// PruningVsNone is the cost of pruning alone: without declarations, fetches, and
	// compaction on either side.
	PruningVsNone float64 `json:"pruning_alone_vs_none"`
	Better        int     `json:"better_sessions"`
	Worse         int     `json:"worse_sessions"`
	WorstVsNone   float64 `json:"worst_session_vs_none"`
	// WorsePruning is the number of sessions that cost more by pruning alone.
	WorsePruning int `json:"worse_sessions_by_pruning_alone"`
	// Dollars is the bill in dollars, DollarsSaved how much less that is than plain pi's;
	// both cover only the sessions whose model has a price.
	Dollars      float64 `json:"dollars"`
	DollarsSaved float64 `json:"dollars_saved"`
	// Parts add up to Bill.
	Parts bill.Items `json:"parts"`
	// Money are the parts of Dollars.
	Money bill.Money `json:"-"`

	alone, noneAlone, noneBill float64
	ratios                     []float64
}

// Group is the results of one kind that were pruned for one reason.
type Group struct {
	Tool, Argument, Reason string
	Results                int
	Tokens                 token.Count
}

// MaxGroups bounds the groups of a policy.
const MaxGroups = 20

// SessionResult is one session under all policies.
type SessionResult struct {
	Session  string          `json:"session"`
	File     string          `json:"file"`
	Started  string          `json:"started"` // RFC 3339, "" when unknown
	Calls    int             `json:"calls"`
	Policies []SessionPolicy `json:"policies"` // in the order of Comparison.Policies

	CWD string `json:"-"`
	// Rate is the price of the session's model; the zero Rate is unknown.
	Rate bill.Rate `json:"rate"`
	// Calibration is that of the session's first model.
	Calibration Calibration `json:"-"`
}

// SessionPolicy is one session under one policy.
type SessionPolicy struct {
	Name       string `json:"name"`
	FirstPrune int    `json:"first_prune"` // number of the call from 1, 0 is never
	Counts
	Prices map[string]SessionBill `json:"prices"` // by profile

	// Series are the calls of the session under the profile of the comparison, thinned out
	// when there are many; nil unless a chart needs it.
	Series []Point `json:"-"`
}

// SessionBill is what a session costs under a policy and a price profile.
type SessionBill struct {
	Bill          float64 `json:"bill"` // in uncached input tokens
	BillVsNone    float64 `json:"bill_vs_none"`
	PruningVsNone float64 `json:"pruning_alone_vs_none"`
	Dollars       float64 `json:"dollars"`
}

// Problem is a session that could not be replayed.
type Problem struct {
	File  string
	Cause string
}

// Trend compares a cost with that of another policy.
type Trend int

// The trends. Sessions within one percent cost the same.
const (
	CostsSame Trend = iota
	CostsLess
	CostsMore
)

// TrendOf returns the trend of a ratio of costs.
func TrendOf(ratio float64) Trend {
	const less, more = 0.99, 1.01
	switch {
	case ratio < less:
		return CostsLess
	case ratio > more:
		return CostsMore
	}
	return CostsSame
}
