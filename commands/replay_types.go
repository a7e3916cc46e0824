package commands

import (
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/jsonl"
)

// replayResult is what replay prints as JSON. Ratios are to the policy "none";
// 1.0 is the same.
type replayResult struct {
	Sessions   int             `json:"sessions"`
	Calls      int             `json:"calls"`
	Policies   []replayPolicy  `json:"policies"`
	PerSession []replaySession `json:"per_session"`

	// Profile is the price profile that whatever is not below "prices" was counted
	// under.
	Profile string `json:"-"`
	// Prices are all profiles, in the order they are shown in.
	Prices []token.Prices `json:"-"`
	// Problems are the sessions that could not be read, Damage the lines that could
	// not of those that could.
	Problems []replayProblem `json:"-"`
	Damage   []replayDamage  `json:"-"`
	// Converted counts the sessions of another agent, whose system prompt and tools
	// are much larger than pi's: ConvertedFloor is the size of the largest, in tokens.
	Converted      int   `json:"-"`
	ConvertedFloor int64 `json:"-"`
	// Interrupted is set when not all sessions were replayed.
	Interrupted bool `json:"-"`
}

// replayPolicy is what one policy did to all sessions together.
type replayPolicy struct {
	Name string `json:"name"`
	replayCounts
	Prices map[string]replayBill `json:"prices"`

	// Pruned is what was pruned, by tool, argument and reason, the largest first:
	// at most replayGroups of them. PrunedResults and PrunedTokens are of all.
	Pruned        []replayGroup `json:"-"`
	PrunedResults int           `json:"-"`
	PrunedTokens  int64         `json:"-"`
}

// replayCounts are the figures of a policy under the profile of the result.
type replayCounts struct {
	TokensSent   int64 `json:"tokens_sent"`
	PeakContext  int64 `json:"peak_context"`
	WarmRewrites int   `json:"warm_rewrites"`
	Edits        int   `json:"edits"`
	EditsMissing int   `json:"edits_missing_text"`
	CallsMissing int   `json:"calls_missing_text"`

	// Of a rule that stands for an agent which deactivates: see replay.Agent.
	Deactivated        int `json:"deactivated"`
	DeactivatedMissing int `json:"deactivated_missing_text"`
}

// replayBill is what a policy costs under one price profile.
type replayBill struct {
	Bill          float64 `json:"bill"` // in plain input tokens
	BillVsNone    float64 `json:"bill_vs_none"`
	NetVsNone     float64 `json:"net_vs_none"`
	Better        int     `json:"better_sessions"`
	Worse         int     `json:"worse_sessions"`
	WorstVsNone   float64 `json:"worst_session_vs_none"`
	net, noneBill float64
}

// replayGroup is results that were pruned for one reason.
type replayGroup struct {
	Tool, Argument, Reason string
	Results                int
	Tokens                 int64
}

// replayGroups bounds the groups of a policy.
const replayGroups = 20

// replaySession is one session under all policies.
type replaySession struct {
	Session  string                `json:"session"`
	File     string                `json:"file"`
	Started  string                `json:"started"`
	Calls    int                   `json:"calls"`
	Policies []replaySessionPolicy `json:"policies"`

	CWD string `json:"-"`
	// Calibration is how the tokens of the session's first model were measured.
	Calibration replay.Calibration `json:"-"`
}

// replaySessionPolicy is one session under one policy.
type replaySessionPolicy struct {
	Name       string `json:"name"`
	FirstPrune int    `json:"first_prune"` // the number of the call, 0 is never
	replayCounts
	Prices map[string]replaySessionBill `json:"prices"`

	// Series is the course of the session under the profile of the result, thinned
	// out when it is long; nil unless a chart or a report wants it.
	Series []replay.Point `json:"-"`
}

// replaySessionBill is what a session costs under a policy and a price profile.
type replaySessionBill struct {
	Bill       float64 `json:"bill"`
	BillVsNone float64 `json:"bill_vs_none"`
	NetVsNone  float64 `json:"net_vs_none"`
}

// replayProblem is a session that was not replayed.
type replayProblem struct {
	File  string
	Cause string
}

// replayDamage is a line of a session that was passed over.
type replayDamage struct {
	File  string
	Issue jsonl.Issue
}
