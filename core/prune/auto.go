package prune

import (
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/ledger"
	"github.com/coctostan/pictx/core/token"
)

// Situation is what a decision depends on besides the messages: the moment, the
// model, and what was billed so far. The zero Situation knows nothing; what is
// left out is then worked out of the messages, or taken to be the careful way.
type Situation struct {
	// Now is when the coming call is sent, in Unix milliseconds. 0 is the moment
	// after the last request: no time has passed for the cache to get cold.
	Now int64
	// Prices are those of the coming call's model, when KnownPrices is set.
	// Otherwise Anthropic's five minutes are paid, and nothing is cold within an
	// hour.
	Prices      token.Prices
	KnownPrices bool
	// Window is the model's context window, 0 when that is unknown.
	Window token.Count
	// Floor is the size of the system prompt and the tools, and Scale how many
	// tokens the provider counts for one that pi estimates. 0 is unknown: both are
	// then read off the usage that the messages record.
	Floor token.Count
	Scale float64
	// ModelSwitched is set when the last call went to another model, and Moved
	// when the session was moved to another branch since: the cache then holds
	// nothing of what is about to be sent.
	ModelSwitched, Moved bool
	// Final is set when a run of the agent is over: the request to come begins with a
	// prompt that is not here yet. Its blocks count when the provider looks back, so what
	// the end of the cache is good for cannot be told, and with the prompt more may go.
	Final bool
	// Forced is set when the user asks for pruning: prices do not matter.
	Forced bool
	// NoWarm is set when the provider's cache did not do what the prices promise
	// (see Collapsed): nothing is pruned while it is warm.
	NoWarm bool
	// OtherUsage is set when the usage that the messages record is that of other
	// prices or of another context: it says nothing of this cache.
	OtherUsage bool
	// Collapsed counts the requests that are not in these messages and collapsed: by the
	// prices most of the prompt should have been in the provider's cache, and less than
	// half of that was. It counts from the first prune on, and without the requests
	// whose prompt pruning changed.
	Collapsed int
	// Warmed are the times of requests that only kept the cache in use, in Unix
	// milliseconds, in order: pi's usage entries of the kind cache_warm.
	Warmed []int64
	// CWD is the directory that relative paths in calls start from, "" when it is
	// not known.
	CWD string
	// Pins are what the user pinned, States what was said of objects.
	Pins   Pins
	States States
	// Declared is what pictx put before the conversation, ordered by Since; none is
	// nothing.
	Declared []bill.Declared
	// PlainFrom is the first message after a summary that plain pi would have kept.
	PlainFrom int
	// Before is the bill from before the first request of these messages, such as
	// before a compaction.
	Before bill.Bill
	// Measured is the line through what was recorded of the prompts before those.
	Measured token.Line
	// Bill is the bill so far, Before included, when the caller keeps the books. nil: it
	// is worked out of the messages.
	Bill *bill.Bill
	// Message returns the head and the bytes of the message at an index as it is now, nil
	// when it cannot be read. It is asked for the answers that are about to be trimmed.
	// nil: no answer is trimmed.
	Message func(index int) (*message.Head, []byte)
	// Text returns the text of the tool result at an index, as expand shows it, ""
	// when there is none. It is asked for few results: those that are about to be
	// pruned, for what their markers say. nil: markers say less.
	Text func(index int) string
}

// terms are what of a situation requests are billed by.
func (s *Situation) terms() ledger.Terms {
	return ledger.Terms{
		Now: s.Now, Prices: s.Prices, KnownPrices: s.KnownPrices, Floor: s.Floor, Scale: s.Scale,
		ModelSwitched: s.ModelSwitched, Moved: s.Moved, OtherUsage: s.OtherUsage,
		Warmed: s.Warmed, Declared: s.Declared, PlainFrom: s.PlainFrom, Before: s.Before, Bill: s.Bill, Measured: s.Measured,
	}
}

// account is that of the conversation in the situation of the input.
func (in *Input) account() *ledger.Account {
	in.Terms = in.Situation.terms()
	return in.Account()
}

// Pins name what is never pruned, whoever asks.
type Pins struct {
	// Entries are ids of session entries.
	Entries []string
	// Paths are globs that the path of a call is matched with, as in KeepPaths.
	Paths []string
	// Released are ids of entries whose pin was taken back: the name of their tool
	// does not keep those any more.
	Released []string
}

// Preset is how bold the policy "auto" is: it sets ages and margins together.
type Preset string

// The presets.
const (
	// PresetCareful rewrites a warm cache only with what pruning saved before.
	PresetCareful Preset = "careful"
	PresetDefault Preset = "default"
	// PresetEager prunes earlier: it saves more, and more often what is gone is
	// wanted again.
	PresetEager Preset = "eager"
)

// AutoSettings are the settings of the policy "auto".
type AutoSettings struct {
	// Preset is PresetDefault when it is "".
	Preset Preset
	// ColdOnly leaves a warm cache alone, whatever it costs: prune.mode = "cold".
	ColdOnly bool
	// KeepTools are globs of tool names whose results stay.
	KeepTools []string
	// KeepPaths are globs of paths; a result whose call names such a path stays.
	// One without a slash is matched with the last element of the path, one that
	// starts with a slash with the absolute path, any other with both the absolute
	// path and that relative to the working directory.
	KeepPaths []string
	// Rerun are globs of names of tools that can be run again without harm,
	// besides those that are known to be: their output ages like a command's.
	Rerun []string
	// PinImpact keeps the results of kota_impact.
	PinImpact bool
	// Only names the sources to ask, when it is not empty: see SourceNames.
	Only []string
	// With names sources that are asked besides the usual ones: see OptionalNames.
	With []string
	// Window is the window of self-context-manager; the zero Window means none.
	Window Window
	// Without names sources that are not asked, and rules that do not hold: see
	// DecisionNames.
	Without []string
}

// NewAuto returns the planner of the policy "auto". An invalid glob matches
// nothing.
func NewAuto(s AutoSettings) *Planner { return autoRules.planner(s) }

// planner returns the planner of the policy "auto" with these rules.
func (rs rules) planner(s AutoSettings) *Planner {
	rules := ""
	if s.Window.Calls <= 0 {
		rules = fmt.Sprintf("%+v", s)
	}
	return &Planner{
		rules: rules, Sources: rs.sources(s),
		Protections: []Protection{
			KeepMarked, KeepUnanswered, KeepErrors, KeepAborted, KeepOrphans, KeepUnknownContent, KeepSmall,
			KeepPinned, keepTools(s), keepPaths(s.KeepPaths), KeepRestored,
		},
		When:   breakEven{preset: s.Preset, coldOnly: s.ColdOnly, without: s.Without}.decide,
		Marker: slices.Concat(rs, otherRules).marker,
		Own:    true,
	}
}
