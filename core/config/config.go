package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/secret"
)

// Config is every setting as the rest of the program reads it. Its lists are
// never nil.
type Config struct {
	Prune   Prune
	Blobs   Blobs
	History History
	// Summarizer says what writes summaries outside of an agent.
	Summarizer Summarizer
	// Decisions says how decisions are remembered.
	Decisions Decisions
	// Kota says how questions about code are answered.
	Kota Code
	// Objects says whether the agent works with objects, and how they are laid out.
	Objects Objects
	// Declare says when the model is told of tools, and Tools how much.
	Declare Declare
	Tools   string
	// Debug is set when the log of the hooks has what was asked.
	Debug bool
	// Agent says what an agent may do in its own shell.
	Agent Agent
	// Redact says what is masked before it is stored.
	Redact Redact
	// Prices are what models cost that the agent knows no price of, each as
	// bill.ParseModelPrice reads it.
	Prices []string
	// Trust holds project directories whose .pi files count besides those pi
	// itself trusts: absolute, or beginning with ~/ .
	Trust []string
}

// Argv is the program with all of its arguments.
func (k KotaDB) Argv() []string {
	const flag = "--toolset"
	if slices.ContainsFunc(k.Command, func(arg string) bool { return arg == flag || strings.HasPrefix(arg, flag+"=") }) {
		return k.Command
	}
	return append(slices.Clone(k.Command), flag, k.Toolset)
}

// Agent says what commands that an agent runs may do.
type Agent struct {
	// ScopeAll is set when they may read what is of other projects.
	ScopeAll bool
}

// Redact says what is masked in the store, in blobs and in exports.
type Redact struct {
	// Patterns are regular expressions.
	Patterns []string
	// KnownKeys is set when keys of known formats are masked, too.
	KnownKeys bool
}

// Finder finds what is to be masked; nil when that is nothing.
func (r Redact) Finder() *secret.Finder {
	f, err := secret.New(r.Patterns, r.KnownKeys)
	if err != nil {
		f, _ = secret.New(nil, r.KnownKeys) // patterns are checked when they are read
	}
	return f
}

// Declare says when the tools of pictx are declared to the model; the value of declare.
type Declare string

// The values of declare.
const (
	// DeclareAuto declares tools once they can be of use.
	DeclareAuto Declare = "auto"
	// DeclareAlways declares them from the first request on.
	DeclareAlways Declare = "always"
	// DeclareNever declares none.
	DeclareNever Declare = "never"
)

// ToolsSeed is the value of tools that declares them as the extensions did that they
// come from; "lean" says the same in fewer tokens.
const ToolsSeed = "seed"

// Prune says whether and how old tool output is left out of the context.
type Prune struct {
	// Enabled is false when pruning must do nothing.
	Enabled bool
	// Mode says when pruning may change the context.
	Mode Mode
	// Policy selects the rules that choose which results are pruned.
	Policy Policy
	// Preset says how bold the policy PolicyAuto is: careful, default or eager.
	Preset string
	// Keep says what the policy PolicyAuto never prunes.
	Keep Keep
	// Rerun are globs of names of tools that can be run again without harm, besides
	// those that are known to be.
	Rerun []string
	// Rules switches rules of the policy PolicyAuto.
	Rules Rules
	// Seed holds the numbers of the policy PolicySeed.
	Seed Seed
	// Kota holds the numbers of the policy PolicyKota.
	Kota Kota
}

// Keep names what is never pruned.
type Keep struct {
	// Tools are globs of tool names, Paths of the paths that calls name.
	Tools, Paths []string
}

// Kota holds the numbers of pi-kota's pruning, prune.* of pi-kota.json.
type Kota struct {
	// KeepRecentTurns is the number of newest user turns that stay.
	KeepRecentTurns int
	// MaxToolChars is the length above which older output goes.
	MaxToolChars int
	// Adaptive makes it stricter in contexts of AdaptiveTokens and more.
	Adaptive       bool
	AdaptiveTokens int
	// PinImpact keeps the results of kota_impact; the policy PolicyAuto heeds it
	// too.
	PinImpact bool
}

// Rules switches rules of the policy PolicyAuto on and off.
type Rules struct {
	// Thinking leaves out what the model thought in turns that are over.
	Thinking bool
	// Replaced shortens the texts that old edits replaced.
	Replaced bool
	// Arguments shortens all that old edits and writes wrote.
	Arguments bool
	// Report prunes old reports of sub-agents and of the web.
	Report bool
}

// Seed holds the constants of pi-context-pruning's config.ts.
type Seed struct {
	// Minimum is the prunable tokens below which nothing is pruned
	// (pi-context-pruning's PRUNE_MINIMUM).
	Minimum int
	// Protect is the tokens of older tool output that stay
	// (pi-context-pruning's PRUNE_PROTECT).
	Protect int
	// ProtectedTurns is the number of newest user turns that are never pruned
	// (pi-context-pruning's PROTECTED_TURNS).
	ProtectedTurns int
	// ProtectedTools names tools whose output is never pruned
	// (pi-context-pruning's PROTECTED_TOOLS).
	ProtectedTools []string
	// PrunableTools names the only tools whose output may be pruned; empty
	// means every tool (pi-context-pruning's PRUNABLE_TOOLS).
	PrunableTools []string
}

// Blobs says how the full text of results is kept that is nowhere else.
type Blobs struct {
	// Enabled is false when nothing may be kept, and so nothing cut.
	Enabled bool
	// Dir is the directory: absolute, or beginning with ~/, "" for the default.
	Dir string
	// MaxBytes bounds the blobs on disk; 0 means no limit.
	MaxBytes Size
	// MaxAgeDays is how many days after its last use a blob is removed; 0 is never.
	MaxAgeDays int
	// Tools are globs of the names of tools whose long results are cut.
	Tools []string
	// Budget is how much text such a result may have in the session.
	Budget Size
}

// History says what the lossless history stores.
type History struct {
	// Enabled is false when nothing may be stored (pi-lcm's lcm.enabled).
	Enabled bool
	// Ephemeral is set when sessions without a file are stored, too.
	Ephemeral bool
	// KeepDays is after how many days entries are purged, 0 for never.
	KeepDays int
	// Ignore holds glob patterns of paths whose sessions are not stored.
	Ignore []string
	// Compact is set when compactions of the agent are taken over.
	Compact bool
	// Models are asked for summaries in this order, before the session's own, as
	// provider/id. A list that begins with NoModel asks none.
	Models []string
	// ModelWrites is what a model writes at a compaction.
	ModelWrites ModelWrites
	// LeafChunkTokens is how much a summary of messages is made from; 0 goes by the
	// model's window.
	LeafChunkTokens int
	// CondensationThreshold is how many summaries of one depth may follow each
	// other, MaxDepth how deep they go.
	CondensationThreshold, MaxDepth int
	// MaxSummaryTokens bounds the text that replaces the past after a compaction.
	MaxSummaryTokens int
	// LargeContentTokens is the size from which a message is read in pieces.
	LargeContentTokens int
	// MaxCalls and MaxSeconds bound what one compaction asks of models.
	MaxCalls, MaxSeconds int
}

// ModelWrites is what a model writes at a compaction.
type ModelWrites string

const (
	// WriteSummary has a model write one summary of what is dropped.
	WriteSummary ModelWrites = "summary"
	// WriteLeaves has it write every leaf and every node above.
	WriteLeaves ModelWrites = "leaves"
)

// NoModel stands in History.Models for no model.
const NoModel = "none"

// Summarizer is a program that writes summaries.
type Summarizer struct {
	// Command is the program and its arguments; empty is the agent's own.
	Command []string
	// Seconds is how long it may take for one.
	Seconds int
}

// Code says how questions about TypeScript, JavaScript and Go code are answered.
type Code struct {
	// Enabled is false when the model is offered no tools for them.
	Enabled bool
	// AutoContext says when the model is briefed on files that a prompt names.
	AutoContext AutoContext
	// ConfirmIndex is set when a person is asked before the first index.
	ConfirmIndex bool
	// MaxBytes is how many bytes an answer may take.
	MaxBytes int
	// Engine is what answers.
	Engine Engine
	// KotaDB says how KotaDB is run, when it is the engine.
	KotaDB KotaDB
}

// Engine names what answers questions about code; the value of kota.engine.
type Engine string

// The engines of kota.engine.
const (
	// EngineBuiltin is the one in the program.
	EngineBuiltin Engine = "builtin"
	// EngineKotaDB is KotaDB, asked by MCP.
	EngineKotaDB Engine = "kotadb"
)

// KotaDB says how KotaDB is run.
type KotaDB struct {
	// Command is the program and its arguments.
	Command []string
	// Toolset is which of its tools it starts with.
	Toolset string
	// StartSeconds is how long it may take to start, QuerySeconds to answer one
	// question, IndexSeconds to index a project.
	StartSeconds, QuerySeconds, IndexSeconds int
}

// AutoContext says when the model is briefed on files that a prompt names; the
// value of kota.auto_context.
type AutoContext string

// The values of kota.auto_context.
const (
	// ContextOff is never.
	ContextOff AutoContext = "off"
	// ContextOnPaths is unless the context holds a briefing on them already.
	ContextOnPaths AutoContext = "onPaths"
	// ContextAlways is each time.
	ContextAlways AutoContext = "always"
)

// Mode says when pruning may change the context; the value of prune.mode.
type Mode string

// The modes of prune.mode.
const (
	// ModeAuto prunes when the policy says so.
	ModeAuto Mode = "auto"
	// ModeCold prunes only when the provider's cache holds nothing any more, so
	// that nothing is paid for it.
	ModeCold Mode = "cold"
	// ModeManual prunes only when asked to.
	ModeManual Mode = "manual"
	// ModeOff never prunes.
	ModeOff Mode = "off"
)

// Policy names the rules that choose which results are pruned; the value of
// prune.policy.
type Policy string

// The policies of prune.policy.
const (
	// PolicyAuto weighs what pruning saves against what a rewrite of the prompt
	// cache costs.
	PolicyAuto Policy = "auto"
	// PolicySeed is pi-context-pruning's algorithm.
	PolicySeed Policy = "seed"
	// PolicyKota is the pruning of pi-kota.
	PolicyKota Policy = "kota"
)

// Decisions says how decisions are remembered and shown.
type Decisions struct {
	// Enabled is false when nothing may be written or shown.
	Enabled bool
	// MaxText and MaxLine are how many bytes a text, and a line of the log, may
	// have; what uses them brings them into their bounds.
	MaxText, MaxLine int
	// RetentionDays are the days for which decisions that do not bind are kept.
	// Nothing is purged unless each was set somewhere.
	RetentionDays RetentionDays
	// Context says what an agent is shown.
	Context DecisionContext
	// AutoCapture says what becomes of lines that are marked in a prompt.
	AutoCapture AutoCapture
}

// RetentionDays are days by status.
type RetentionDays struct{ Draft, Rejected, Superseded int }

// DecisionContext says what an agent is shown of the decisions.
type DecisionContext struct {
	// MaxDecisions is how many; what uses it brings it to 1..20.
	MaxDecisions int
	// Mode is message or system.
	Mode string
	// Governing is the tool calls after which an agent is told of the decisions that govern
	// their files: GoverningAll, GoverningEdits or GoverningOff.
	Governing string
}

// The values of DecisionContext.Governing.
const (
	GoverningAll   = "all"
	GoverningEdits = "edits"
	GoverningOff   = "off"
)

// AutoCapture says what becomes of lines of a prompt that begin with "Decision:".
type AutoCapture struct {
	Enabled bool
	// Confirm asks before one becomes a decision.
	Confirm bool
	// MaxPerTurn bounds how many come of one prompt.
	MaxPerTurn int
	// Failed is what becomes of those of a run that failed or was given up: drop or
	// draft.
	Failed string
}

// Objects says how an agent works with the files, tool calls and chats of its sessions.
type Objects struct {
	// Enabled is false when nothing may be kept or declared.
	Enabled bool
	// Layout says where the content of objects is placed in a context.
	Layout Layout
	// Window says which tool results stay in full.
	Window ObjectWindow
	// Tools is set when the model has tools for them: their declarations go with every
	// request. In LayoutPools it always has.
	Tools bool
	// ReplaceRead replaces the agent's tool read by one that knows which files are active.
	ReplaceRead bool
}

// ObjectWindow is the automatic window: the newest Calls of the current turn and those of
// the newest Turns before it. 0 Calls means no window in LayoutInline, and
// self-context-manager's 5 calls and 3 turns in LayoutPools.
type ObjectWindow struct{ Calls, Turns int }

// Layout is where the content of objects is placed; the value of objects.layout.
type Layout string

// The layouts of objects.layout.
const (
	// LayoutInline leaves content where it first appeared.
	LayoutInline Layout = "inline"
	// LayoutPools is self-context-manager's: a catalogue, the chat with references
	// only, then the active content.
	LayoutPools Layout = "pools"
)

// DefaultFile is a pictx.toml that says every setting with its default and
// changes nothing: each setting is commented out, by a # with no space after
// it. Full dotted keys make each line right wherever it is uncommented.
func DefaultFile() []byte {
	var b strings.Builder
	b.WriteString("# Settings of pictx. Remove the # before a setting to change it; a # and a\n")
	b.WriteString("# space begin an explanation. Keep settings above the first [table], if you\n")
	b.WriteString("# add one.\n")
	for _, k := range Keys() {
		b.WriteString("\n# " + k.Doc + "\n")
		if note := k.note(); note != "" {
			b.WriteString("# " + note + "\n")
		}
		b.WriteString("#" + k.Name + " = " + k.Default + "\n")
	}
	return []byte(b.String())
}

// note is what the file says of a key besides its doc.
func (k Key) note() string {
	var notes []string
	if k.Type == Enum {
		notes = append(notes, "One of: "+strings.Join(k.Enum, ", ")+".")
	}
	if k.Type == Int && (k.From > 0 || k.To < maxInt) {
		notes = append(notes, fmt.Sprintf("From %d to %d.", k.From, k.To))
	}
	if k.UserOnly {
		notes = append(notes, "Counts only in the user's file, not in a project's.")
	}
	return strings.Join(notes, " ")
}
