package policy

import (
	"slices"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// Situation is what a decision depends on besides the messages. In the zero Situation nothing is
// known.
type Situation struct {
	// View is what is known of the requests so far, nil for what the messages alone say of them:
	// then the cache is as Anthropic's, and warm.
	View *View
	// Window is the model's context window in tokens, 0 when unknown.
	Window token.Count
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
	// Message returns the current head and bytes of the message at an index, nil when it
	// cannot be read. It is called for assistant messages that are about to be trimmed.
	// When Message is nil, none is trimmed.
	Message func(index int) (*message.Head, []byte)
	// Text returns the text of the message at an index, as expand shows it, nil when there
	// is none. It is valid until the next call. It is called for the results that are about to
	// be pruned. When Text is nil, markers say less.
	Text func(index int) []byte
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
	kept := append(keepTools(s), keepPinned, keepPinnedPath, keepPaths(s.KeepPaths), keepRestored)
	p := &Planner{
		Sources:     rs.sources(s),
		Protections: append([]Protection{keepMarked, keepUnanswered, keepErrors, keepAborted, keepOrphans, keepUnknownContent, keepSmall}, kept...),
		births:      births.chosen(s),
		always:      append([]Protection{keepMarked, keepAborted, keepUnknownContent}, kept...),
		When:        breakEven(s.ColdOnly),
		Marker:      slices.Concat(rs, otherRules).marker,
		Own:         true,
	}
	if s.Fold {
		p.folds = FoldKeeps
	}
	return p
}
