package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/secret"
)

// Config is every setting as the rest of the program reads it. Its lists are never nil.
type Config struct {
	Prune   Prune
	Blobs   Blobs
	History History
	// Summarizer is the program that writes summaries outside of an agent.
	Summarizer Summarizer
	// Decisions controls how decisions are remembered and shown.
	Decisions Decisions
	// Kota controls how questions about code are answered.
	Kota Code
	// Objects controls whether the agent works with objects, and how they are laid out.
	Objects Objects
	// Declare is when the model is told of tools.
	Declare Declare
	// Debug is set when the hooks log what was asked.
	Debug bool
	// Agent is what an agent may do in its own shell.
	Agent Agent
	// Redact is what is masked before it is stored.
	Redact Redact
	// Prices are for models whose price the agent does not know, in the form of
	// bill.ParseModelPrice.
	Prices []string
	// Trust lists project directories whose .pi files are used in addition to those that pi
	// trusts: absolute, or beginning with ~/ .
	Trust []string
}

// Argv returns the program with all of its arguments.
func (k KotaDB) Argv() []string {
	const flag = "--toolset"
	if slices.ContainsFunc(k.Command, func(arg string) bool { return arg == flag || strings.HasPrefix(arg, flag+"=") }) {
		return k.Command
	}
	return append(slices.Clone(k.Command), flag, k.Toolset)
}

// Agent is what commands that an agent runs may do.
type Agent struct {
	// ScopeAll is set when they may read data of other projects.
	ScopeAll bool
}

// Redact is what is masked in the store, in blobs and in exports.
type Redact struct {
	// Patterns are regular expressions.
	Patterns []string
	// KnownKeys is set when keys of known formats are masked too.
	KnownKeys bool
}

// Finder returns the finder of the texts to mask, nil when none is masked.
func (r Redact) Finder() *secret.Finder {
	f, err := secret.New(r.Patterns, r.KnownKeys)
	if err != nil {
		f, _ = secret.New(nil, r.KnownKeys) // cannot happen: patterns were validated
	}
	return f
}

// Declare is when the tools of pictx are declared to the model; the value of declare.
type Declare string

// The values of declare.
const (
	// DeclareAuto declares tools once they can be useful.
	DeclareAuto Declare = "auto"
	// DeclareAlways declares them from the first request on.
	DeclareAlways Declare = "always"
	// DeclareNever declares none.
	DeclareNever Declare = "never"
)

// Prune controls whether and how old tool output is pruned.
type Prune struct {
	// Enabled is false when nothing may be pruned.
	Enabled bool
	// Mode is when pruning may change the context.
	Mode Mode
	// Policy selects the rules that choose which results are pruned.
	Policy Policy
	// Fold is whether the beginning of a conversation is replaced by an extract once the cache is
	// lost.
	Fold FoldMode
	// AskCents is from how many US cents on FoldAsk asks.
	AskCents int
	// Keep is what the policy PolicyAuto never prunes.
	Keep Keep
	// Rerun are globs of the names of further tools that can be run again without harm.
	Rerun []string
	// Seed holds the numbers of the policy PolicySeed.
	Seed Seed
	// Kota holds the numbers of the policy PolicyKota.
	Kota Kota
}

// Keep is what is never pruned.
type Keep struct {
	// Tools are globs of tool names, Paths globs of the paths that calls name.
	Tools, Paths []string
}

// Kota holds the numbers of pi-kota's pruning, prune.* of pi-kota.json.
type Kota struct {
	// KeepRecentTurns is the number of newest user turns that are kept.
	KeepRecentTurns int
	// MaxToolChars is the length above which older output is pruned.
	MaxToolChars int
	// Adaptive prunes more in large contexts.
	Adaptive bool
	// PinImpact keeps the results of kota_impact, also with the policy PolicyAuto.
	PinImpact bool
}

// Seed holds the constants of pi-context-pruning's config.ts.
type Seed struct {
	// Minimum is the prunable tokens below which nothing is pruned
	// (pi-context-pruning's PRUNE_MINIMUM).
	Minimum int
	// Protect is how many tokens of older tool output are kept (pi-context-pruning's
	// PRUNE_PROTECT).
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

// Blobs controls how the full text of shortened results is kept.
type Blobs struct {
	// Enabled is false when nothing may be kept, and so nothing shortened.
	Enabled bool
	// Dir is the directory: absolute, or beginning with ~/, "" for the default.
	Dir string
	// MaxBytes bounds the blobs on disk; 0 means no limit.
	MaxBytes Size
	// MaxAgeDays is how many days after its last use a blob is removed; 0 means never.
	MaxAgeDays int
	// Tools are globs of the names of tools whose long results are shortened.
	Tools []string
}

// History controls what the lossless history stores.
type History struct {
	// Enabled is false when nothing may be stored (pi-lcm's lcm.enabled).
	Enabled bool
	// Ephemeral is set when sessions without a file are stored too.
	Ephemeral bool
	// KeepDays is after how many days entries are purged, 0 for never.
	KeepDays int
	// Ignore holds glob patterns of paths whose sessions are not stored.
	Ignore []string
	// Compact is set when pictx replaces the agent's own compaction.
	Compact bool
	// Models are the models that write summaries, as provider/id, tried in this order
	// before the session's own. A list that begins with NoModel uses none.
	Models []string
	// ModelWrites is what a model writes at a compaction.
	ModelWrites ModelWrites
	// LeafChunkTokens is how many tokens of messages a summary covers; 0 derives it from
	// the model's window.
	LeafChunkTokens int
	// CondensationThreshold is how many consecutive summaries of one depth are allowed,
	// MaxDepth the maximum depth.
	CondensationThreshold, MaxDepth int
	// LargeContentTokens is the size from which on a message is summarized from excerpts.
	LargeContentTokens int
}

// ModelWrites is what a model writes at a compaction.
type ModelWrites string

const (
	// WriteSummary has a model write one summary of everything that is dropped.
	WriteSummary ModelWrites = "summary"
	// WriteLeaves has it write every leaf and every node above.
	WriteLeaves ModelWrites = "leaves"
)

// NoModel in History.Models disables models.
const NoModel = "none"

// Summarizer is a program that writes summaries.
type Summarizer struct {
	// Command is the program and its arguments; empty means the agent's own.
	Command []string
}

// Code controls how questions about TypeScript, JavaScript and Go code are answered.
type Code struct {
	// Enabled is false when the model gets no tools for them.
	Enabled bool
	// AutoContext is when files that a prompt names are described to the model.
	AutoContext AutoContext
	// ConfirmIndex asks a person before a project is indexed for the first time.
	ConfirmIndex bool
	// MaxBytes is the maximum size of an answer.
	MaxBytes int
	// Engine is what answers.
	Engine Engine
	// KotaDB is how KotaDB is run, if it is the engine.
	KotaDB KotaDB
}

// Engine is what answers questions about code; the value of kota.engine.
type Engine string

// The engines of kota.engine.
const (
	// EngineBuiltin is pictx's own engine.
	EngineBuiltin Engine = "builtin"
	// EngineKotaDB is KotaDB, used through MCP.
	EngineKotaDB Engine = "kotadb"
)

// KotaDB is how KotaDB is run.
type KotaDB struct {
	// Command is the program and its arguments.
	Command []string
	// Toolset is the set of tools it starts with.
	Toolset string
}

// AutoContext is when files that a prompt names are described to the model; the value of
// kota.auto_context.
type AutoContext string

// The values of kota.auto_context.
const (
	// ContextOff: never.
	ContextOff AutoContext = "off"
	// ContextOnPaths: unless the context already describes them.
	ContextOnPaths AutoContext = "onPaths"
	// ContextAlways: every time.
	ContextAlways AutoContext = "always"
)

// FoldMode is whether conversations are folded; the value of prune.fold.
type FoldMode string

// The modes of prune.fold.
const (
	// FoldAsk asks before a prompt for which much would be written again; where nobody can be
	// asked nothing is folded.
	FoldAsk FoldMode = "ask"
	// FoldAuto folds once the cache is lost.
	FoldAuto FoldMode = "auto"
	// FoldOff never folds and never asks.
	FoldOff FoldMode = "off"
)

// Mode is when pruning may change the context; the value of prune.mode.
type Mode string

// The modes of prune.mode.
const (
	// ModeAuto prunes when the policy says so.
	ModeAuto Mode = "auto"
	// ModeCold prunes only when the provider's cache holds nothing, so that pruning costs
	// nothing.
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

// Decisions controls how decisions are remembered and shown.
type Decisions struct {
	// Enabled is false when nothing may be written or shown.
	Enabled bool
	// RetentionDays is how long decisions that are not in force are kept. Nothing is purged
	// unless all three are set.
	RetentionDays RetentionDays
	// Context is what an agent is shown.
	Context DecisionContext
	// AutoCapture is what happens to lines that are marked in a prompt.
	AutoCapture AutoCapture
}

// RetentionDays are days by status.
type RetentionDays struct{ Draft, Rejected, Superseded int }

// DecisionContext is what an agent is shown of the decisions.
type DecisionContext struct {
	// MaxDecisions is how many; their user clamps it to 1..20.
	MaxDecisions int
	// Governing selects the tool calls after which an agent is told of the decisions that
	// govern their files: GoverningAll, GoverningEdits or GoverningOff.
	Governing string
}

// The values of DecisionContext.Governing.
const (
	GoverningAll   = "all"
	GoverningEdits = "edits"
	GoverningOff   = "off"
)

// AutoCapture is what happens to lines of a prompt that begin with "Decision:".
type AutoCapture struct {
	Enabled bool
	// Confirm asks before a line becomes a decision.
	Confirm bool
	// MaxPerTurn bounds how many are taken from one prompt.
	MaxPerTurn int
}

// Objects controls how an agent works with the files, tool calls and chats of its sessions.
type Objects struct {
	// Enabled is false when nothing may be kept or declared.
	Enabled bool
	// Layout is where the content of objects is placed in a context.
	Layout Layout
	// Tools is set when the model has tools for them, whose declarations are part of every
	// request. In LayoutPools it always has.
	Tools bool
}

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

// DefaultFile returns a pictx.toml that lists every setting with its default and changes
// nothing: each setting is commented out by a # without a space after it. Full dotted keys
// make each line valid wherever it is uncommented.
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

// note returns what the file says about a key besides its doc.
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
