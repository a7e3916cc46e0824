package config

import (
	"slices"
	"strings"
)

// Type is the type of a key's value.
type Type int

// The types of values. What each accepts is in kinds.
const (
	Bool Type = iota
	Int
	Enum
	Bytes
	Dir
	Strings
	Globs
	Dirs
	Models // each as provider/id or {provider, id}
	Patterns
	Prices
)

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
	// Seeds are its names in the files of the original extensions: "lcm.enabled in settings.json".
	Seeds []string

	def   any               // bool, int, string or []string
	both  bool              // the user's value AND the project's
	field func(*Config) any // where the value goes
}

// Keys returns every setting, in the order they are listed and documented.
func Keys() []Key {
	keys := describe(settings)
	for i := range keys {
		keys[i].Env = variable(keys[i].Name)
	}
	return keys
}

// Inherited returns the settings that only files and variables of the original extensions have.
// Their names are those of the extensions.
func Inherited() []Key { return describe(inherited) }

// describe returns the keys of a table with the fields that follow from others.
func describe(table []*Key) []Key {
	keys := make([]Key, len(table))
	for i := range table {
		k := *table[i]
		k.Default = format(k.def)
		if k.Type == Int {
			k.To = k.most()
		}
		for _, n := range seedNames {
			if n.key == k.Name {
				k.Seeds = append(k.Seeds, strings.TrimSuffix(n.name+" in "+n.file, " in "))
			}
		}
		keys[i] = k
	}
	return keys
}

// settings is every setting; a new one is a new line here. The compiler lays the table out, so
// that a start of the program builds nothing; describe fills in the fields that follow from others.
var settings = []*Key{
	{Name: "declare", Type: Enum, Enum: []string{"auto", "always", "never"}, Doc: "when the model gets pictx's tools, which every request then pays for: once they can be useful, from the first request, or never", def: "auto", field: func(c *Config) any { return (*string)(&c.Declare) }},
	{Name: "debug", Type: Bool, UserOnly: true, Doc: "log each request of the hooks too, without the text of any message", def: false, field: func(c *Config) any { return &c.Debug }},
	{Name: "agent.scope_all", Type: Bool, UserOnly: true, Doc: "let commands in an agent's shell read other projects, and blobs that this project does not use", def: false, field: func(c *Config) any { return &c.Agent.ScopeAll }},
	{Name: "redact.known_keys", Type: Bool, UserOnly: true, Doc: "mask keys of known formats before they are stored, and in exports", def: false, field: func(c *Config) any { return &c.Redact.KnownKeys }},
	{Name: "redact.patterns", Type: Patterns, UserOnly: true, Doc: "regular expressions; their matches are masked before they are stored, and in exports", def: []string{}, field: func(c *Config) any { return &c.Redact.Patterns }},
	{Name: "prices", Type: Prices, UserOnly: true, Doc: "prices of models that pi has no price for, as MODEL=DOLLARS per million input tokens; MODEL is the beginning of an id. They override pictx's own table", def: []string{}, field: func(c *Config) any { return &c.Prices }},
	{Name: "prune.enabled", Type: Bool, Doc: "prune old tool output from the context", def: true, both: true, field: func(c *Config) any { return &c.Prune.Enabled }},
	{Name: "prune.mode", Type: Enum, Enum: []string{"auto", "cold", "manual", "off"}, Doc: "when to prune: when it saves money, only when the prompt cache is cold anyway, only when asked, or never", def: "auto", field: func(c *Config) any { return (*string)(&c.Prune.Mode) }},
	{Name: "prune.policy", Type: Enum, Enum: []string{"auto", "seed", "kota"}, Doc: "which rules choose what is pruned: pictx's own, which compare cost and savings, or those of pi-context-pruning or pi-kota", def: "auto", field: func(c *Config) any { return (*string)(&c.Prune.Policy) }},
	{Name: "prune.fold", Type: Enum, Enum: []string{"ask", "auto", "off"}, Doc: "before a prompt of a conversation longer than 30,000 tokens whose cache is lost anyway, replace all but the last 20 responses by an extract: after asking, always, or never", def: "ask", field: func(c *Config) any { return (*string)(&c.Prune.Fold) }},
	{Name: "prune.ask_cents", Type: Int, Doc: "with prune.fold = ask: ask from this many US cents on that writing the lost cache again would cost", def: 10, field: func(c *Config) any { return &c.Prune.AskCents }},
	{Name: "prune.keep.tools", Type: Globs, Doc: "tools whose output the policy auto never prunes", def: []string{"skill", "ask*"}, field: func(c *Config) any { return &c.Prune.Keep.Tools }},
	{Name: "prune.keep.paths", Type: Globs, Doc: "paths (globs) whose text the policy auto never prunes", def: []string{"**/*.env", "**/AGENTS.md", "**/SKILL.md"}, field: func(c *Config) any { return &c.Prune.Keep.Paths }},
	{Name: "prune.rerun", Type: Globs, Doc: "more tools whose output the policy auto may prune like that of a command", def: []string{}, field: func(c *Config) any { return &c.Prune.Rerun }},
	{Name: "prune.seed.minimum", Type: Int, Doc: "tokens that must be prunable before the policy seed prunes (PRUNE_MINIMUM)", def: 20000, field: func(c *Config) any { return &c.Prune.Seed.Minimum }},
	{Name: "prune.seed.protect", Type: Int, Doc: "tokens of recent tool output that the policy seed keeps (PRUNE_PROTECT)", def: 40000, field: func(c *Config) any { return &c.Prune.Seed.Protect }},
	{Name: "prune.seed.protected_turns", Type: Int, Doc: "latest user turns that the policy seed never prunes (PROTECTED_TURNS)", def: 2, field: func(c *Config) any { return &c.Prune.Seed.ProtectedTurns }},
	{Name: "prune.seed.protected_tools", Type: Strings, Doc: "tools whose output the policy seed never prunes (PROTECTED_TOOLS)", def: []string{}, field: func(c *Config) any { return &c.Prune.Seed.ProtectedTools }},
	{Name: "prune.seed.prunable_tools", Type: Strings, Doc: "tools whose output the policy seed may prune; [] means all (PRUNABLE_TOOLS)", def: []string{"read", "bash", "grep", "find", "ls", "edit", "write"}, field: func(c *Config) any { return &c.Prune.Seed.PrunableTools }},
	{Name: "blobs.enabled", Type: Bool, UserOnly: true, Doc: "keep the full text of shortened output", def: true, field: func(c *Config) any { return &c.Blobs.Enabled }},
	{Name: "blobs.dir", Type: Dir, UserOnly: true, Doc: "where blobs are kept; empty means pictx/blobs in pi's directory", def: "", field: func(c *Config) any { return &c.Blobs.Dir }},
	{Name: "blobs.max_bytes", Type: Bytes, UserOnly: true, Doc: "disk space for blobs; beyond it the least recently used are deleted, 0 means no limit", def: "250MB", field: func(c *Config) any { return &c.Blobs.MaxBytes }},
	{Name: "blobs.max_age_days", Type: Int, UserOnly: true, Doc: "days without use after which a blob is deleted, unless a session names it; 0 means never", def: 14, field: func(c *Config) any { return &c.Blobs.MaxAgeDays }},
	{Name: "blobs.tools", Type: Globs, UserOnly: true, Doc: "tools whose long output is shortened in the session and kept whole as a blob; [] means none", def: []string{}, field: func(c *Config) any { return &c.Blobs.Tools }},
	{Name: "history.enabled", Type: Bool, Doc: "store the history of sessions", def: true, both: true, field: func(c *Config) any { return &c.History.Enabled }},
	{Name: "history.ephemeral", Type: Bool, UserOnly: true, Doc: "also store sessions for which pi keeps no file (--no-session)", def: false, field: func(c *Config) any { return &c.History.Ephemeral }},
	{Name: "history.ignore", Type: Globs, UserOnly: true, Doc: "directories (globs) whose sessions are not stored", def: []string{}, field: func(c *Config) any { return &c.History.Ignore }},
	{Name: "history.keep_days", Type: Int, UserOnly: true, Doc: "days after which pictx history purge, without options, deletes an entry; 0 means never", def: 0, field: func(c *Config) any { return &c.History.KeepDays }},
	{Name: "history.compact", Type: Bool, Doc: "compact with summaries that can be expanded, instead of pi's own", def: true, both: true, field: func(c *Config) any { return &c.History.Compact }},
	{Name: "history.models", Type: Models, UserOnly: true, Doc: "models that write summaries, tried in order before the session's own model; [] means that one alone, [\"none\"] no model at all", def: []string{}, field: func(c *Config) any { return &c.History.Models }},
	{Name: "history.model_writes", Type: Enum, UserOnly: true, Enum: []string{"summary", "leaves"}, Doc: "what a model writes at a compaction: one summary, for about the price of pi's own; or leaves, a tree of summaries of 12000 to 20000 tokens each, which costs 4 to 7 times as much", def: "summary", field: func(c *Config) any { return (*string)(&c.History.ModelWrites) }},
	{Name: "summarizer.command", Type: Strings, UserOnly: true, Doc: "program and arguments that write a summary for pictx compact from a prompt on standard input; [] means pi, if it is installed", def: []string{}, field: func(c *Config) any { return &c.Summarizer.Command }},
	{Name: "decisions.enabled", Type: Bool, Doc: "record decisions and show them to the agent", def: true, both: true, field: func(c *Config) any { return &c.Decisions.Enabled }},
	{Name: "decisions.retention_days.draft", Type: Int, Doc: "days after which pictx decision purge removes a draft; 0 until it is set: purge refuses until all three are", def: 0, field: func(c *Config) any { return &c.Decisions.RetentionDays.Draft }},
	{Name: "decisions.retention_days.rejected", Type: Int, Doc: "days after which it removes a rejected decision", def: 0, field: func(c *Config) any { return &c.Decisions.RetentionDays.Rejected }},
	{Name: "decisions.retention_days.superseded", Type: Int, Doc: "days after which it removes a superseded decision", def: 0, field: func(c *Config) any { return &c.Decisions.RetentionDays.Superseded }},
	{Name: "decisions.context.max_decisions", Type: Int, From: 1, To: 20, Doc: "how many active decisions the agent is shown", def: 20, field: func(c *Config) any { return &c.Decisions.Context.MaxDecisions }},
	{Name: "decisions.context.governing", Type: Enum, Enum: []string{GoverningAll, GoverningEdits, GoverningOff}, Doc: "when it is told, once each, of the decisions whose paths name a file: when it read or changed the file, when it changed it, or never", def: GoverningAll, field: func(c *Config) any { return &c.Decisions.Context.Governing }},
	{Name: "decisions.auto_capture.enabled", Type: Bool, Doc: "offer to record lines of a prompt that begin with Decision:", def: true, both: true, field: func(c *Config) any { return &c.Decisions.AutoCapture.Enabled }},
	{Name: "decisions.auto_capture.confirm", Type: Bool, Doc: "ask before recording them; false records them unasked while a person is present", def: true, field: func(c *Config) any { return &c.Decisions.AutoCapture.Confirm }},
	{Name: "kota.enabled", Type: Bool, Doc: "offer the model tools that answer questions about TypeScript, JavaScript and Go code", def: true, both: true, field: func(c *Config) any { return &c.Kota.Enabled }},
	{Name: "kota.auto_context", Type: Enum, Enum: []string{"off", "onPaths", "always"}, Doc: "describe files that a prompt names (one to three) to the model: never, only the first time, or each time", def: "off", field: func(c *Config) any { return (*string)(&c.Kota.AutoContext) }},
	{Name: "kota.confirm_index", Type: Bool, Doc: "ask before a project is indexed for the first time", def: true, field: func(c *Config) any { return &c.Kota.ConfirmIndex }},
	{Name: "kota.max_bytes", Type: Int, From: 200, To: 1000000, Doc: "largest size of an answer about code, in bytes; the full answer is kept as a blob", def: 5000, field: func(c *Config) any { return &c.Kota.MaxBytes }},
	{Name: "objects.enabled", Type: Bool, Doc: "keep versions of everything the agent met, and let it activate and deactivate them", def: true, both: true, field: func(c *Config) any { return &c.Objects.Enabled }},
	{Name: "objects.layout", Type: Enum, Enum: []string{"inline", "pools"}, Doc: "where content appears: where it first was, or in self-context-manager's pools, which cost several times as much", def: "inline", field: func(c *Config) any { return (*string)(&c.Objects.Layout) }},
	{Name: "objects.tools", Type: Bool, Doc: "give the model the tools activate, deactivate, pin and objects, which every request then pays for; the layout pools always does", def: false, field: func(c *Config) any { return &c.Objects.Tools }},
	{Name: "kota.engine", Type: Enum, UserOnly: true, Enum: []string{"builtin", "kotadb"}, Doc: "what answers questions about code: pictx itself, or KotaDB, which must be installed", def: "builtin", field: func(c *Config) any { return (*string)(&c.Kota.Engine) }},
	{Name: "kota.kotadb.command", Type: Strings, UserOnly: true, Doc: "program and arguments that start KotaDB as an MCP server on standard input and output", def: []string{"bun", "x", "kotadb@next", "--stdio"}, field: func(c *Config) any { return &c.Kota.KotaDB.Command }},
	{Name: "trust", Type: Dirs, UserOnly: true, Doc: "project directories whose .pi files are used, in addition to those pi trusts", def: []string{}, field: func(c *Config) any { return &c.Trust }},
}

// inherited are settings of the original extensions that pictx reads where they are and has no
// key of its own for.
var inherited = []*Key{
	{Name: "lcm.leafChunkTokens", Type: Int, Doc: "tokens of messages per summary; 0 means 12000 to 20000, depending on the model's window", def: 0, field: func(c *Config) any { return &c.History.LeafChunkTokens }},
	{Name: "lcm.condensationThreshold", Type: Int, From: 2, To: 1000, Doc: "how many summaries of one level may follow each other before the oldest are merged", def: 6, field: func(c *Config) any { return &c.History.CondensationThreshold }},
	{Name: "lcm.maxDepth", Type: Int, From: 1, To: 100, Doc: "highest level of summaries of summaries", def: 5, field: func(c *Config) any { return &c.History.MaxDepth }},
	{Name: "lcm.largFileThresholdTokens", Type: Int, Doc: "messages longer than this many tokens are summarised from excerpts", def: 25000, field: func(c *Config) any { return &c.History.LargeContentTokens }},
	{Name: "prune.keepRecentTurns", Type: Int, Doc: "latest user turns that the policy kota never prunes", def: 2, field: func(c *Config) any { return &c.Prune.Kota.KeepRecentTurns }},
	{Name: "prune.maxToolChars", Type: Int, Doc: "the policy kota prunes older output longer than this many characters", def: 1200, field: func(c *Config) any { return &c.Prune.Kota.MaxToolChars }},
	{Name: "prune.adaptive", Type: Bool, Doc: "the policy kota prunes more in large contexts", def: true, field: func(c *Config) any { return &c.Prune.Kota.Adaptive }},
	{Name: "prune.pinImpactSummaries", Type: Bool, Doc: "never prune results of kota_impact unless they were unpinned", def: true, field: func(c *Config) any { return &c.Prune.Kota.PinImpact }},
	{Name: "kota.toolset", Type: Enum, UserOnly: true, Enum: []string{"default", "core", "memory", "full"}, Doc: "the tools KotaDB starts with (--toolset), unless the command has that flag", def: "core", field: func(c *Config) any { return &c.Kota.KotaDB.Toolset }},
	{Name: "autoCapture.maxPerTurn", Type: Int, Doc: "how many may come from one prompt", def: 2, field: func(c *Config) any { return &c.Decisions.AutoCapture.MaxPerTurn }},
}

// every lists the settings, and those of the original extensions.
func every() []*Key { return slices.Concat(settings, inherited) }

// The files of settings, in pi's directory and in a project's .pi: pictx's, and those of the original
// extensions.
const (
	ownFile      = "pictx.toml"
	settingsFile = "settings.json"
	kotaFile     = "pi-kota.json"
	memoFile     = "decision-memory.config.json"
)

// seedName is a name that a setting has in a file of the original extensions, or an environment
// variable of theirs, where file is "".
type seedName struct{ file, name, key string }

var seedNames = []seedName{
	{settingsFile, "lcm.debugMode", "debug"},
	{settingsFile, "contextPruning.enabled", "prune.enabled"},
	{settingsFile, "lcm.enabled", "history.enabled"},
	{settingsFile, "lcm.compactionModels", "history.models"},
	{settingsFile, "lcm.leafChunkTokens", "lcm.leafChunkTokens"},
	{settingsFile, "lcm.condensationThreshold", "lcm.condensationThreshold"},
	{settingsFile, "lcm.maxDepth", "lcm.maxDepth"},
	{settingsFile, "lcm.largFileThresholdTokens", "lcm.largFileThresholdTokens"},
	{"", "LCM_ENABLED", "history.enabled"},
	{"", "LCM_LEAF_CHUNK_TOKENS", "lcm.leafChunkTokens"},
	{"", "LCM_CONDENSATION_THRESHOLD", "lcm.condensationThreshold"},
	{"", "LCM_MAX_DEPTH", "lcm.maxDepth"},
	{kotaFile, "prune.enabled", "prune.enabled"},
	{kotaFile, "prune.keepRecentTurns", "prune.keepRecentTurns"},
	{kotaFile, "prune.maxToolChars", "prune.maxToolChars"},
	{kotaFile, "prune.adaptive", "prune.adaptive"},
	{kotaFile, "prune.pinImpactSummaries", "prune.pinImpactSummaries"},
	{kotaFile, "blobs.enabled", "blobs.enabled"},
	{kotaFile, "blobs.dir", "blobs.dir"},
	{kotaFile, "blobs.maxBytes", "blobs.max_bytes"},
	{kotaFile, "blobs.maxAgeDays", "blobs.max_age_days"},
	{kotaFile, "kota.autoContext", "kota.auto_context"},
	{kotaFile, "kota.confirmIndex", "kota.confirm_index"},
	{kotaFile, "kota.toolset", "kota.toolset"},
	{memoFile, "enabled", "decisions.enabled"},
	{memoFile, "retentionDays.draft", "decisions.retention_days.draft"},
	{memoFile, "retentionDays.rejected", "decisions.retention_days.rejected"},
	{memoFile, "retentionDays.superseded", "decisions.retention_days.superseded"},
	{memoFile, "context.maxDecisions", "decisions.context.max_decisions"},
	{memoFile, "autoCapture.enabled", "decisions.auto_capture.enabled"},
	{memoFile, "autoCapture.confirm", "decisions.auto_capture.confirm"},
	{memoFile, "autoCapture.maxPerTurn", "autoCapture.maxPerTurn"},
}

// namesIn lists the names that keys have in a file, or in variables, where file is "".
func namesIn(file string) (out []seedName) {
	for _, n := range seedNames {
		if n.file == file {
			out = append(out, n)
		}
	}
	for _, k := range settings {
		if file == ownFile {
			out = append(out, seedName{file, k.Name, k.Name})
		}
	}
	return out
}

// formerKeys are settings that pictx had, with what took the place of each. A name that ends
// with a dot stands for all below it.
var formerKeys = []struct{ name, now string }{
	{"prune.max_context", "it did not make sessions cheaper"},
	{"prune.reserve", "it did not make sessions cheaper"},
	{"prune.preset", "prune.mode says when pictx prunes"},
	{"prune.rules.", "prune.keep.tools and prune.keep.paths say what is never pruned"},
	{"prune.kota.", "keepRecentTurns, maxToolChars, adaptive and pinImpactSummaries below prune in pi-kota.json are read"},
	{"blobs.budget", "5 KB stay in the session"},
	{"tools", "tools are always declared briefly"},
	{"history.leaf_chunk_tokens", "lcm.leafChunkTokens in settings.json is read"},
	{"history.condensation_threshold", "lcm.condensationThreshold in settings.json is read"},
	{"history.max_depth", "lcm.maxDepth in settings.json is read"},
	{"history.large_content_tokens", "lcm.largFileThresholdTokens in settings.json is read"},
	{"history.max_summary_tokens", "summaries take at most 8000 tokens after a compaction"},
	{"history.max_calls", "pictx compact has --max-calls"},
	{"history.max_seconds", "a compaction takes at most 10 minutes"},
	{"decisions.max_text", "a text has at most 4096 bytes"},
	{"decisions.max_line", "a line of the log has at most 1 MB"},
	{"decisions.context.mode", "decisions are always shown in messages, which keeps the prompt cache"},
	{"decisions.auto_capture.failed", "nothing is recorded of a run that fails"},
	{"decisions.auto_capture.max_per_turn", "autoCapture.maxPerTurn in decision-memory.config.json is read"},
	{"kota.kotadb.toolset", "kota.kotadb.command takes --toolset"},
	{"kota.kotadb.start_seconds", "the time limits of KotaDB are fixed"},
	{"kota.kotadb.query_seconds", "the time limits of KotaDB are fixed"},
	{"kota.kotadb.index_seconds", "the time limits of KotaDB are fixed"},
	{"objects.replace_read", "a repeated read of an unchanged file is pruned"},
	{"objects.window.", "objects.layout = \"pools\" keeps the last 5 calls and 3 turns"},
}

// former returns what took the place of a setting that is no more, "" if the name is not of one.
// spell turns the name of a setting into the form of the name.
func former(name string, spell func(string) string) string {
	for _, f := range formerKeys {
		if name == spell(f.name) || strings.HasSuffix(f.name, ".") && strings.HasPrefix(name, spell(f.name)) {
			return f.now
		}
	}
	return ""
}

// ownVariables is what the names of pictx's own variables begin with.
const ownVariables = "PICTX_"

// variable is the environment variable that sets a key.
func variable(key string) string {
	return ownVariables + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// find returns the key of that name in a table.
func find(table []*Key, name string) (*Key, bool) {
	i := slices.IndexFunc(table, func(k *Key) bool { return k.Name == name })
	if i < 0 {
		return nil, false
	}
	return table[i], true
}

// lookup is find with an error that suggests a spelling.
func lookup(name string) (*Key, error) {
	if s, ok := find(settings, name); ok {
		return s, nil
	}
	message, hint := unknown(name, "")
	if !strings.HasPrefix(hint, "pictx ") {
		hint = "pictx config list"
	}
	return nil, &Error{Unknown: true, message: "find setting " + printable(name) + ": " + message, hint: hint}
}

// path is the key's name in parts.
func (s *Key) path() []string { return strings.Split(s.Name, ".") }

// most is the upper bound of an Int.
func (s *Key) most() int {
	if s.To == 0 {
		return maxInt
	}
	return s.To
}

// assign puts a checked value in its field.
func (s *Key) assign(c *Config, value any) {
	switch p := s.field(c).(type) {
	case *bool:
		*p = value.(bool)
	case *int:
		*p = value.(int)
	case *string:
		*p = value.(string)
	case *int64:
		*p, _ = parseSize(value.(string)) // it was checked
	case *[]string:
		*p = copyList(value.([]string))
	}
}

// copyList copies a list; the copy is never nil.
func copyList(list []string) []string {
	return append(make([]string, 0, len(list)), list...)
}
