package policy

import (
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/ledger"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// Situation is what a decision depends on besides the messages: the time, the model, and
// what was billed so far. In the zero Situation nothing is known; missing values are
// derived from the messages or replaced by a cautious assumption.
type Situation struct {
	// Now is when the coming request is sent, in Unix milliseconds. 0 means right after the
	// last request, when the cache cannot be cold yet.
	Now int64
	// Prices are those of the coming request's model, valid when KnownPrices is set.
	// Otherwise Anthropic's prices for a cache of five minutes are assumed, and a cache is
	// warm for an hour.
	Prices      token.Prices
	KnownPrices bool
	// Window is the model's context window in tokens, 0 when unknown.
	Window token.Count
	// Floor is the size of the system prompt and the tools. Scale is how many tokens the
	// provider counts for each token that pi estimates. When 0, both are derived from the
	// usage that the messages record.
	Floor token.Count
	Scale float64
	// ModelSwitched is set when the last request went to another model, whose cache is
	// another. Moved is set when the session has moved to another branch since: cached is
	// what the last request of that branch left, as long as it lasts.
	ModelSwitched, Moved bool
	// Final is set when a run of the agent is over: the next request begins with a prompt
	// that is not known yet. The prompt's blocks count towards the provider's look-back, so
	// whether the end of the cache will be found is unknown. More may also be prunable
	// after the prompt.
	Final bool
	// Forced is set when the user asks for pruning: prices do not matter.
	Forced bool
	// OtherUsage is set when the usage that the messages record belongs to other prices or
	// another context and says nothing about this cache.
	OtherUsage bool
	// Collapsed is the number of collapsed requests that are not among these messages. A
	// request collapsed when its prices promised that most of the prompt is cached, and
	// less than half of that was. Only requests after the first prune count whose prompt
	// was not changed by pruning.
	Collapsed int
	// Warmed are the times of requests that only kept the cache alive, in Unix
	// milliseconds, ascending: pi's usage entries of the kind cache_warm.
	Warmed []int64
	// CWD is the directory of relative paths in calls, "" when unknown.
	CWD string
	// Pins are what the user pinned, States the states of objects.
	Pins   Pins
	States state.States
	// Declared is what pictx put before the conversation, ordered by Since.
	Declared []bill.Declared
	// DeclaredOn returns what Declared is on the branch with these asides (see
	// message.Tree). nil means that nothing was declared on other branches.
	DeclaredOn func(asides []*message.Node) []bill.Declared
	// Asked is the user's coming prompt, "" when unknown.
	Asked string
	// PlainFrom is the position of the first message after a summary that plain pi would
	// have kept.
	PlainFrom int
	// Before is the bill of the requests before these messages, such as before a
	// compaction.
	Before bill.Bill
	// Measured is the regression line through the recorded prompt sizes of those requests.
	Measured token.Line
	// Bill is the bill so far, Before included, when the caller keeps it. nil: it is
	// derived from the messages.
	Bill *bill.Bill
	// View is what the caller knows of the requests so far. nil: it is derived from the
	// messages, and the fields above that say when, for how much and what was sent count.
	View *ledger.View
	// Message returns the current head and bytes of the message at an index, nil when it
	// cannot be read. It is called for assistant messages that are about to be trimmed.
	// When Message is nil, none is trimmed.
	Message func(index int) (*message.Head, []byte)
	// Text returns the text of the message at an index, as expand shows it, nil when there
	// is none. It is valid until the next call. It is called at most once for each message
	// of the user, and for the few results that are about to be pruned. When Text is nil, no
	// file counts as named by the user, and markers say less.
	Text func(index int) []byte
}

// terms returns the part of the situation that requests are billed by.
func (s *Situation) terms() ledger.Terms {
	return ledger.Terms{
		Now: s.Now, Prices: s.Prices, KnownPrices: s.KnownPrices, Floor: s.Floor, Scale: s.Scale,
		ModelSwitched: s.ModelSwitched, Moved: s.Moved, OtherUsage: s.OtherUsage,
		Warmed: s.Warmed, Declared: s.Declared, PlainFrom: s.PlainFrom, Before: s.Before, Bill: s.Bill, Measured: s.Measured,
	}
}

// DeclaredAt returns what Declared is on the branch with these asides.
func (s *Situation) DeclaredAt(asides []*message.Node) []bill.Declared {
	if s.DeclaredOn == nil {
		return nil
	}
	return s.DeclaredOn(asides)
}

// account returns the account of the conversation in the situation of the input.
func (in *Input) account() *ledger.Account {
	if v := in.Situation.View; v != nil {
		if in.viewed == nil || in.viewedOf != v {
			in.viewed, in.viewedOf = v.Account(in.Messages, in.Sizes), v
		}
		return in.viewed
	}
	if in.Closed() {
		in.Terms = in.Situation.terms()
	}
	return in.Account()
}

// Pins name what is never pruned, whoever asks.
type Pins struct {
	// Entries are ids of session entries.
	Entries []string
	// Paths are globs that are matched with the path of a call, as in
	// AutoSettings.KeepPaths.
	Paths []string
	// Released are ids of entries that were unpinned: the name of their tool does not keep
	// them any more.
	Released []string
}

// HasPath reports whether a path pin matches a file. cwd is the directory of the session.
func (p Pins) HasPath(file, cwd string) bool { return tool.MatchPath(p.Paths, tool.Slashes(file), cwd) }

// Preset is how bold the policy "auto" is: it sets ages and margins together.
type Preset string

// The presets.
const (
	// PresetCareful spends on rewriting a warm cache only what pruning has saved before.
	PresetCareful Preset = "careful"
	PresetDefault Preset = "default"
	// PresetEager prunes earlier. It saves more, but pruned text is needed again more
	// often.
	PresetEager Preset = "eager"
)

// AutoSettings are the settings of the policy "auto".
type AutoSettings struct {
	// Preset defaults to PresetDefault.
	Preset Preset
	// ColdOnly never rewrites a warm cache: prune.mode = "cold".
	ColdOnly bool
	// KeepTools are globs of the names of tools whose results stay.
	KeepTools []string
	// KeepPaths are globs of paths; a result stays when its call names a matching path. A
	// glob without a slash matches the last element of the path, one that starts with a
	// slash the absolute path, any other both the absolute path and the one relative to the
	// working directory.
	KeepPaths []string
	// Rerun are globs of the names of further tools that are safe to run again. Their
	// output ages like that of a command.
	Rerun []string
	// PinImpact keeps the results of kota_impact.
	PinImpact bool
	// Only, when not empty, names the only sources to ask: see SourceNames.
	Only []string
	// With names optional sources to ask as well: see OptionalNames.
	With []string
	// Window is the window of self-context-manager; the zero Window means none.
	Window Window
	// Without names sources and decision rules to switch off: see DecisionNames.
	Without []string
}

// NewAuto returns the planner of the policy "auto". An invalid glob matches nothing.
func NewAuto(s AutoSettings) *Planner { return autoRules.planner(s) }

// planner returns the planner of the policy "auto" with these rules.
func (rs rules) planner(s AutoSettings) *Planner {
	rules := ""
	if s.Window.Calls <= 0 {
		rules = fmt.Sprintf("%+v", s)
	}
	named := KeepNamed
	if slices.Contains(s.Without, withoutNamed) {
		named = func(*Input, Result) (Reason, bool) { return Reason{}, false }
	}
	return &Planner{
		rules: rules, Sources: rs.sources(s),
		Protections: []Protection{
			KeepMarked, KeepUnanswered, KeepErrors, KeepAborted, KeepOrphans, KeepUnknownContent, KeepSmall,
			keepTools(s), KeepPinned, keepPaths(s.KeepPaths), KeepRestored, named,
		},
		When:   breakEven{preset: s.Preset, coldOnly: s.ColdOnly, without: s.Without}.decide,
		Marker: slices.Concat(rs, otherRules).marker,
		Own:    true,
	}
}
