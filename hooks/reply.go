package hooks

import (
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// Line is a line that Serve prints: hello, a reply, or effects pushed without a request.
type Line struct {
	Hello *Hello `json:"hello,omitzero"`
	Reply `json:",embed"`
}

// Hello declares what pictx offers and which events it wants. It is printed before any
// request.
type Hello struct {
	V          int           `json:"v"`
	Version    string        `json:"version"`
	Wants      []string      `json:"wants"`
	Background []string      `json:"background,omitzero"` // the events of Wants that the agent does not wait for
	Timeouts   Timeouts      `json:"timeouts,omitzero"`
	Tools      []Tool        `json:"tools,omitzero"`
	Active     []string      `json:"active,omitzero"` // the Tools in the prompt from the start; nil means all
	Commands   []CommandSpec `json:"commands,omitzero"`
	Context    string        `json:"context,omitzero"` // "ask", the default, or "skip"
	Suspect    []string      `json:"suspect,omitzero"` // tool_call is sent for calls whose arguments have one of these texts
}

// Timeouts are how long the agent waits, in milliseconds, by event, tool and command.
// Names that are not listed have the defaults of the protocol.
type Timeouts struct {
	Events  map[string]int `json:",embed"`
	Tool    map[string]int `json:"tool,omitempty"`
	Command map[string]int `json:"command,omitempty"`
}

// ToolTime is the usual time limit of a tool, in milliseconds.
const ToolTime = 30_000

// Offer adds the tools that a JSON file declares, {"tools": […]}, each with a time limit of
// ms milliseconds. Every request of the agent carries the whole file. A file that cannot be
// read adds nothing; tests ensure that the embedded ones can.
func (h *Hello) Offer(file []byte, ms int) {
	var declared struct{ Tools []Tool }
	if err := json.Unmarshal(file, &declared); err != nil {
		return
	}
	for _, t := range declared.Tools {
		h.Tools = append(h.Tools, t)
		h.Timeouts.Tool[t.Name] = ms
	}
}

// Tool is a tool that the model may call.
type Tool struct {
	Name        string         `json:"name"`
	Label       string         `json:"label"`
	Description string         `json:"description"`
	Parameters  jsontext.Value `json:"parameters"` // a JSON Schema
}

// CommandSpec is a command that the user can type.
type CommandSpec struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Complete    bool   `json:"complete,omitzero"` // its arguments can be completed
}

// Reply is the reply to a request. The zero Reply changes nothing.
type Reply struct {
	ID      string         `json:"id,omitzero"`
	Result  *Result        `json:"result,omitzero"`
	Effects []Effect       `json:"effects,omitzero"`
	Ask     []Ask          `json:"ask,omitzero"`
	State   jsontext.Value `json:"state,omitzero"` // at most MaxState bytes; sent back with the answers
	Next    *Next          `json:"next,omitzero"`
	Active  []string       `json:"active,omitzero"` // the tools of hello in the prompt from now on
	Error   string         `json:"error,omitzero"`
}

// Result is what pi's event handler returns, or the result of a tool, a command or a
// completion. The event decides which members count.
type Result struct {
	Edits      []ContextEdit    `json:"edits,omitzero"`
	Insert     []Insert         `json:"insert,omitzero"`
	Entries    []Entry          `json:"entries,omitzero"`
	Message    *CustomMessage   `json:"message,omitzero"`
	Cancel     bool             `json:"cancel,omitzero"`
	Compaction *Compaction      `json:"compaction,omitzero"`
	Content    jsontext.Value   `json:"content,omitzero"`
	Details    any              `json:"details,omitzero"`
	IsError    *bool            `json:"isError,omitzero"`
	Block      bool             `json:"block,omitzero"` // of a tool_call: the call is not carried out, Error says why
	Text       string           `json:"text,omitzero"`
	Action     string           `json:"action,omitzero"` // of a cache_warming_decision: ActionWarm
	Error      string           `json:"error,omitzero"`  // of a tool: what the model reads instead of Text
	Show       string           `json:"show,omitzero"`   // of a command: notify, message, widget or editor
	Level      string           `json:"level,omitzero"`  // of a command: info, warning or error
	Items      []CompletionItem `json:"items,omitzero"`
}

// ActionWarm has the agent keep the provider's cache alive.
const ActionWarm = "warm"

// ContextEdit replaces the content of one message of a context, named by its index or its
// entry.
type ContextEdit struct {
	Index   *int           `json:"index,omitzero"`
	EntryID string         `json:"entryId,omitzero"`
	Content jsontext.Value `json:"content"` // a string or an array of blocks
}

// Insert puts a message into a context.
type Insert struct {
	Before  jsontext.Value `json:"before"` // the index of a message, or "end"
	Message jsontext.Value `json:"message"`
}

// Entry is an entry for the agent to append to its session. Its type decides which members
// count.
type Entry struct {
	Type string `json:"type"` // context_edit, custom, custom_message or compaction

	TargetID    string         `json:"targetId,omitzero"`    // context_edit
	Replacement jsontext.Value `json:"replacement,omitzero"` // {content}, or null to omit the target

	CustomType string         `json:"customType,omitzero"` // custom, custom_message
	Data       any            `json:"data,omitzero"`       // custom
	Content    jsontext.Value `json:"content,omitzero"`    // custom_message
	Display    *bool          `json:"display,omitzero"`
	Details    any            `json:"details,omitzero"` // custom_message, compaction

	Summary     string         `json:"summary,omitzero"` // compaction
	FirstKeptID jsontext.Value `json:"firstKeptEntryId,omitzero"`
	Usage       jsontext.Value `json:"usage,omitzero"`
}

// EditEntry returns an entry that replaces the content of another entry.
func EditEntry(target string, content []byte) Entry {
	r := append(append([]byte(`{"content":`), content...), '}')
	return Entry{Type: "context_edit", TargetID: target, Replacement: r}
}

// CustomEntry returns an entry that holds data of pictx and is not part of the context.
func CustomEntry(customType string, data any) Entry {
	return Entry{Type: "custom", CustomType: customType, Data: data}
}

// CustomMessage is a message of pictx in the context.
type CustomMessage struct {
	CustomType string         `json:"customType"`
	Content    jsontext.Value `json:"content"`
	Display    bool           `json:"display"`
	Details    any            `json:"details,omitzero"`
}

// Compaction replaces everything before an entry in the context by a summary.
type Compaction struct {
	Summary      string         `json:"summary"`
	FirstKeptID  string         `json:"firstKeptEntryId,omitzero"`
	TokensBefore float64        `json:"tokensBefore,omitzero"`
	TokensAfter  float64        `json:"estimatedTokensAfter,omitzero"`
	Usage        jsontext.Value `json:"usage,omitzero"`
	Details      any            `json:"details,omitzero"`
}

// CompletionItem is a possible continuation of a command's arguments.
type CompletionItem struct {
	Value       string `json:"value"`
	Label       string `json:"label,omitzero"`
	Description string `json:"description,omitzero"`
}

// Next tells the agent whether to send the coming context events.
type Next struct {
	Context string `json:"context"`         // ContextAsk or ContextSkip
	IdleMS  int    `json:"idleMs,omitzero"` // skip ends after this long without a request to a model
}

// The values of Next.Context and Hello.Context.
const (
	ContextAsk  = "ask"
	ContextSkip = "skip"
)

// Effect is something for the agent to do besides returning the result.
type Effect struct {
	Type string `json:"type"`

	Text         *string        `json:"text,omitzero"`  // notify; status, where null removes it
	Level        string         `json:"level,omitzero"` // notify: info, warning or error
	Key          string         `json:"key,omitzero"`   // status, widget
	Lines        []string       `json:"lines,omitzero"` // widget
	Placement    string         `json:"placement,omitzero"`
	Message      *CustomMessage `json:"message,omitzero"`
	TriggerTurn  bool           `json:"triggerTurn,omitzero"`
	DeliverAs    string         `json:"deliverAs,omitzero"`  // steer, followUp or nextTurn
	CustomType   string         `json:"customType,omitzero"` // appendEntry
	Data         any            `json:"data,omitzero"`
	EntryID      string         `json:"entryId,omitzero"` // label
	Label        *string        `json:"label,omitzero"`
	Instructions string         `json:"customInstructions,omitzero"` // compact
}

// Notify shows the user a text once. Level is info, warning or error.
func Notify(text, level string) Effect { return Effect{Type: "notify", Text: &text, Level: level} }

// Status sets the text of a footer key. "" removes the key.
func Status(key, text string) Effect {
	e := Effect{Type: "status", Key: key}
	if text != "" {
		e.Text = &text
	}
	return e
}

// SendMessage adds a message to the session.
func SendMessage(m CustomMessage) Effect { return Effect{Type: "message", Message: &m} }

// AppendEntry adds data of pictx to the session, outside the context.
func AppendEntry(customType string, data any) Effect {
	return Effect{Type: "appendEntry", CustomType: customType, Data: data}
}

// Compact has the agent compact its session.
func Compact(instructions string) Effect {
	return Effect{Type: "compact", Instructions: instructions}
}

// Ask is a question to the user or, of kind complete, to a model. The agent asks it for
// pictx.
type Ask struct {
	ID   string `json:"id"`
	Kind string `json:"kind"` // confirm, select, multiselect, input or complete

	Title       string   `json:"title,omitzero"`
	Message     string   `json:"message,omitzero"` // confirm
	Options     []Option `json:"options,omitzero"` // select, multiselect
	Placeholder string   `json:"placeholder,omitzero"`
	Initial     string   `json:"initial,omitzero"` // input
	Multiline   bool     `json:"multiline,omitzero"`
	TimeoutMS   int      `json:"timeoutMs,omitzero"` // confirm, select: counts as cancelled after this long

	Models    []string `json:"models,omitzero"` // complete: provider/id, or session
	System    string   `json:"system,omitzero"`
	Prompt    string   `json:"prompt,omitzero"`
	MaxTokens int      `json:"maxTokens,omitzero"`
}

// The kinds of asks.
const (
	AskConfirm     = "confirm"
	AskSelect      = "select"
	AskMultiselect = "multiselect"
	AskInput       = "input"
	AskComplete    = "complete"
)

// Option is a choice of a select or multiselect.
type Option struct {
	Value       string `json:"value"`
	Label       string `json:"label"`
	Description string `json:"description,omitzero"`
	Selected    bool   `json:"selected,omitzero"` // multiselect
}

// Completed is the value of the answer to a complete ask.
type Completed struct {
	Text       string         `json:"text"`
	Model      string         `json:"model"` // provider/id
	Usage      jsontext.Value `json:"usage,omitzero"`
	StopReason string         `json:"stopReason,omitzero"`
}
