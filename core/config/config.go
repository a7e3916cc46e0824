package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/secret"
)

// Config is every setting as the rest of the program reads it. Its lists are never nil. What a
// field is for, its bounds and its default are those of the key that fills it, in keys.go.
type Config struct {
	Prune      Prune
	Blobs      Blobs
	History    History
	Summarizer Summarizer
	Decisions  Decisions
	Kota       Code
	Objects    Objects
	Declare    Declare
	Debug      bool
	Agent      Agent
	Redact     Redact
	// Prices are in the form of bill.ParseModelPrice.
	Prices []string
	// Trust lists directories: absolute, or beginning with ~/ .
	Trust []string
}

// Agent is what commands that an agent runs may do.
type Agent struct{ ScopeAll bool }

// Redact is what is masked in the store, in blobs and in exports.
type Redact struct {
	Patterns  []string // regular expressions
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
	DeclareAuto   Declare = "auto"
	DeclareAlways Declare = "always"
	DeclareNever  Declare = "never"
)

// Prune controls whether and how old tool output is pruned.
type Prune struct {
	Enabled  bool
	Mode     Mode
	Policy   Policy
	Fold     FoldMode
	AskCents int
	Keep     Keep
	Rerun    []string
	Seed     Seed
	Kota     Kota
}

// Keep is what is never pruned: globs of tool names, and of the paths that calls name.
type Keep struct{ Tools, Paths []string }

// Kota holds the numbers of pi-kota's pruning, prune.* of pi-kota.json.
type Kota struct {
	KeepRecentTurns, MaxToolChars int
	Adaptive                      bool
	// PinImpact keeps the results of kota_impact, also with the policy PolicyAuto.
	PinImpact bool
}

// Seed holds the constants of pi-context-pruning's config.ts.
type Seed struct {
	Minimum, Protect, ProtectedTurns int
	ProtectedTools, PrunableTools    []string
}

// Blobs controls how the full text of shortened results is kept.
type Blobs struct {
	Enabled bool
	// Dir is absolute, or begins with ~/, or is "" for the default.
	Dir        string
	MaxBytes   int64
	MaxAgeDays int
	Tools      []string
}

// History controls what the lossless history stores, and how sessions are compacted.
type History struct {
	Enabled, Ephemeral bool
	KeepDays           int
	Ignore             []string
	// Compact is set when pictx replaces the agent's own compaction.
	Compact bool
	// Models are tried in this order before the session's own. A list that begins with NoModel
	// uses none.
	Models      []string
	ModelWrites ModelWrites
	// LeafChunkTokens is how many tokens of messages a summary covers; 0 derives it from
	// the model's window.
	LeafChunkTokens                 int
	CondensationThreshold, MaxDepth int
	LargeContentTokens              int
}

// NoModel in History.Models disables models.
const NoModel = "none"

// ModelWrites is what a model writes at a compaction; the value of history.model_writes.
type ModelWrites string

// The values of history.model_writes.
const (
	WriteSummary ModelWrites = "summary"
	WriteLeaves  ModelWrites = "leaves"
)

// Summarizer is a program that writes summaries outside of an agent, with its arguments; an empty
// command means the agent's own.
type Summarizer struct{ Command []string }

// Code controls how questions about TypeScript, JavaScript and Go code are answered.
type Code struct {
	Enabled      bool
	AutoContext  AutoContext
	ConfirmIndex bool
	MaxBytes     int
	Engine       Engine
	KotaDB       KotaDB
}

// Engine is what answers questions about code; the value of kota.engine.
type Engine string

// The engines of kota.engine: pictx's own, and KotaDB, used through MCP.
const (
	EngineBuiltin Engine = "builtin"
	EngineKotaDB  Engine = "kotadb"
)

// KotaDB is how KotaDB is run, if it is the engine: a program with its arguments, and the set of
// tools it starts with.
type KotaDB struct {
	Command []string
	Toolset string
}

// Argv returns the program with all of its arguments.
func (k KotaDB) Argv() []string {
	const flag = "--toolset"
	if slices.ContainsFunc(k.Command, func(arg string) bool { return arg == flag || strings.HasPrefix(arg, flag+"=") }) {
		return k.Command
	}
	return append(slices.Clone(k.Command), flag, k.Toolset)
}

// AutoContext is when files that a prompt names are described to the model; the value of
// kota.auto_context.
type AutoContext string

// The values of kota.auto_context. ContextOnPaths does it unless the context already describes
// them.
const (
	ContextOff     AutoContext = "off"
	ContextOnPaths AutoContext = "onPaths"
	ContextAlways  AutoContext = "always"
)

// FoldMode is whether conversations are folded once the cache is lost; the value of prune.fold.
type FoldMode string

// The modes of prune.fold. Where nobody can be asked, FoldAsk folds nothing.
const (
	FoldAsk  FoldMode = "ask"
	FoldAuto FoldMode = "auto"
	FoldOff  FoldMode = "off"
)

// Mode is when pruning may change the context; the value of prune.mode.
type Mode string

// The modes of prune.mode. ModeCold prunes only when the provider's cache holds nothing, so that
// pruning costs nothing.
const (
	ModeAuto   Mode = "auto"
	ModeCold   Mode = "cold"
	ModeManual Mode = "manual"
	ModeOff    Mode = "off"
)

// Policy names the rules that choose which results are pruned; the value of
// prune.policy.
type Policy string

// The policies of prune.policy: pictx's own, which weighs what pruning saves against what a rewrite
// of the prompt cache costs, pi-context-pruning's, and pi-kota's.
const (
	PolicyAuto Policy = "auto"
	PolicySeed Policy = "seed"
	PolicyKota Policy = "kota"
)

// Decisions controls how decisions are remembered and shown.
type Decisions struct {
	Enabled bool
	// RetentionDays is how long decisions that are not in force are kept. Nothing is purged
	// unless all three are set.
	RetentionDays RetentionDays
	Context       DecisionContext
	AutoCapture   AutoCapture
}

// RetentionDays are days by status.
type RetentionDays struct{ Draft, Rejected, Superseded int }

// DecisionContext is what an agent is shown of the decisions: how many, and after which tool calls
// those that govern their files.
type DecisionContext struct {
	MaxDecisions int
	Governing    string
}

// The values of DecisionContext.Governing.
const (
	GoverningAll   = "all"
	GoverningEdits = "edits"
	GoverningOff   = "off"
)

// AutoCapture is what happens to lines of a prompt that begin with "Decision:": whether a person
// is asked before one becomes a decision, and how many are taken from one prompt.
type AutoCapture struct {
	Enabled, Confirm bool
	MaxPerTurn       int
}

// Objects controls how an agent works with the files, tool calls and chats of its sessions.
type Objects struct {
	Enabled bool
	Layout  Layout
	// Tools is set when the model has tools for them. In LayoutPools it always has.
	Tools bool
}

// Layout is where the content of objects is placed in a context; the value of objects.layout.
type Layout string

// The layouts of objects.layout: where content first appeared, and self-context-manager's
// catalogue, chat with references only, and active content.
const (
	LayoutInline Layout = "inline"
	LayoutPools  Layout = "pools"
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
