package replay

import (
	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/token"
)

// Run is what one policy did to one session under the prices of one provider.
// All tokens are those of the provider as far as the session recorded them: see
// Calibration.
type Run struct {
	// Policy and Prices are the names of what was run.
	Policy, Prices string
	// Calls counts the model calls.
	Calls int
	// TokensSent is the input of all calls, Peak that of the largest.
	TokensSent, Peak token.Count
	// Read and Written are the tokens of TokensSent that came from the cache, and
	// those that did not.
	Read, Written token.Count
	// Bill is what the input cost with pruning alone, in plain input tokens: nothing
	// declared, nothing fetched again, no compaction.
	Bill float64
	// Whole is all of it, with plain pi beside it.
	Whole bill.Bill
	// Prefixes is what the session would have cost had it ended after as many calls as
	// Options.Prefixes says; nil when nobody asked. It ends where the session does.
	Prefixes []Prefix
	// WarmRewrites and ColdRewrites count the calls in which the policy changed
	// what the call before had sent, while the cache still held it and when it was
	// forgotten anyway.
	WarmRewrites, ColdRewrites int
	// FirstPrune is the first call, counted from 1, with something pruned in it; 0
	// for none.
	FirstPrune int
	// Edits counts the calls of an editing tool whose old text stands somewhere in
	// the context and that were made while something was pruned, EditsMissing those
	// of them with an old text that stands only in what was pruned.
	Edits, EditsMissing int
	// CallsMissing counts the calls of tools with a path in their arguments that
	// stands only in what was pruned.
	CallsMissing int
	// Deactivated counts the results that the policy's Agent deactivated, and
	// DeactivatedMissing the later calls of tools that needed a text of one of those
	// which stands nowhere else.
	Deactivated, DeactivatedMissing int
	// Series is the course of the session, nil when it was not asked for.
	Series []Point
	// Pruned are the results that were pruned, in the order in which they were; nil
	// when they were not asked for.
	Pruned []Pruned
}

// Prefix is a session that ended early.
type Prefix struct {
	// Calls is after how many calls.
	Calls int
	// Bill is that of pruning alone, Whole all of it: see Run.
	Bill  float64
	Whole bill.Bill
}

// Change is what a policy did to the context before a call.
type Change uint8

// The kinds of changes.
const (
	Unchanged   Change = iota
	ChangedWarm        // what the cache held was changed
	ChangedCold        // what was changed was not in the cache any more
)

// Point is one model call of a run.
type Point struct {
	// Call is its number, from 1, in file order.
	Call int
	// Time is when it was sent, in Unix milliseconds; 0 when that is not known.
	Time int64
	// Tokens is the size of its prompt, Read the part that came from the cache.
	Tokens, Read token.Count
	// Change is what the policy did before it.
	Change Change
	// Start is set on the first call of the session, after a compaction, and on
	// another branch.
	Start Start
	// Idle is set when the cache was forgotten before the call for want of use.
	Idle bool
}

// Start is why a call does not continue the one before it.
type Start uint8

// The kinds of starts.
const (
	Continues       Start = iota
	StartsSession         // it is the first
	AfterCompaction       // pi summarised what came before
	OnBranch              // the user went to another branch
)

// Pruned is a result that a policy pruned.
type Pruned struct {
	// EntryID is the entry of the result.
	EntryID string
	// Tool is the tool, Argument what it was called with: its path, command or
	// pattern. Both are text from a session: anything may stand in them.
	Tool, Argument string
	// Marker stands in its place.
	Marker string
	// Source is the rule that proposed it, Reason its reason as a code.
	Source, Reason string
	// Call is the first call without it, counted from 1.
	Call int
	// Tokens and MarkerTokens are the sizes of the result and of what stands in
	// its place.
	Tokens, MarkerTokens token.Count
}
