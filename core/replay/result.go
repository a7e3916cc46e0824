package replay

import (
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/token"
)

// Run is what one policy did to one session under the prices of one provider. Tokens are as
// the provider counts, as far as the session recorded that: see Calibration.
type Run struct {
	// Policy and Prices are their names.
	Policy, Prices string
	// Calls is the number of calls.
	Calls int
	// TokensSent is the input of all calls, Peak that of the largest one.
	TokensSent, Peak token.Count
	// Read and Written are the parts of TokensSent that were and were not read from the
	// cache.
	Read, Written token.Count
	// Bill is what the input cost with pruning alone, in uncached input tokens: without
	// declarations, fetches and compaction.
	Bill float64
	// Whole is the whole bill, with plain pi's beside it.
	Whole bill.Bill
	// Prefixes are what the session would have cost had it ended after Options.Prefixes
	// calls, as far as it has that many; nil when not asked for.
	Prefixes []Prefix
	// WarmRewrites and ColdRewrites are the numbers of calls in which the policy changed
	// what the previous call had sent, while that was still cached and when it was not.
	WarmRewrites, ColdRewrites int
	// FirstPrune is the number, from 1, of the first call with something pruned; 0 for
	// none.
	FirstPrune int
	// Edits is the number of calls of an editing tool whose old text is in the context and
	// that were made while something was pruned. EditsMissing counts those with an old text
	// that is only in pruned messages.
	Edits, EditsMissing int
	// CallsMissing is the number of tool calls with a path in their arguments that is only
	// in pruned messages.
	CallsMissing int
	// Deactivated is the number of results that the policy's Agent deactivated.
	// DeactivatedMissing counts later tool calls that needed a text of these which nothing
	// else holds.
	Deactivated, DeactivatedMissing int
	// Series are the calls of the session, nil when not asked for.
	Series []Point
	// Pruned are the pruned results in order of pruning, nil when not asked for.
	Pruned []Pruned
}

// Prefix is the bill of a session as if it had ended early.
type Prefix struct {
	// Calls is the number of calls in it.
	Calls int
	// Bill is that of pruning alone, Whole the whole one: see Run.
	Bill  float64
	Whole bill.Bill
}

// Change is what a policy did to the context before a call.
type Change uint8

// The kinds of changes.
const (
	Unchanged   Change = iota
	ChangedWarm        // cached messages were changed
	ChangedCold        // the changed messages were no longer cached
)

// Point is one call of a run.
type Point struct {
	// Call is its number, from 1, in file order.
	Call int
	// Time is when it was sent, in Unix milliseconds; 0 when unknown.
	Time int64
	// Tokens is the size of its prompt, Read the part read from the cache.
	Tokens, Read token.Count
	// Change is what the policy did before the call.
	Change Change
	// Start is set on the first call of the session, after a compaction, and on another
	// branch.
	Start Start
	// Idle is set when the cache expired before the call.
	Idle bool
}

// Start is why a call does not continue the previous one.
type Start uint8

// The kinds of starts.
const (
	Continues       Start = iota
	StartsSession         // the first call
	AfterCompaction       // pi summarized what came before
	OnBranch              // the user moved to another branch
)

// Pruned is a result that a policy pruned.
type Pruned struct {
	// EntryID is the entry of the result.
	EntryID string
	// Tool is the tool, Argument the main argument of its call: the path, command or
	// pattern. Both are untrusted text from a session.
	Tool, Argument string
	// Marker replaces it.
	Marker string
	// Source is the rule that proposed it, Reason the code of its reason.
	Source, Reason string
	// Call is the number, from 1, of the first call without it.
	Call int
	// Tokens and MarkerTokens are the sizes of the result and of its replacement.
	Tokens, MarkerTokens token.Count
}
