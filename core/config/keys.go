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
	// Prices is a list of what models cost, each as model=dollars.
	Prices
)

// String is the type in one word.
func (t Type) String() string {
	names := [...]string{"bool", "int", "enum", "size", "directory", "names", "globs", "directories", "models", "patterns", "prices"}
	if t < 0 || int(t) >= len(names) {
		return "unknown"
	}
	return names[t]
}

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
	// From and To are the bounds of an Int.
	From, To int
	// Doc describes the setting in one line.
	Doc string
	// Env is the environment variable that sets the key.
	Env string
}

// Keys returns every setting, in the order they are listed and documented.
func Keys() []Key {
	var keys []Key
	for _, s := range settings {
		keys = append(keys, s.complete().Key)
	}
	return keys
}

// spec is a key with what Resolve needs.
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

// settings is every setting; a new one is a new line here. The compiler lays the table out, so
// that a start of the program builds nothing; complete fills in the fields that follow from others.
var settings = []spec{
	{Key: Key{Name: "declare", Type: Enum, Enum: []string{"auto", "always", "never"}, Doc: "when the model gets pictx's tools, which every request then pays for: once they can be useful, from the first request, or never"}, def: "auto", field: func(c *Config) any { return (*string)(&c.Declare) }},
	{Key: Key{Name: "tools", Type: Enum, Enum: []string{"lean", "seed"}, Doc: "how tools are declared: briefly, or in full as in the original extensions"}, def: "lean", field: func(c *Config) any { return &c.Tools }},
	{Key: Key{Name: "debug", Type: Bool, UserOnly: true, Doc: "log each request of the hooks too, without the text of any message"}, def: false, seed: "lcm.debugMode", field: func(c *Config) any { return &c.Debug }},
	{Key: Key{Name: "agent.scope_all", Type: Bool, UserOnly: true, Doc: "let commands in an agent's shell read other projects, and blobs that this project does not use"}, def: false, field: func(c *Config) any { return &c.Agent.ScopeAll }},
	{Key: Key{Name: "redact.known_keys", Type: Bool, UserOnly: true, Doc: "mask keys of known formats before they are stored, and in exports"}, def: false, field: func(c *Config) any { return &c.Redact.KnownKeys }},
	{Key: Key{Name: "redact.patterns", Type: Patterns, UserOnly: true, Doc: "regular expressions; their matches are masked before they are stored, and in exports"}, def: []string{}, field: func(c *Config) any { return &c.Redact.Patterns }},
	{Key: Key{Name: "prices", Type: Prices, UserOnly: true, Doc: "prices of models that pi has no price for, as MODEL=DOLLARS per million input tokens; MODEL is the beginning of an id. They override pictx's own table"}, def: []string{}, field: func(c *Config) any { return &c.Prices }},
	{Key: Key{Name: "prune.enabled", Type: Bool, Doc: "prune old tool output from the context"}, def: true, both: true, seed: "contextPruning.enabled", kota: "prune.enabled", field: func(c *Config) any { return &c.Prune.Enabled }},
	{Key: Key{Name: "prune.mode", Type: Enum, Enum: []string{"auto", "cold", "manual", "off"}, Doc: "when to prune: when it saves money, only when the prompt cache is cold anyway, only when asked, or never"}, def: "auto", field: func(c *Config) any { return (*string)(&c.Prune.Mode) }},
	{Key: Key{Name: "prune.policy", Type: Enum, Enum: []string{"auto", "seed", "kota"}, Doc: "which rules choose what is pruned: pictx's own, which compare cost and savings, or those of pi-context-pruning or pi-kota"}, def: "auto", field: func(c *Config) any { return (*string)(&c.Prune.Policy) }},
	{Key: Key{Name: "prune.preset", Type: Enum, Enum: []string{"careful", "default", "eager"}, Doc: "how much the policy auto prunes"}, def: "default", field: func(c *Config) any { return &c.Prune.Preset }},
	{Key: Key{Name: "prune.keep.tools", Type: Globs, Doc: "tools whose output the policy auto never prunes"}, def: []string{"skill", "ask*"}, field: func(c *Config) any { return &c.Prune.Keep.Tools }},
	{Key: Key{Name: "prune.keep.paths", Type: Globs, Doc: "paths (globs) whose text the policy auto never prunes"}, def: []string{"**/*.env", "**/AGENTS.md", "**/SKILL.md"}, field: func(c *Config) any { return &c.Prune.Keep.Paths }},
	{Key: Key{Name: "prune.rerun", Type: Globs, Doc: "more tools whose output the policy auto may prune like that of a command"}, def: []string{}, field: func(c *Config) any { return &c.Prune.Rerun }},
	{Key: Key{Name: "prune.rules.thinking", Type: Bool, Doc: "the policy auto prunes the model's thinking of finished turns"}, def: true, field: func(c *Config) any { return &c.Prune.Rules.Thinking }},
	{Key: Key{Name: "prune.rules.replaced", Type: Bool, Doc: "the policy auto shortens the old text in earlier edits"}, def: true, field: func(c *Config) any { return &c.Prune.Rules.Replaced }},
	{Key: Key{Name: "prune.rules.arguments", Type: Bool, Doc: "the policy auto shortens everything that earlier edits and writes wrote; more later edits then miss their text"}, def: false, field: func(c *Config) any { return &c.Prune.Rules.Arguments }},
	{Key: Key{Name: "prune.rules.report", Type: Bool, Doc: "the policy auto prunes old reports of sub-agents and of the web"}, def: true, field: func(c *Config) any { return &c.Prune.Rules.Report }},
	{Key: Key{Name: "prune.rules.sooner", Type: Bool, Doc: "the policy auto prunes output of commands and reads of earlier turns sooner while a cache is warm that lasts for half an hour or longer"}, def: true, field: func(c *Config) any { return &c.Prune.Rules.Sooner }},
	{Key: Key{Name: "prune.rules.named", Type: Bool, Doc: "the policy auto keeps short reads of files that the user named while the cache is cold"}, def: true, field: func(c *Config) any { return &c.Prune.Rules.Named }},
	{Key: Key{Name: "prune.rules.blind", Type: Bool, Doc: "the policy auto keeps reads of changed files longer in a session that changes files whose text was pruned"}, def: true, field: func(c *Config) any { return &c.Prune.Rules.Blind }},
	{Key: Key{Name: "prune.seed.minimum", Type: Int, Doc: "tokens that must be prunable before the policy seed prunes (PRUNE_MINIMUM)"}, def: 20000, field: func(c *Config) any { return &c.Prune.Seed.Minimum }},
	{Key: Key{Name: "prune.seed.protect", Type: Int, Doc: "tokens of recent tool output that the policy seed keeps (PRUNE_PROTECT)"}, def: 40000, field: func(c *Config) any { return &c.Prune.Seed.Protect }},
	{Key: Key{Name: "prune.seed.protected_turns", Type: Int, Doc: "latest user turns that the policy seed never prunes (PROTECTED_TURNS)"}, def: 2, field: func(c *Config) any { return &c.Prune.Seed.ProtectedTurns }},
	{Key: Key{Name: "prune.seed.protected_tools", Type: Strings, Doc: "tools whose output the policy seed never prunes (PROTECTED_TOOLS)"}, def: []string{}, field: func(c *Config) any { return &c.Prune.Seed.ProtectedTools }},
	{Key: Key{Name: "prune.seed.prunable_tools", Type: Strings, Doc: "tools whose output the policy seed may prune; [] means all (PRUNABLE_TOOLS)"}, def: []string{"read", "bash", "grep", "find", "ls", "edit", "write"}, field: func(c *Config) any { return &c.Prune.Seed.PrunableTools }},
	{Key: Key{Name: "prune.kota.keep_recent_turns", Type: Int, Doc: "latest user turns that the policy kota never prunes"}, def: 2, kota: "prune.keepRecentTurns", field: func(c *Config) any { return &c.Prune.Kota.KeepRecentTurns }},
	{Key: Key{Name: "prune.kota.max_tool_chars", Type: Int, Doc: "the policy kota prunes older output longer than this many characters"}, def: 1200, kota: "prune.maxToolChars", field: func(c *Config) any { return &c.Prune.Kota.MaxToolChars }},
	{Key: Key{Name: "prune.kota.adaptive", Type: Bool, Doc: "the policy kota prunes more in large contexts"}, def: true, kota: "prune.adaptive", field: func(c *Config) any { return &c.Prune.Kota.Adaptive }},
	{Key: Key{Name: "prune.kota.adaptive_tokens", Type: Int, Doc: "tokens above which a context is large"}, def: 120000, field: func(c *Config) any { return &c.Prune.Kota.AdaptiveTokens }},
	{Key: Key{Name: "prune.kota.pin_impact", Type: Bool, Doc: "never prune results of kota_impact unless they were unpinned"}, def: true, kota: "prune.pinImpactSummaries", field: func(c *Config) any { return &c.Prune.Kota.PinImpact }},
	{Key: Key{Name: "blobs.enabled", Type: Bool, UserOnly: true, Doc: "keep the full text of shortened output"}, def: true, kota: "blobs.enabled", field: func(c *Config) any { return &c.Blobs.Enabled }},
	{Key: Key{Name: "blobs.dir", Type: Dir, UserOnly: true, Doc: "where blobs are kept; empty means pictx/blobs in pi's directory"}, def: "", kota: "blobs.dir", field: func(c *Config) any { return &c.Blobs.Dir }},
	{Key: Key{Name: "blobs.max_bytes", Type: Bytes, UserOnly: true, Doc: "disk space for blobs; beyond it the least recently used are deleted, 0 means no limit"}, def: "250MB", kota: "blobs.maxBytes", field: func(c *Config) any { return &c.Blobs.MaxBytes }},
	{Key: Key{Name: "blobs.max_age_days", Type: Int, UserOnly: true, Doc: "days without use after which a blob is deleted, unless a session names it; 0 means never"}, def: 14, kota: "blobs.maxAgeDays", field: func(c *Config) any { return &c.Blobs.MaxAgeDays }},
	{Key: Key{Name: "blobs.tools", Type: Globs, UserOnly: true, Doc: "tools whose long output is shortened in the session and kept whole as a blob; [] means none"}, def: []string{}, field: func(c *Config) any { return &c.Blobs.Tools }},
	{Key: Key{Name: "blobs.budget", Type: Bytes, UserOnly: true, Doc: "how much of such output stays in the session"}, def: "5KB", field: func(c *Config) any { return &c.Blobs.Budget }},
	{Key: Key{Name: "history.enabled", Type: Bool, Doc: "store the history of sessions"}, def: true, both: true, seed: "lcm.enabled", env: "LCM_ENABLED", field: func(c *Config) any { return &c.History.Enabled }},
	{Key: Key{Name: "history.ephemeral", Type: Bool, UserOnly: true, Doc: "also store sessions for which pi keeps no file (--no-session)"}, def: false, field: func(c *Config) any { return &c.History.Ephemeral }},
	{Key: Key{Name: "history.ignore", Type: Globs, UserOnly: true, Doc: "directories (globs) whose sessions are not stored"}, def: []string{}, field: func(c *Config) any { return &c.History.Ignore }},
	{Key: Key{Name: "history.keep_days", Type: Int, UserOnly: true, Doc: "days after which pictx history purge, without options, deletes an entry; 0 means never"}, def: 0, field: func(c *Config) any { return &c.History.KeepDays }},
	{Key: Key{Name: "history.compact", Type: Bool, Doc: "compact with summaries that can be expanded, instead of pi's own"}, def: true, both: true, field: func(c *Config) any { return &c.History.Compact }},
	{Key: Key{Name: "history.models", Type: Models, UserOnly: true, Doc: "models that write summaries, tried in order before the session's own model; [] means that one alone, [\"none\"] no model at all"}, def: []string{}, seed: "lcm.compactionModels", field: func(c *Config) any { return &c.History.Models }},
	{Key: Key{Name: "history.model_writes", Type: Enum, UserOnly: true, Enum: []string{"summary", "leaves"}, Doc: "what a model writes at a compaction: one summary, for about the price of pi's own; or leaves, a tree of summaries of 12000 to 20000 tokens each, which costs 4 to 7 times as much"}, def: "summary", field: func(c *Config) any { return (*string)(&c.History.ModelWrites) }},
	{Key: Key{Name: "history.leaf_chunk_tokens", Type: Int, Doc: "tokens of messages per summary; 0 means 12000 to 20000, depending on the model's window"}, def: 0, seed: "lcm.leafChunkTokens", env: "LCM_LEAF_CHUNK_TOKENS", field: func(c *Config) any { return &c.History.LeafChunkTokens }},
	{Key: Key{Name: "history.condensation_threshold", Type: Int, From: 2, To: 1000, Doc: "how many summaries of one level may follow each other before the oldest are merged"}, def: 6, seed: "lcm.condensationThreshold", env: "LCM_CONDENSATION_THRESHOLD", field: func(c *Config) any { return &c.History.CondensationThreshold }},
	{Key: Key{Name: "history.max_depth", Type: Int, From: 1, To: 100, Doc: "highest level of summaries of summaries"}, def: 5, seed: "lcm.maxDepth", env: "LCM_MAX_DEPTH", field: func(c *Config) any { return &c.History.MaxDepth }},
	{Key: Key{Name: "history.max_summary_tokens", Type: Int, Doc: "tokens that all summaries together may take after a compaction"}, def: 8000, field: func(c *Config) any { return &c.History.MaxSummaryTokens }},
	{Key: Key{Name: "history.large_content_tokens", Type: Int, Doc: "messages longer than this many tokens are summarised from excerpts"}, def: 25000, seed: "lcm.largFileThresholdTokens", field: func(c *Config) any { return &c.History.LargeContentTokens }},
	{Key: Key{Name: "history.max_calls", Type: Int, Doc: "model requests per compaction; the rest is extracted, and summarised later"}, def: 60, field: func(c *Config) any { return &c.History.MaxCalls }},
	{Key: Key{Name: "history.max_seconds", Type: Int, Doc: "seconds per compaction, likewise"}, def: 600, field: func(c *Config) any { return &c.History.MaxSeconds }},
	{Key: Key{Name: "summarizer.command", Type: Strings, UserOnly: true, Doc: "program and arguments that write a summary for pictx compact from a prompt on standard input; [] means pi, if it is installed"}, def: []string{}, field: func(c *Config) any { return &c.Summarizer.Command }},
	{Key: Key{Name: "summarizer.seconds", Type: Int, From: 1, To: 86400, UserOnly: true, Doc: "how long that program may take"}, def: 180, field: func(c *Config) any { return &c.Summarizer.Seconds }},
	{Key: Key{Name: "decisions.enabled", Type: Bool, Doc: "record decisions and show them to the agent"}, def: true, both: true, memo: "enabled", field: func(c *Config) any { return &c.Decisions.Enabled }},
	{Key: Key{Name: "decisions.max_text", Type: Int, From: 64, To: 65536, Doc: "largest size of a decision, a reason or a note, in bytes"}, def: 4096, field: func(c *Config) any { return &c.Decisions.MaxText }},
	{Key: Key{Name: "decisions.max_line", Type: Int, From: 65536, To: 16777216, UserOnly: true, Doc: "largest size of a line of the log, in bytes; a longer one counts as damaged"}, def: 1 << 20, field: func(c *Config) any { return &c.Decisions.MaxLine }},
	{Key: Key{Name: "decisions.retention_days.draft", Type: Int, Doc: "days after which pictx decision purge removes a draft; 0 until it is set: purge refuses until all three are"}, def: 0, memo: "retentionDays.draft", field: func(c *Config) any { return &c.Decisions.RetentionDays.Draft }},
	{Key: Key{Name: "decisions.retention_days.rejected", Type: Int, Doc: "days after which it removes a rejected decision"}, def: 0, memo: "retentionDays.rejected", field: func(c *Config) any { return &c.Decisions.RetentionDays.Rejected }},
	{Key: Key{Name: "decisions.retention_days.superseded", Type: Int, Doc: "days after which it removes a superseded decision"}, def: 0, memo: "retentionDays.superseded", field: func(c *Config) any { return &c.Decisions.RetentionDays.Superseded }},
	{Key: Key{Name: "decisions.context.max_decisions", Type: Int, From: 1, To: 20, Doc: "how many active decisions the agent is shown"}, def: 20, memo: "context.maxDecisions", field: func(c *Config) any { return &c.Decisions.Context.MaxDecisions }},
	{Key: Key{Name: "decisions.context.mode", Type: Enum, Enum: []string{"message", "system"}, Doc: "where the agent is shown them: in messages, which keeps the prompt cache, or in the system prompt"}, def: "message", field: func(c *Config) any { return &c.Decisions.Context.Mode }},
	{Key: Key{Name: "decisions.context.governing", Type: Enum, Enum: []string{GoverningAll, GoverningEdits, GoverningOff}, Doc: "when it is told, once each, of the decisions whose paths name a file: when it read or changed the file, when it changed it, or never"}, def: GoverningAll, field: func(c *Config) any { return &c.Decisions.Context.Governing }},
	{Key: Key{Name: "decisions.auto_capture.enabled", Type: Bool, Doc: "offer to record lines of a prompt that begin with Decision:"}, def: true, both: true, memo: "autoCapture.enabled", field: func(c *Config) any { return &c.Decisions.AutoCapture.Enabled }},
	{Key: Key{Name: "decisions.auto_capture.confirm", Type: Bool, Doc: "ask before recording them; false records them unasked while a person is present"}, def: true, memo: "autoCapture.confirm", field: func(c *Config) any { return &c.Decisions.AutoCapture.Confirm }},
	{Key: Key{Name: "decisions.auto_capture.max_per_turn", Type: Int, Doc: "how many may come from one prompt"}, def: 2, memo: "autoCapture.maxPerTurn", field: func(c *Config) any { return &c.Decisions.AutoCapture.MaxPerTurn }},
	{Key: Key{Name: "decisions.auto_capture.failed", Type: Enum, Enum: []string{"drop", "draft"}, Doc: "what becomes of them if the run fails or is aborted: nothing, or drafts"}, def: "drop", field: func(c *Config) any { return &c.Decisions.AutoCapture.Failed }},
	{Key: Key{Name: "kota.enabled", Type: Bool, Doc: "offer the model tools that answer questions about TypeScript, JavaScript and Go code"}, def: true, both: true, field: func(c *Config) any { return &c.Kota.Enabled }},
	{Key: Key{Name: "kota.auto_context", Type: Enum, Enum: []string{"off", "onPaths", "always"}, Doc: "describe files that a prompt names (one to three) to the model: never, only the first time, or each time"}, def: "off", kota: "kota.autoContext", field: func(c *Config) any { return (*string)(&c.Kota.AutoContext) }},
	{Key: Key{Name: "kota.confirm_index", Type: Bool, Doc: "ask before a project is indexed for the first time"}, def: true, kota: "kota.confirmIndex", field: func(c *Config) any { return &c.Kota.ConfirmIndex }},
	{Key: Key{Name: "kota.max_bytes", Type: Int, From: 200, To: 1000000, Doc: "largest size of an answer about code, in bytes; the full answer is kept as a blob"}, def: 5000, field: func(c *Config) any { return &c.Kota.MaxBytes }},
	{Key: Key{Name: "objects.enabled", Type: Bool, Doc: "keep versions of everything the agent met, and let it activate and deactivate them"}, def: true, both: true, field: func(c *Config) any { return &c.Objects.Enabled }},
	{Key: Key{Name: "objects.layout", Type: Enum, Enum: []string{"inline", "pools"}, Doc: "where content appears: where it first was, or in self-context-manager's pools, which cost several times as much"}, def: "inline", field: func(c *Config) any { return (*string)(&c.Objects.Layout) }},
	{Key: Key{Name: "objects.window.calls", Type: Int, Doc: "tool results of the current turn that stay in full; 0 means no limit, and in the layout pools 5 calls and 3 turns"}, def: 0, field: func(c *Config) any { return &c.Objects.Window.Calls }},
	{Key: Key{Name: "objects.window.turns", Type: Int, Doc: "earlier turns whose tool results stay in full"}, def: 3, field: func(c *Config) any { return &c.Objects.Window.Turns }},
	{Key: Key{Name: "objects.tools", Type: Bool, Doc: "give the model the tools activate, deactivate, pin and objects, which every request then pays for; the layout pools always does"}, def: false, field: func(c *Config) any { return &c.Objects.Tools }},
	{Key: Key{Name: "objects.replace_read", Type: Bool, Doc: "replace pi's read tool by one that does not repeat what the model already sees"}, def: false, field: func(c *Config) any { return &c.Objects.ReplaceRead }},
	{Key: Key{Name: "kota.engine", Type: Enum, UserOnly: true, Enum: []string{"builtin", "kotadb"}, Doc: "what answers questions about code: pictx itself, or KotaDB, which must be installed"}, def: "builtin", field: func(c *Config) any { return (*string)(&c.Kota.Engine) }},
	{Key: Key{Name: "kota.kotadb.command", Type: Strings, UserOnly: true, Doc: "program and arguments that start KotaDB as an MCP server on standard input and output"}, def: []string{"bun", "x", "kotadb@next", "--stdio"}, field: func(c *Config) any { return &c.Kota.KotaDB.Command }},
	{Key: Key{Name: "kota.kotadb.toolset", Type: Enum, UserOnly: true, Enum: []string{"default", "core", "memory", "full"}, Doc: "the tools KotaDB starts with (--toolset), unless the command has that flag"}, def: "core", kota: "kota.toolset", field: func(c *Config) any { return &c.Kota.KotaDB.Toolset }},
	{Key: Key{Name: "trust", Type: Dirs, UserOnly: true, Doc: "project directories whose .pi files are used, in addition to those pi trusts"}, def: []string{}, field: func(c *Config) any { return &c.Trust }},
}

// ownVariables is what the names of pictx's own variables begin with.
const ownVariables = "PICTX_"

// complete returns the spec with the fields that follow from others.
func (s spec) complete() spec {
	s.Default, s.Env = format(s.def), s.variable()
	s.To = s.most()
	return s
}

// variable is the environment variable that sets the key.
func (s spec) variable() string {
	return ownVariables + strings.ToUpper(strings.ReplaceAll(s.Name, ".", "_"))
}

// most is the upper bound of an Int.
func (s spec) most() int {
	if s.Type == Int && s.To == 0 {
		return maxInt
	}
	return s.To
}

// find returns the key of that name, complete.
func find(name string) (spec, bool) {
	i := slices.IndexFunc(settings, func(s spec) bool { return s.Name == name })
	if i < 0 {
		return spec{}, false
	}
	return settings[i].complete(), true
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
