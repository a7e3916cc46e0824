package object

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Document describes one version of an object. Only the member for its kind is set; for a
// deleted object it may be missing.
type Document struct {
	Kind Kind `json:"type"`
	// Nickname is a name given by a person or the model, "" without one. It is unique among
	// objects, ignoring case.
	Nickname string `json:"nickname,omitempty"`
	// Content is its text. nil means none, which differs from empty. It need not be UTF-8.
	Content []byte `json:"-"`
	// Deleted is set in the version that marks the object as deleted.
	Deleted    bool       `json:"deleted,omitempty"`
	Provenance Provenance `json:"provenance,omitzero"`

	File         *File         `json:"file,omitempty"`
	Toolcall     *Toolcall     `json:"toolcall,omitempty"`
	Chat         *Chat         `json:"chat,omitempty"`
	Session      *Session      `json:"session,omitempty"`
	SystemPrompt *SystemPrompt `json:"system_prompt,omitempty"`
}

// Provenance is the origin of a document.
type Provenance struct {
	// Origin is the tool, command or event that it comes from.
	Origin string `json:"origin,omitempty"`
	// Generator is who made it, "" when unknown.
	Generator Generator `json:"generator,omitempty"`
	// Parents are the ids of objects that it was made from.
	Parents []string `json:"parent_refs,omitempty"`
}

// File describes a file. Only text files have content.
type File struct {
	// Path is absolute and canonical, "" for a deleted file.
	Path string `json:"path,omitempty"`
	// FileType is the extension without the dot, or a type detected from the content: "md",
	// "png", "binary".
	FileType string `json:"file_type,omitempty"`
	// Chars is the number of characters of its content, 0 without content.
	Chars int `json:"char_count"`
	// Lines is set when only a part of the file was read; Content is then that part.
	Lines *Lines `json:"lines,omitempty"`
}

// FileType returns the extension of a path in lower case without the dot, "" without one.
func FileType(path string) string {
	base := path[strings.LastIndexByte(path, '/')+1:]
	if dot := strings.LastIndexByte(base, '.'); dot > 0 {
		return strings.ToLower(base[dot+1:])
	}
	return ""
}

// Lines is an inclusive range of lines of a file, counted from 1.
type Lines struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// Status is the outcome of a tool call.
type Status string

// The outcomes.
const (
	StatusOK   Status = "ok"
	StatusFail Status = "fail"
)

// Toolcall describes a tool call. Its content is what the tool returned.
type Toolcall struct {
	Tool string `json:"tool"`
	// Args are the arguments as the model wrote them, JSON.
	Args jsontext.Value `json:"args,omitempty"`
	// ArgsDisplay is a short form of them for a catalogue.
	ArgsDisplay string `json:"args_display,omitempty"`
	Status      Status `json:"status"`
	// Chat is the chat that the call is part of: the only reference to a specific version.
	Chat *Ref `json:"chat_ref,omitempty"`
	// Parent is the id of the call that made this one, "" when the model did.
	Parent string `json:"parent_call,omitempty"`
	// Files are the ids of the files that it read or wrote.
	Files []string `json:"file_refs,omitempty"`
}

// Ref is a reference to one version of an object.
type Ref struct {
	ID string `json:"id"`
	// Tx is the transaction that wrote the version, 0 for the latest version.
	Tx int64 `json:"tx,omitempty"`
	// Position is the position within it: in a chat, the number of the turn.
	Position int `json:"position,omitempty"`
	// Hash is the object hash of the version, "" for any.
	Hash string `json:"object_hash,omitempty"`
}

// Chat is the conversation of a session, with a version per turn. Its content is the
// conversation as text.
type Chat struct {
	Session string `json:"session_ref"`
	Turns   []Turn `json:"turns,omitempty"`
	// Toolcalls are the ids of the calls, in order.
	Toolcalls []string `json:"toolcall_refs,omitempty"`
}

// Turn is a message of the user with the agent's response.
type Turn struct {
	User        string          `json:"user"`
	Assistant   []string        `json:"assistant,omitempty"`
	ToolcallIDs []string        `json:"toolcall_ids,omitempty"` // the provider's ids
	Meta        []AssistantMeta `json:"assistant_meta,omitempty"`
}

// AssistantMeta is the metadata that pi keeps about a response.
type AssistantMeta struct {
	API        string         `json:"api,omitempty"`
	Provider   string         `json:"provider,omitempty"`
	Model      string         `json:"model,omitempty"`
	Usage      jsontext.Value `json:"usage,omitempty"`
	StopReason string         `json:"stopReason,omitempty"`
	// Timestamp is in Unix milliseconds. No hash includes it.
	Timestamp int64 `json:"timestamp,omitempty"`
}

// Session describes a session of an agent. Events say which objects are active in it.
type Session struct {
	Harness   string `json:"harness"` // "pi"
	SessionID string `json:"session_id"`
	Chat      string `json:"chat_ref,omitempty"`
	// SystemPrompts are the ids of its system prompts; the last one is in force.
	SystemPrompts []string `json:"system_prompt_refs,omitempty"`
}

// SystemPrompt describes a system prompt; its content is the prompt.
type SystemPrompt struct {
	Session string `json:"session_ref"`
}
