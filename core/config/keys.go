package config

import (
	"slices"
	"strings"
)

// Type is the type of a key's value.
type Type int

// The types of values.
const (
	// Bool is true or false.
	Bool Type = iota
	// Int is a whole number within the bounds of its key.
	Int
	// Enum is one of a few words.
	Enum
	// Bytes is a size: a whole number of bytes, or a text such as "250MB".
	Bytes
	// Dir is a directory, absolute or beginning with ~/, or "" for the default.
	Dir
	// Strings is a list of names.
	Strings
	// Globs is a list of glob patterns.
	Globs
	// Dirs is a list of directories, absolute or beginning with ~/ .
	Dirs
	// Models is a list of models, each as provider/id or {provider, id}.
	Models
	// Patterns is a list of regular expressions, none of which matches the empty text.
	Patterns
)

// String is the type in one word.
func (t Type) String() string {
	names := [...]string{"bool", "int", "enum", "size", "directory", "names", "globs", "directories", "models", "patterns"}
	if t < 0 || int(t) >= len(names) {
		return "unknown"
	}
	return names[t]
}

// List reports whether the value is a list of strings.
func (t Type) List() bool { return t >= Strings }

// Key describes one setting.
type Key struct {
	// Name is the dotted key, as in prune.seed.minimum.
	Name string
	Type Type
	// Default is the built-in value in TOML form.
	Default string
	// UserOnly keys are ignored, with a warning, in a project's files.
	UserOnly bool
	// Enum holds the values an Enum may have.
	Enum []string
	// From and To are the least and the greatest an Int may be.
	From, To int
	// Doc says in one line what the setting does.
	Doc string
	// Env is the environment variable that sets the key.
	Env string
}

// Keys returns every setting, in the order they are listed and documented.
func Keys() []Key {
	var keys []Key
	for _, s := range settings {
		keys = append(keys, s.Key)
	}
	return keys
}

// spec is a key with what Resolve needs to fill it.
type spec struct {
	Key
	def   any               // bool, int, string or []string
	both  bool              // the user's value AND the project's
	seed  string            // its dotted name in pi's settings.json
	kota  string            // its dotted name in pi-kota.json
	memo  string            // its dotted name in decision-memory.config.json
	env   string            // the variable of the extension it came from
	field func(*Config) any // where the value goes
}

// settings is every setting there is: a new one is a new line here.
var settings = complete([]spec{
	{Key: Key{Name: "declare", Type: Enum, Enum: []string{"auto", "always", "never"}, Doc: "when the model is told of pictx's tools, which every request then pays for: once they can be of use, from the first request on, never"}, def: "auto", field: func(c *Config) any { return (*string)(&c.Declare) }},
	{Key: Key{Name: "tools", Type: Enum, Enum: []string{"lean", "seed"}, Doc: "how tools are declared: in few tokens, or in full as by the extensions they come from"}, def: "lean", field: func(c *Config) any { return &c.Tools }},
	{Key: Key{Name: "debug", Type: Bool, UserOnly: true, Doc: "add to the log of the hooks what was asked, without the text of any message"}, def: false, seed: "lcm.debugMode", field: func(c *Config) any { return &c.Debug }},
	{Key: Key{Name: "agent.scope_all", Type: Bool, UserOnly: true, Doc: "let commands that an agent runs in its shell read other projects, and blobs that this project does not name"}, def: false, field: func(c *Config) any { return &c.Agent.ScopeAll }},
	{Key: Key{Name: "redact.known_keys", Type: Bool, UserOnly: true, Doc: "mask keys of known formats before they are stored, and in exports"}, def: false, field: func(c *Config) any { return &c.Redact.KnownKeys }},
	{Key: Key{Name: "redact.patterns", Type: Patterns, UserOnly: true, Doc: "regular expressions; what they match is masked before it is stored, and in exports"}, def: []string{}, field: func(c *Config) any { return &c.Redact.Patterns }},
	{Key: Key{Name: "prune.enabled", Type: Bool, Doc: "leave old tool output out of the context"}, def: true, both: true, seed: "contextPruning.enabled", kota: "prune.enabled", field: func(c *Config) any { return &c.Prune.Enabled }},
	{Key: Key{Name: "prune.mode", Type: Enum, Enum: []string{"auto", "cold", "manual", "off"}, Doc: "when to prune: when it pays, only when the prompt cache is cold anyway, only when asked, never"}, def: "auto", field: func(c *Config) any { return (*string)(&c.Prune.Mode) }},
	{Key: Key{Name: "prune.policy", Type: Enum, Enum: []string{"auto", "seed", "kota"}, Doc: "which rules choose what is pruned: those that weigh cost against saving, pi-context-pruning's, pi-kota's"}, def: "auto", field: func(c *Config) any { return (*string)(&c.Prune.Policy) }},
	{Key: Key{Name: "prune.preset", Type: Enum, Enum: []string{"careful", "default", "eager"}, Doc: "how bold the policy auto is"}, def: "default", field: func(c *Config) any { return &c.Prune.Preset }},
	{Key: Key{Name: "prune.keep.tools", Type: Globs, Doc: "names of tools whose output the policy auto never prunes"}, def: []string{"skill", "ask*"}, field: func(c *Config) any { return &c.Prune.Keep.Tools }},
	{Key: Key{Name: "prune.keep.paths", Type: Globs, Doc: "paths whose text the policy auto never prunes"}, def: []string{"**/*.env", "**/AGENTS.md", "**/SKILL.md"}, field: func(c *Config) any { return &c.Prune.Keep.Paths }},
	{Key: Key{Name: "prune.rerun", Type: Globs, Doc: "names of tools, besides those it knows, whose output the policy auto may prune like a command's"}, def: []string{}, field: func(c *Config) any { return &c.Prune.Rerun }},
	{Key: Key{Name: "prune.max_context", Type: Int, Doc: "tokens of context near which the policy auto prunes before it pays; 0 is the model's limit"}, def: 300000, field: func(c *Config) any { return &c.Prune.MaxContext }},
	{Key: Key{Name: "prune.reserve", Type: Int, Doc: "tokens of a model's window that pi keeps free: it compacts above the rest (compaction.reserveTokens)"}, def: 16384, seed: "compaction.reserveTokens", field: func(c *Config) any { return &c.Prune.Reserve }},
	{Key: Key{Name: "prune.rules.thinking", Type: Bool, Doc: "the policy auto leaves out what the model thought in turns that are over"}, def: true, field: func(c *Config) any { return &c.Prune.Rules.Thinking }},
	{Key: Key{Name: "prune.rules.replaced", Type: Bool, Doc: "the policy auto shortens the texts that old edits replaced"}, def: true, field: func(c *Config) any { return &c.Prune.Rules.Replaced }},
	{Key: Key{Name: "prune.rules.arguments", Type: Bool, Doc: "the policy auto shortens all that old edits and writes wrote; more later edits then lack their text"}, def: false, field: func(c *Config) any { return &c.Prune.Rules.Arguments }},
	{Key: Key{Name: "prune.rules.report", Type: Bool, Doc: "the policy auto prunes old reports of sub-agents and of the web"}, def: true, field: func(c *Config) any { return &c.Prune.Rules.Report }},
	{Key: Key{Name: "prune.seed.minimum", Type: Int, Doc: "tokens that must be prunable before anything is pruned (PRUNE_MINIMUM)"}, def: 20000, field: func(c *Config) any { return &c.Prune.Seed.Minimum }},
	{Key: Key{Name: "prune.seed.protect", Type: Int, Doc: "tokens of older tool output that stay (PRUNE_PROTECT)"}, def: 40000, field: func(c *Config) any { return &c.Prune.Seed.Protect }},
	{Key: Key{Name: "prune.seed.protected_turns", Type: Int, Doc: "newest user turns that are never pruned (PROTECTED_TURNS)"}, def: 2, field: func(c *Config) any { return &c.Prune.Seed.ProtectedTurns }},
	{Key: Key{Name: "prune.seed.protected_tools", Type: Strings, Doc: "tools whose output is never pruned (PROTECTED_TOOLS)"}, def: []string{}, field: func(c *Config) any { return &c.Prune.Seed.ProtectedTools }},
	{Key: Key{Name: "prune.seed.prunable_tools", Type: Strings, Doc: "tools whose output may be pruned, [] for every tool (PRUNABLE_TOOLS)"}, def: []string{"read", "bash", "grep", "find", "ls", "edit", "write"}, field: func(c *Config) any { return &c.Prune.Seed.PrunableTools }},
	{Key: Key{Name: "prune.kota.keep_recent_turns", Type: Int, Doc: "newest user turns that the policy kota leaves alone"}, def: 2, kota: "prune.keepRecentTurns", field: func(c *Config) any { return &c.Prune.Kota.KeepRecentTurns }},
	{Key: Key{Name: "prune.kota.max_tool_chars", Type: Int, Doc: "characters above which the policy kota prunes older output"}, def: 1200, kota: "prune.maxToolChars", field: func(c *Config) any { return &c.Prune.Kota.MaxToolChars }},
	{Key: Key{Name: "prune.kota.adaptive", Type: Bool, Doc: "be stricter in large contexts"}, def: true, kota: "prune.adaptive", field: func(c *Config) any { return &c.Prune.Kota.Adaptive }},
	{Key: Key{Name: "prune.kota.adaptive_tokens", Type: Int, Doc: "tokens from which a context is large"}, def: 120000, field: func(c *Config) any { return &c.Prune.Kota.AdaptiveTokens }},
	{Key: Key{Name: "prune.kota.pin_impact", Type: Bool, Doc: "never prune results of kota_impact that nobody unpinned"}, def: true, kota: "prune.pinImpactSummaries", field: func(c *Config) any { return &c.Prune.Kota.PinImpact }},
	{Key: Key{Name: "blobs.enabled", Type: Bool, UserOnly: true, Doc: "keep the full text of results that are too long for a session"}, def: true, kota: "blobs.enabled", field: func(c *Config) any { return &c.Blobs.Enabled }},
	{Key: Key{Name: "blobs.dir", Type: Dir, UserOnly: true, Doc: "where they are kept; empty is pictx/blobs in pi's directory"}, def: "", kota: "blobs.dir", field: func(c *Config) any { return &c.Blobs.Dir }},
	{Key: Key{Name: "blobs.max_bytes", Type: Bytes, UserOnly: true, Doc: "how much they may take on disk before the ones unused for longest go; 0 means no limit"}, def: "250MB", kota: "blobs.maxBytes", field: func(c *Config) any { return &c.Blobs.MaxBytes }},
	{Key: Key{Name: "blobs.max_age_days", Type: Int, UserOnly: true, Doc: "days after their last use until they go, unless a session still names them; 0 is never"}, def: 14, kota: "blobs.maxAgeDays", field: func(c *Config) any { return &c.Blobs.MaxAgeDays }},
	{Key: Key{Name: "blobs.tools", Type: Globs, UserOnly: true, Doc: "names of tools whose long results are cut for the session, and kept whole as blobs; [] asks pi for no result"}, def: []string{}, field: func(c *Config) any { return &c.Blobs.Tools }},
	{Key: Key{Name: "blobs.budget", Type: Bytes, UserOnly: true, Doc: "how much text such a result may have in the session"}, def: "5KB", field: func(c *Config) any { return &c.Blobs.Budget }},
	{Key: Key{Name: "history.enabled", Type: Bool, Doc: "store the history of sessions; false stores nothing"}, def: true, both: true, seed: "lcm.enabled", env: "LCM_ENABLED", field: func(c *Config) any { return &c.History.Enabled }},
	{Key: Key{Name: "history.ephemeral", Type: Bool, UserOnly: true, Doc: "store sessions that pi keeps no file of (--no-session), too"}, def: false, field: func(c *Config) any { return &c.History.Ephemeral }},
	{Key: Key{Name: "history.ignore", Type: Globs, UserOnly: true, Doc: "paths whose sessions are not stored"}, def: []string{}, field: func(c *Config) any { return &c.History.Ignore }},
	{Key: Key{Name: "history.keep_days", Type: Int, UserOnly: true, Doc: "days after which pictx history purge deletes an entry without being told which; 0 keeps every entry"}, def: 0, field: func(c *Config) any { return &c.History.KeepDays }},
	{Key: Key{Name: "history.compact", Type: Bool, Doc: "let summaries that can be expanded take the place of pi's own compaction"}, def: true, both: true, field: func(c *Config) any { return &c.History.Compact }},
	{Key: Key{Name: "history.models", Type: Models, UserOnly: true, Doc: "models that write summaries, in order, before the session's own model, which alone writes them when none is named; [\"none\"] asks no model at all"}, def: []string{}, seed: "lcm.compactionModels", field: func(c *Config) any { return &c.History.Models }},
	{Key: Key{Name: "history.model_writes", Type: Enum, UserOnly: true, Enum: []string{"summary", "leaves"}, Doc: "what a model writes at a compaction: one summary, in one request of about the size of pi's own; or leaves, a summary of every 12000 to 20000 tokens and those above, which costs 4 to 7 times as much"}, def: "summary", field: func(c *Config) any { return (*string)(&c.History.ModelWrites) }},
	{Key: Key{Name: "history.leaf_chunk_tokens", Type: Int, Doc: "tokens of messages that one summary is made from; 0 is 12000 to 20000, by the model's window"}, def: 0, seed: "lcm.leafChunkTokens", env: "LCM_LEAF_CHUNK_TOKENS", field: func(c *Config) any { return &c.History.LeafChunkTokens }},
	{Key: Key{Name: "history.condensation_threshold", Type: Int, From: 2, To: 1000, Doc: "summaries of one depth that may follow each other before the oldest are made one"}, def: 6, seed: "lcm.condensationThreshold", env: "LCM_CONDENSATION_THRESHOLD", field: func(c *Config) any { return &c.History.CondensationThreshold }},
	{Key: Key{Name: "history.max_depth", Type: Int, From: 1, To: 100, Doc: "how deep summaries of summaries go"}, def: 5, seed: "lcm.maxDepth", env: "LCM_MAX_DEPTH", field: func(c *Config) any { return &c.History.MaxDepth }},
	{Key: Key{Name: "history.max_summary_tokens", Type: Int, Doc: "tokens of what stands for the past after a compaction"}, def: 8000, field: func(c *Config) any { return &c.History.MaxSummaryTokens }},
	{Key: Key{Name: "history.large_content_tokens", Type: Int, Doc: "tokens above which a summariser reads only pieces of a message"}, def: 25000, seed: "lcm.largFileThresholdTokens", field: func(c *Config) any { return &c.History.LargeContentTokens }},
	{Key: Key{Name: "history.max_calls", Type: Int, Doc: "calls of models that one compaction may make; what is left is extracted, and written later"}, def: 60, field: func(c *Config) any { return &c.History.MaxCalls }},
	{Key: Key{Name: "history.max_seconds", Type: Int, Doc: "seconds that one compaction may take, likewise"}, def: 600, field: func(c *Config) any { return &c.History.MaxSeconds }},
	{Key: Key{Name: "summarizer.command", Type: Strings, UserOnly: true, Doc: "program and arguments that write a summary for pictx compact, the prompt on their standard input; [] is pi, when there is one"}, def: []string{}, field: func(c *Config) any { return &c.Summarizer.Command }},
	{Key: Key{Name: "summarizer.seconds", Type: Int, From: 1, To: 86400, UserOnly: true, Doc: "how long it may take"}, def: 180, field: func(c *Config) any { return &c.Summarizer.Seconds }},
	{Key: Key{Name: "decisions.enabled", Type: Bool, Doc: "remember decisions and show them to the agent; false writes nothing"}, def: true, both: true, memo: "enabled", field: func(c *Config) any { return &c.Decisions.Enabled }},
	{Key: Key{Name: "decisions.max_text", Type: Int, From: 64, To: 65536, Doc: "bytes that a decision, a reason or a note may have"}, def: 4096, field: func(c *Config) any { return &c.Decisions.MaxText }},
	{Key: Key{Name: "decisions.max_line", Type: Int, From: 65536, To: 16777216, UserOnly: true, Doc: "bytes that a line of the log may have; a longer one is damage"}, def: 1 << 20, field: func(c *Config) any { return &c.Decisions.MaxLine }},
	{Key: Key{Name: "decisions.retention_days.draft", Type: Int, Doc: "days until pictx decision purge removes a draft; it wants this set somewhere"}, def: 30, memo: "retentionDays.draft", field: func(c *Config) any { return &c.Decisions.RetentionDays.Draft }},
	{Key: Key{Name: "decisions.retention_days.rejected", Type: Int, Doc: "likewise for what was rejected"}, def: 90, memo: "retentionDays.rejected", field: func(c *Config) any { return &c.Decisions.RetentionDays.Rejected }},
	{Key: Key{Name: "decisions.retention_days.superseded", Type: Int, Doc: "likewise for what was superseded"}, def: 180, memo: "retentionDays.superseded", field: func(c *Config) any { return &c.Decisions.RetentionDays.Superseded }},
	{Key: Key{Name: "decisions.context.max_decisions", Type: Int, From: 1, To: 20, Doc: "active decisions that the agent is shown"}, def: 20, memo: "context.maxDecisions", field: func(c *Config) any { return &c.Decisions.Context.MaxDecisions }},
	{Key: Key{Name: "decisions.context.mode", Type: Enum, Enum: []string{"message", "system"}, Doc: "where it is shown them: in messages, which keep the prompt cache, or in the system prompt"}, def: "message", field: func(c *Config) any { return &c.Decisions.Context.Mode }},
	{Key: Key{Name: "decisions.auto_capture.enabled", Type: Bool, Doc: "offer to remember lines of a prompt that begin with Decision:"}, def: true, memo: "autoCapture.enabled", field: func(c *Config) any { return &c.Decisions.AutoCapture.Enabled }},
	{Key: Key{Name: "decisions.auto_capture.confirm", Type: Bool, Doc: "ask before; false remembers them unasked, where there is a person to see it"}, def: true, memo: "autoCapture.confirm", field: func(c *Config) any { return &c.Decisions.AutoCapture.Confirm }},
	{Key: Key{Name: "decisions.auto_capture.max_per_turn", Type: Int, Doc: "how many may come of one prompt"}, def: 2, memo: "autoCapture.maxPerTurn", field: func(c *Config) any { return &c.Decisions.AutoCapture.MaxPerTurn }},
	{Key: Key{Name: "decisions.auto_capture.failed", Type: Enum, Enum: []string{"drop", "draft"}, Doc: "what becomes of them when the run failed or was given up: nothing, or drafts"}, def: "drop", field: func(c *Config) any { return &c.Decisions.AutoCapture.Failed }},
	{Key: Key{Name: "kota.enabled", Type: Bool, Doc: "let the model ask what TypeScript, JavaScript and Go import, use and break; false declares no tool for it"}, def: true, both: true, field: func(c *Config) any { return &c.Kota.Enabled }},
	{Key: Key{Name: "kota.auto_context", Type: Enum, Enum: []string{"off", "onPaths", "always"}, Doc: "brief the model on one to three files that a prompt names: never, unless it was briefed on them before, or each time"}, def: "off", kota: "kota.autoContext", field: func(c *Config) any { return (*string)(&c.Kota.AutoContext) }},
	{Key: Key{Name: "kota.confirm_index", Type: Bool, Doc: "ask before a project is indexed for the first time"}, def: true, kota: "kota.confirmIndex", field: func(c *Config) any { return &c.Kota.ConfirmIndex }},
	{Key: Key{Name: "kota.max_bytes", Type: Int, From: 200, To: 1000000, Doc: "bytes that an answer about code may take; the whole of it is kept as a blob"}, def: 5000, field: func(c *Config) any { return &c.Kota.MaxBytes }},
	{Key: Key{Name: "objects.enabled", Type: Bool, Doc: "keep versions of what the agent met, and let it say what it wants in its context"}, def: true, both: true, field: func(c *Config) any { return &c.Objects.Enabled }},
	{Key: Key{Name: "objects.layout", Type: Enum, Enum: []string{"inline", "pools"}, Doc: "where content stands: where it first appeared, or self-context-manager's pools, which cost several times as much"}, def: "inline", field: func(c *Config) any { return (*string)(&c.Objects.Layout) }},
	{Key: Key{Name: "objects.window.calls", Type: Int, Doc: "tool results of the current turn that stay in full; 0 means no window, and 5 calls and 3 turns in the layout pools"}, def: 0, field: func(c *Config) any { return &c.Objects.Window.Calls }},
	{Key: Key{Name: "objects.window.turns", Type: Int, Doc: "turns before it whose tool results stay in full"}, def: 3, field: func(c *Config) any { return &c.Objects.Window.Turns }},
	{Key: Key{Name: "objects.tools", Type: Bool, Doc: "give the model the tools activate, deactivate, pin and objects, which every request then declares; it has them in the layout pools"}, def: false, field: func(c *Config) any { return &c.Objects.Tools }},
	{Key: Key{Name: "objects.replace_read", Type: Bool, Doc: "replace pi's tool read by one that does not show again what the model can see"}, def: false, field: func(c *Config) any { return &c.Objects.ReplaceRead }},
	{Key: Key{Name: "kota.engine", Type: Enum, UserOnly: true, Enum: []string{"builtin", "kotadb"}, Doc: "what answers questions about code: the engine in pictx, or KotaDB, which has to be installed"}, def: "builtin", field: func(c *Config) any { return (*string)(&c.Kota.Engine) }},
	{Key: Key{Name: "kota.kotadb.command", Type: Strings, UserOnly: true, Doc: "program and arguments that serve KotaDB by MCP on their standard input and output"}, def: []string{"bun", "x", "kotadb@next", "--stdio"}, field: func(c *Config) any { return &c.Kota.KotaDB.Command }},
	{Key: Key{Name: "kota.kotadb.toolset", Type: Enum, UserOnly: true, Enum: []string{"default", "core", "memory", "full"}, Doc: "which of its tools KotaDB starts with: added to the command, unless that has --toolset"}, def: "core", kota: "kota.toolset", field: func(c *Config) any { return &c.Kota.KotaDB.Toolset }},
	{Key: Key{Name: "kota.kotadb.start_seconds", Type: Int, From: 1, To: 86400, UserOnly: true, Doc: "how long KotaDB may take to start; the first time it is downloaded"}, def: 60, field: func(c *Config) any { return &c.Kota.KotaDB.StartSeconds }},
	{Key: Key{Name: "kota.kotadb.query_seconds", Type: Int, From: 1, To: 86400, UserOnly: true, Doc: "how long KotaDB may take to answer a question"}, def: 60, field: func(c *Config) any { return &c.Kota.KotaDB.QuerySeconds }},
	{Key: Key{Name: "kota.kotadb.index_seconds", Type: Int, From: 1, To: 86400, UserOnly: true, Doc: "how long KotaDB may take to index a project"}, def: 900, field: func(c *Config) any { return &c.Kota.KotaDB.IndexSeconds }},
	{Key: Key{Name: "trust", Type: Dirs, UserOnly: true, Doc: "project directories whose .pi files count, besides those pi trusts"}, def: []string{}, field: func(c *Config) any { return &c.Trust }},
})

// complete fills in what follows from a line of the table.
func complete(specs []spec) []spec {
	for i := range specs {
		s := &specs[i]
		s.Default = format(s.def)
		if s.Type == Int && s.To == 0 {
			s.To = maxInt
		}
		s.Env = "PICTX_" + strings.ToUpper(strings.ReplaceAll(s.Name, ".", "_"))
	}
	return specs
}

// find returns the key of that name.
func find(name string) (spec, bool) {
	i := slices.IndexFunc(settings, func(s spec) bool { return s.Name == name })
	if i < 0 {
		return spec{}, false
	}
	return settings[i], true
}

// lookup is find with an error that suggests a spelling.
func lookup(name string) (spec, error) {
	s, ok := find(name)
	if !ok {
		return spec{}, &UnknownKeyError{Key: name, Suggestion: suggest(name)}
	}
	return s, nil
}

// path is the key's name in parts.
func (s spec) path() []string { return strings.Split(s.Name, ".") }

// assign puts a checked value in its field.
func (s spec) assign(c *Config, value any) {
	switch p := s.field(c).(type) {
	case *bool:
		*p = value.(bool)
	case *int:
		*p = value.(int)
	case *string:
		*p = value.(string)
	case *Size:
		*p, _ = ParseSize(value.(string)) // it was checked
	case *[]string:
		*p = copyList(value.([]string))
	}
}

// copyList copies a list; the copy is never nil.
func copyList(list []string) []string {
	return append(make([]string, 0, len(list)), list...)
}
