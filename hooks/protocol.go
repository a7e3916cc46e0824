package hooks

import "github.com/go-json-experiment/json/jsontext"

// Version is the version of the extension protocol (schema/v1/README.md says
// what its members mean). A client speaks with the version before its own and the
// one after it.
const Version = 1

// EventHello is the event that pictx hook is given to print hello. No request has it.
const EventHello = "hello"

// Request is what an agent sends: an event of one of its sessions, in an
// envelope that says which and where.
type Request struct {
	V     int    `json:"v"`
	ID    string `json:"id,omitzero"`
	Event string `json:"event"`
	// Cancel is set on a control line instead of everything else: the id of the
	// request that is given up.
	Cancel string `json:"cancel,omitzero"`

	CWD     string `json:"cwd"`
	Mode    string `json:"mode,omitzero"` // tui, rpc, json or print
	HasUI   bool   `json:"hasUI,omitzero"`
	Trusted *bool  `json:"trusted,omitzero"` // whether the agent trusts the project, nil when it does not say
	// Approved is set when the user told the agent to trust the project for this run.
	// Trusted alone may be a default that the user never saw.
	Approved bool `json:"approved,omitzero"`
	Nested   bool `json:"nested,omitzero"` // the agent was started by an agent
	// Can names what the agent can do: see the Can constants.
	Can     []string   `json:"can,omitzero"`
	Session SessionRef `json:"session"`
	Model   *Model     `json:"model,omitzero"`
	Usage   *Usage     `json:"usage,omitzero"`

	Payload jsontext.Value `json:"payload"`
	// Entries are those of a session without a file, as the agent has them,
	// each sent until a reply came.
	Entries []jsontext.Value `json:"entries,omitzero"`
	Missed  []Missed         `json:"missed,omitzero"`
	Replies []Answer         `json:"replies,omitzero"`
	State   jsontext.Value   `json:"state,omitzero"`
}

// Trust is what the user said of the project through the agent: no, or yes for this
// run. It is nil otherwise, and an answer that was saved decides. That the agent trusts
// a project is not an answer: one without files of the agent's own is trusted by default,
// and a cloned repository may have nothing but files of pictx.
func (r *Request) Trust() *bool {
	switch {
	case r.Trusted != nil && !*r.Trusted:
		return r.Trusted
	case r.Approved:
		return &r.Approved
	}
	return nil
}

// What an agent can do, by the names in Request.Can.
const (
	CanContextEdit = "contextEdit" // keeps edits of its context in the session
	CanSections    = "sections"    // has a system prompt made of sections
	CanComplete    = "complete"    // calls a model for us
)

// SessionRef names a session of the agent.
type SessionRef struct {
	ID     string `json:"id"`
	File   string `json:"file,omitzero"`   // absolute; "" when the session is in memory only, and it may not exist yet
	LeafID string `json:"leafId,omitzero"` // "" in an empty session
}

// Model is the model that the agent has chosen.
type Model struct {
	Provider      string         `json:"provider"`
	ID            string         `json:"id"`
	API           string         `json:"api,omitzero"`
	ContextWindow float64        `json:"contextWindow,omitzero"` // tokens
	MaxTokens     float64        `json:"maxTokens,omitzero"`
	Cost          Cost           `json:"cost,omitzero"`
	PromptCache   jsontext.Value `json:"promptCache,omitzero"`
}

// Cost is a model's price in dollars per million tokens.
type Cost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// Usage is how full the context is, as far as the agent knows.
type Usage struct {
	Tokens        *float64 `json:"tokens"`
	ContextWindow float64  `json:"contextWindow,omitzero"`
	Percent       *float64 `json:"percent,omitzero"`
}

// Missed is a request that the agent got no good reply to.
type Missed struct {
	Event string  `json:"event"`
	MS    float64 `json:"ms,omitzero"`
	Why   string  `json:"why"`
}

// Answer is the agent's answer to an Ask.
type Answer struct {
	ID        string         `json:"id"`
	Value     jsontext.Value `json:"value,omitzero"`
	Cancelled bool           `json:"cancelled,omitzero"`
	Error     string         `json:"error,omitzero"`
	// Spent is the usage of responses to a complete ask that were of no use.
	Spent []jsontext.Value `json:"spent,omitzero"`
}

// The payloads of events. What an event has no payload for is empty.
type (
	// SessionStart is the payload of session_start.
	SessionStart struct {
		Reason       string `json:"reason"` // startup, reload, new, resume or fork
		PreviousFile string `json:"previousSessionFile,omitzero"`
	}
	// BeforeAgent is the payload of before_agent_start.
	BeforeAgent struct {
		Prompt           string  `json:"prompt,omitzero"`
		Images           int     `json:"images,omitzero"`
		MessageType      string  `json:"messageType,omitzero"` // user or custom, "" when the agent does not say
		First            bool    `json:"first,omitzero"`       // the session was just opened: no request was made since
		SystemPromptHash string  `json:"systemPromptHash"`
		SystemPrompt     *string `json:"systemPrompt,omitzero"` // only when its hash is new
	}
	// ContextKeys is the payload of context: the messages by what identifies
	// them.
	ContextKeys struct {
		Keys []MessageKey `json:"keys"`
	}
	// MessageKey identifies a message of a context.
	MessageKey struct {
		I          int     `json:"i"`
		Role       string  `json:"role"`
		Timestamp  float64 `json:"timestamp,omitzero"` // Unix milliseconds
		ToolCallID string  `json:"toolCallId,omitzero"`
	}
	// ToolResult is the payload of tool_result. Images come without their data.
	ToolResult struct {
		ToolName   string         `json:"toolName"`
		ToolCallID string         `json:"toolCallId"`
		Input      jsontext.Value `json:"input,omitzero"`
		Content    jsontext.Value `json:"content"`
		IsError    bool           `json:"isError"`
	}
	// TurnEnd is the payload of turn_end, and but for the ids of
	// agent_before_settle.
	TurnEnd struct {
		TurnIndex          int      `json:"turnIndex,omitzero"`
		MessageEntryID     string   `json:"messageEntryId,omitzero"`
		ToolResultEntryIDs []string `json:"toolResultEntryIds,omitzero"`
		Outcome            string   `json:"outcome,omitzero"` // completed, aborted or error
	}
	// BeforeCompact is the payload of session_before_compact.
	BeforeCompact struct {
		Reason             string         `json:"reason,omitzero"` // manual, threshold or overflow
		WillRetry          bool           `json:"willRetry,omitzero"`
		CustomInstructions string         `json:"customInstructions,omitzero"`
		FirstKeptEntryID   string         `json:"firstKeptEntryId"`
		TokensBefore       float64        `json:"tokensBefore,omitzero"`
		IsSplitTurn        bool           `json:"isSplitTurn,omitzero"`
		PreviousSummary    string         `json:"previousSummary,omitzero"`
		ToSummarize        int            `json:"messagesToSummarize,omitzero"`
		TurnPrefix         int            `json:"turnPrefixMessages,omitzero"`
		FileOps            FileOps        `json:"fileOps,omitzero"`
		Settings           jsontext.Value `json:"settings,omitzero"`
	}
	// FileOps are the files that the messages to summarise touched.
	FileOps struct {
		Read    []string `json:"read"`
		Written []string `json:"written"`
		Edited  []string `json:"edited"`
	}
	// Compacted is the payload of session_compact.
	Compacted struct {
		EntryID       string `json:"compactionEntryId,omitzero"`
		FromExtension bool   `json:"fromExtension,omitzero"`
		Reason        string `json:"reason,omitzero"`
		WillRetry     bool   `json:"willRetry,omitzero"`
	}
	// TreeMoved is the payload of session_tree.
	TreeMoved struct {
		NewLeafID      string `json:"newLeafId,omitzero"`
		OldLeafID      string `json:"oldLeafId,omitzero"`
		SummaryEntryID string `json:"summaryEntryId,omitzero"`
		FromExtension  bool   `json:"fromExtension,omitzero"`
	}
	// Shutdown is the payload of session_shutdown.
	Shutdown struct {
		Reason     string `json:"reason"` // quit, reload, new, resume or fork
		TargetFile string `json:"targetSessionFile,omitzero"`
	}
	// ToolCall is the payload of tool.
	ToolCall struct {
		Name       string         `json:"name"`
		ToolCallID string         `json:"toolCallId,omitzero"`
		Params     jsontext.Value `json:"params"`
	}
	// Command is the payload of command.
	Command struct {
		Name string `json:"name"`
		Args string `json:"args"`
	}
	// Completion is the payload of complete.
	Completion struct {
		Name   string `json:"name"`
		Prefix string `json:"prefix"`
	}
)
