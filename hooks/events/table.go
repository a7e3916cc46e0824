// Package events is the table of the events of the hook protocol, and writes
// everything that lists them: Go's constants, the list of pi's extension, the
// schemas' enumerations and the table of the protocol's page. The program does not
// contain it: make generate runs it, and the files that it writes are committed.
//
// Adding an event is adding a row and running make generate, then writing what
// happens at it: its payload in Go (hooks/protocol.go), in the extension
// (request.ts, events.ts) and in schema/v1/request.json, a case in the systems that
// answer it, and a worked example in testdata/hook/<event>/.
//
// It must not know what is done at an event.
package events

// Kind is what an event is about. It says where the event is listed.
type Kind int

// The kinds of events.
const (
	// Conversation events bring messages: what a filter of events may be handed.
	Conversation Kind = iota
	// Run events are steps of a run of the agent.
	Run
	// Session events begin, end or reshape a session.
	Session
	// Question events are asked by the model or the user. They are not events of
	// pi: hello declares the tools and commands that they name.
	Question
)

// Event is a row of the table.
type Event struct {
	// Name is the event's name in the protocol, which is pi's.
	Name string
	// Const is the name of the Go constant after the prefix "Event".
	Const string
	// Kind says where it is listed.
	Kind Kind
	// Background is set when the agent does not wait for the reply.
	Background bool
	// Payload and Result are cells of the table in the protocol's page, in Markdown.
	Payload, Result string
}

// Table returns every event a request may carry, in the order of the protocol's page.
func Table() []Event {
	return []Event{
		{
			Name: "session_start", Const: "SessionStart", Kind: Session, Background: true,
			Payload: "`reason`, `previousSessionFile`", Result: "`entries`",
		},
		{
			Name: "before_agent_start", Const: "BeforeAgent", Kind: Run,
			Payload: "`prompt`, `images` (how many), `messageType`, `first` (no request was made since the session was opened), `systemPromptHash` (sha-256, hex), `systemPrompt` only when its hash is new",
			Result:  "`message`, `sections`, `systemPrompt`, `entries`",
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
			Name: "turn_end", Const: "TurnEnd", Kind: Run,
			Payload: "`turnIndex, messageEntryId, toolResultEntryIds, outcome`", Result: "`entries`, `continue`",
		},
		{
			Name: "agent_before_settle", Const: "BeforeSettle", Kind: Run,
			Payload: "`outcome`", Result: "`entries`, `continue`",
		},
		{
			Name: "agent_end", Const: "AgentEnd", Kind: Run, Background: true,
			Payload: "none", Result: "`entries`",
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
