package policy

import (
	"cmp"
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/core/session"
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
	// another.
	ModelSwitched bool
	// Boundary is set when no turn is running: the coming request begins one, or follows a
	// compaction. Thinking that is bound to what came before allows changes only then.
	Boundary bool
	// Unbound is set when the model of the coming request does not bind its thinking: the
	// context may change inside a turn, too.
	Unbound bool
	// Bound reports whether a response has thinking that its model binds to what came before;
	// nil means that every response does.
	Bound func(h *message.Head) bool
	// Changed is the position of the first message whose thinking is invalid already, because
	// something before it changed after it was made; 0 means none.
	Changed int
	// Forced is set when the user asks for pruning: prices do not matter.
	Forced bool
	// CWD is the directory of relative paths in calls, "" when unknown.
	CWD string
	// Pins are what the user pinned, States the states of objects.
	Pins   Pins
	States state.States
	// View is what the caller knows of the requests so far. nil: it is derived from the
	// messages, and the fields above that say when, for how much and what was sent count.
	View *View
	// Message returns the current head and bytes of the message at an index, nil when it
	// cannot be read. It is called for assistant messages that are about to be trimmed.
	// When Message is nil, none is trimmed.
	Message func(index int) (*message.Head, []byte)
	// Text returns the text of the message at an index, as expand shows it, nil when there
	// is none. It is valid until the next call. It is called for the results that are about to
	// be pruned. When Text is nil, markers say less.
	Text func(index int) []byte
}

// account returns the account of the conversation in the situation of the input.
func (in *Input) account() *Account {
	if in.known == nil {
		v := in.Situation.View
		if v == nil {
			v = in.listed()
		}
		in.known = v.Account(in.Messages, in.Sizes)
	}
	return in.known
}

// listed returns what the messages alone say of the requests so far.
func (in *Input) listed() *View {
	sit := &in.Situation
	p := sit.Prices
	if !sit.KnownPrices {
		p = token.Unknown()
	}
	s, err := Listed(in.Messages)
	if err != nil { // nothing is read that could fail
		s = new(session.Session)
	}
	if sit.Floor > 0 {
		s.AssumeFloor(sit.Floor)
	}
	for i := range s.Models {
		s.Models[i].Scale = cmp.Or(sit.Scale, s.Models[i].Scale)
	}
	v, err := Coming{Leaf: s.Tree().Leaf(), Now: sit.Now, Switched: sit.ModelSwitched, Prices: p}.View(s, in.Messages)
	if err != nil {
		v = &View{Prices: p, Scale: 1, Floor: token.AssumedFloor, Cache: token.NewCache(p), Cold: ColdFirst}
	}
	return v
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

// Names reports whether a path pin matches the file of a call, or one that its command names.
func (p Pins) Names(a tool.Access, cwd string) bool {
	return a.Path != "" && p.HasPath(a.Path, cwd) || tool.NamesPath(p.Paths, a.Command, cwd)
}

// HasPath reports whether a path pin matches a file. cwd is the directory of the session.
func (p Pins) HasPath(file, cwd string) bool { return tool.MatchPath(p.Paths, tool.Slashes(file), cwd) }

// AutoSettings are the settings of the policy "auto".
type AutoSettings struct {
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
	// Without names sources to switch off.
	Without []string
	// Fold folds the beginning of a conversation whose cache is lost.
	Fold bool
}

// NewAuto returns the planner of the policy "auto". An invalid glob matches nothing.
func NewAuto(s AutoSettings) *Planner { return autoRules.planner(s) }

// planner returns the planner of the policy "auto" with these rules.
func (rs rules) planner(s AutoSettings) *Planner {
	p := &Planner{
		Sources: rs.sources(s),
		Protections: []Protection{
			KeepMarked, KeepUnanswered, KeepErrors, KeepAborted, KeepOrphans, KeepUnknownContent, KeepSmall,
			keepTools(s), KeepPinned, keepPaths(s.KeepPaths), KeepRestored,
		},
		births: s.shortens(),
		always: []Protection{KeepMarked, KeepAborted, KeepUnknownContent, keepTools(s), KeepPinned, keepPaths(s.KeepPaths), KeepRestored},
		When:   breakEven{coldOnly: s.ColdOnly}.decide,
		Marker: slices.Concat(rs, otherRules).marker,
		Own:    true,
	}
	if s.Fold {
		p.folds = FoldKeeps
	}
	return p
}
