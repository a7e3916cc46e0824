package hooks

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/token"
)

// Version is the version of the extension protocol, which schema/v1/README.md describes. A
// client also supports the version before its own and the one after it.
const Version = 1

// EventHello makes pictx hook print hello. It is never the event of a request.
const EventHello = "hello"

// Request is what an agent sends: an event of a session in an envelope that names the
// session and its directory.
type Request struct {
	V     int    `json:"v"`
	ID    string `json:"id,omitzero"`
	Event string `json:"event"`
	// Cancel is the id of a request to cancel. No other member is set then.
	Cancel string `json:"cancel,omitzero"`

	CWD     string `json:"cwd"`
	Mode    string `json:"mode,omitzero"` // tui, rpc, json or print
	HasUI   bool   `json:"hasUI,omitzero"`
	Trusted *bool  `json:"trusted,omitzero"` // whether the agent trusts the project, nil when unknown
	// Approved is set when the user told the agent to trust the project for this run.
	// Trusted alone may be a default that the user never saw.
	Approved bool `json:"approved,omitzero"`
	Nested   bool `json:"nested,omitzero"` // the agent was started by an agent
	// Idle is false while a run of the agent is in progress, nil when the agent does not say.
	Idle *bool `json:"idle,omitzero"`
	// Can lists the agent's capabilities: see the Can constants.
	Can     []string   `json:"can,omitzero"`
	Session SessionRef `json:"session"`
	Model   *Model     `json:"model,omitzero"`

	Payload jsontext.Value `json:"payload"`
	// Entries are the entries of a session without a file, as the agent has them. Each
	// is sent again until a reply has come.
	Entries []jsontext.Value `json:"entries,omitzero"`
	Missed  []Missed         `json:"missed,omitzero"`
	Replies []Answer         `json:"replies,omitzero"`
	State   jsontext.Value   `json:"state,omitzero"`
}

// Trust returns what the user told the agent about the project: false, or true for this
// run. It is nil otherwise, and a saved answer decides. That the agent trusts a project is
// not an answer: pi trusts a project without pi files by default, and a cloned repository
// may have files of pictx alone.
func (r *Request) Trust() *bool {
	switch {
	case r.Trusted != nil && !*r.Trusted:
		return r.Trusted
	case r.Approved:
		return &r.Approved
	}
	return nil
}

// The capabilities of an agent, as Request.Can lists them.
const (
	CanContextEdit = "contextEdit" // records edits of its context in the session
	CanComplete    = "complete"    // calls a model for pictx
	CanFold        = "fold"        // compacts its session before a prompt
)

// SessionRef names a session of the agent.
type SessionRef struct {
	ID     string `json:"id"`
	File   string `json:"file,omitzero"`   // absolute; may not exist yet; "" for a session in memory
	LeafID string `json:"leafId,omitzero"` // "" in an empty session
}

// Model is the model that the agent has chosen.
type Model struct {
	Provider      string         `json:"provider"`
	ID            string         `json:"id"`
	API           string         `json:"api,omitzero"`
	ContextWindow float64        `json:"contextWindow,omitzero"` // tokens
	Reasoning     *bool          `json:"reasoning,omitzero"`     // whether it thinks, nil when unknown
	Cost          Cost           `json:"cost,omitzero"`
	PromptCache   jsontext.Value `json:"promptCache,omitzero"`
	Compat        jsontext.Value `json:"compat,omitzero"` // the agent's notes on its provider
}

// Cost is what the tokens of a model cost.
type Cost struct {
	token.Cost `json:",embed"`
	Tiers      []token.CostTier `json:"tiers,omitzero"` // ascending
}

// binds reports whether the agent's model binds its thinking to what precedes it, as one that is
// not known is taken to do.
func (r *Request) binds() bool { return r.Model == nil || r.Model.Binding() != token.NotBound }

// compat is what the agent notes on the provider of a model.
type compat struct {
	Effort      bool `json:"supportsMidConvoEffort"`
	ToolChanges bool `json:"supportsMidConvoToolChanges"`
}

// compat reads the notes on a model, of which an unreadable one says nothing.
func (m *Model) compat() (c compat) {
	_ = Decode(m.Compat, &c)
	return c
}

// Binding returns how the model's thinking is bound to what precedes it.
func (m *Model) Binding() token.Binding {
	known := token.Model{
		Provider: m.Provider, ID: m.ID, API: m.API, Thinks: m.Reasoning == nil || *m.Reasoning, Effort: m.compat().Effort,
	}
	return known.Binding()
}

// fixesTools reports whether the tools of a conversation must stay what they are: thinking is
// bound to what precedes it, and the agent cannot send other tools behind it.
func (r *Request) fixesTools() bool {
	return r.binds() && (r.Model == nil || !r.Model.compat().ToolChanges)
}

// Missed is a request that got no usable reply in time.
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
	// Spent is the usage of responses to a complete ask that could not be used.
	Spent []jsontext.Value `json:"spent,omitzero"`
}

// The payloads of events, with the members that are used; schema/v1 has all.
type (
	// BeforeAgent is the payload of before_agent_start.
	BeforeAgent struct {
		Prompt       string  `json:"prompt"`
		First        bool    `json:"first"`        // no request was made since the session was opened
		SystemPrompt *string `json:"systemPrompt"` // nil unless its hash is new
	}
	// ContextKeys is the payload of context: the keys of the messages.
	ContextKeys struct {
		Keys []MessageKey `json:"keys"`
	}
	// MessageKey identifies a message of a context.
	MessageKey struct {
		Role       string  `json:"role"`
		Timestamp  float64 `json:"timestamp"` // Unix milliseconds
		ToolCallID string  `json:"toolCallId"`
	}
	// ToolResult is the payload of tool_result. Images come without their data.
	ToolResult struct {
		ToolName string         `json:"toolName"`
		Content  jsontext.Value `json:"content"`
	}
	// ToolCalled is the payload of tool_call: a call that the agent is about to carry out.
	ToolCalled struct {
		ToolName string         `json:"toolName"`
		Input    jsontext.Value `json:"input"`
	}
	// TurnEnd is the payload of turn_end.
	TurnEnd struct {
		ToolResultEntryIDs []string `json:"toolResultEntryIds"`
	}
	// CacheWarming is the payload of cache_warming_decision, with costs in dollars.
	CacheWarming struct {
		WarmCost    float64 `json:"warmCost"`
		MissCost    float64 `json:"missCost"`
		Probability float64 `json:"continuationProbability"`
		Action      string  `json:"action"`
	}
	// BeforeCompact is the payload of session_before_compact.
	BeforeCompact struct {
		CustomInstructions string  `json:"customInstructions"`
		FirstKeptEntryID   string  `json:"firstKeptEntryId"`
		TokensBefore       float64 `json:"tokensBefore"`
		IsSplitTurn        bool    `json:"isSplitTurn"`
		// FileOps are the files that the messages to summarise touched.
		FileOps struct {
			Read    []string `json:"read"`
			Written []string `json:"written"`
			Edited  []string `json:"edited"`
		} `json:"fileOps"`
	}
	// ToolCall is the payload of tool.
	ToolCall struct {
		Name       string         `json:"name"`
		ToolCallID string         `json:"toolCallId"`
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
