// Package events is the table of the events of the hook protocol, and generates everything
// that lists them: Go's constants, the list in pi's extension, the enumerations of the
// schemas and the table in the protocol's README. It is not part of the program: make
// generate runs it, and the generated files are committed.
//
// To add an event, add a row to Table, run make generate, and write the handling: its
// payload in Go (hooks/protocol.go), in the extension (request.ts, events.ts) and in
// schema/v1/request.json, a case in the systems that answer it, and a worked example in
// testdata/hook/<event>/.
//
// It must not know how an event is handled.
package events

// Kind is what an event is about. It decides which lists the event is in.
type Kind int

// The kinds of events.
const (
	// Conversation events carry messages. FilterEvents lists them first.
	Conversation Kind = iota
	// Run events are steps of a run of the agent.
	Run
	// Session events start, end or reshape a session.
	Session
	// Question events are calls of the tools and commands that hello declares. They are
	// not events of pi.
	Question
)

// Event is a row of the table.
type Event struct {
	// Name is the event's name in the protocol, which is pi's.
	Name string
	// Const is the name of the Go constant after the prefix "Event".
	Const string
	// Kind decides which lists the event is in.
	Kind Kind
	// Background is set when the agent does not wait for the reply.
	Background bool
	// Payload and Result are cells of the table in the protocol's README, in Markdown.
	Payload, Result string
}

// Table returns every event that a request may carry, in the order of the protocol's
// README.
func Table() []Event {
	return []Event{
		{
			Name: "session_start", Const: "SessionStart", Kind: Session, Background: true,
			Payload: "`reason`, `previousSessionFile`", Result: "`entries`",
		},
		{
			Name: "before_agent_start", Const: "BeforeAgent", Kind: Run,
			Payload: "`prompt`, `images` (how many), `messageType`, `first` (no request was made since the session was opened), `systemPromptHash` (sha-256, hex), `systemPrompt` only when its hash is new",
			Result:  "`message`, `entries`",
		},
		{
			Name: "context", Const: "Context", Kind: Conversation,
			Payload: "`keys`: `[{i, role, timestamp, toolCallId}]`, never content", Result: "`edits`, `insert`",
		},
		{
			Name: "tool_result", Const: "ToolResult", Kind: Conversation,
			Payload: "`toolName, toolCallId, input, content, isError`; an image is `{type:\"image\", image, mimeType, bytes}` " +
				"without its data, `image` its number among the result's images",
			Result: "`content`, `details`, `isError`",
		},
		{
			Name: "tool_call", Const: "ToolCall", Kind: Run,
			Payload: "`toolName, toolCallId, input`; sent only when the input has a text of hello's `suspect`", Result: "`block`, `error`",
		},
		{
			Name: "turn_end", Const: "TurnEnd", Kind: Run,
			Payload: "`turnIndex, messageEntryId, toolResultEntryIds, outcome`", Result: "`entries`",
		},
		{
			Name: "agent_end", Const: "AgentEnd", Kind: Run, Background: true,
			Payload: "none", Result: "`entries`",
		},
		{
			Name: "cache_warming_decision", Const: "CacheWarming", Kind: Run,
			Payload: "`warmCost, missCost` (dollars), `continuationProbability, action` (the agent's own: `warm` or `stop`)", Result: "`action`",
		},
		{
			Name: "session_before_compact", Const: "BeforeCompact", Kind: Session,
			Payload: "`reason, willRetry, customInstructions, firstKeptEntryId, tokensBefore, isSplitTurn, previousSummary, messagesToSummarize` " +
				"and `turnPrefixMessages` (how many), `fileOps{read,written,edited}`, `settings`",
			Result: "`cancel`, `compaction`",
		},
		{
			Name: "session_compact", Const: "Compact", Kind: Session,
			Payload: "`compactionEntryId, fromExtension, reason, willRetry`", Result: "`entries`",
		},
		{
			Name: "session_tree", Const: "Tree", Kind: Session,
			Payload: "`newLeafId, oldLeafId, summaryEntryId, fromExtension`", Result: "`entries`",
		},
		{
			Name: "session_shutdown", Const: "SessionShutdown", Kind: Session,
			Payload: "`reason, targetSessionFile`", Result: "none",
		},
		{
			Name: "tool", Const: "Tool", Kind: Question,
			Payload: "`name, toolCallId, params`", Result: "`text` or `content`, `details`, `error`",
		},
		{
			Name: "command", Const: "Command", Kind: Question,
			Payload: "`name, args`", Result: "`text`, `show`, `level`, `entries`",
		},
		{
			Name: "complete", Const: "Complete", Kind: Question,
			Payload: "`name, prefix`", Result: "`items`: `[{value, label, description}]`",
		},
	}
}
