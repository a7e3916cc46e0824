package object

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Document describes an object in one version. Exactly the part for its kind is
// set; for a deleted object none has to be.
type Document struct {
	Kind Kind `json:"type"`
	// Nickname is a name that a person or the model gave it, "" when it has none. It
	// is unique among objects, ignoring case.
	Nickname string `json:"nickname,omitempty"`
	// Content is its text, nil when it has none, which is not the same as empty. It
	// need not be UTF-8.
	Content []byte `json:"-"`
	// Deleted is set in the version that says that the object is gone.
	Deleted    bool       `json:"deleted,omitempty"`
	Provenance Provenance `json:"provenance,omitzero"`

	File         *File         `json:"file,omitempty"`
	Toolcall     *Toolcall     `json:"toolcall,omitempty"`
	Chat         *Chat         `json:"chat,omitempty"`
	Session      *Session      `json:"session,omitempty"`
	SystemPrompt *SystemPrompt `json:"system_prompt,omitempty"`
}

// Provenance is where a document comes from.
type Provenance struct {
	// Origin is the tool, the command or the event that brought it.
	Origin string `json:"origin,omitempty"`
	// Generator is who made it, "" when that is not known.
	Generator Generator `json:"generator,omitempty"`
	// Parents are ids of objects that it was made from.
	Parents []string `json:"parent_refs,omitempty"`
}

// File describes a file. Only text files have content.
type File struct {
	// Path is absolute and canonical, "" for a file that was deleted.
	Path string `json:"path,omitempty"`
	// FileType is its extension without the dot, or a type detected from its content:
	// "md", "png", "binary".
	FileType string `json:"file_type,omitempty"`
	// Chars is the number of characters of its content, 0 without content.
	Chars int `json:"char_count"`
	// Lines is set when only a part of the file was read: Content is that part.
	Lines *Lines `json:"lines,omitempty"`
}

// FileType is the extension of a path without the dot, in small letters, "" when it
// has none.
func FileType(path string) string {
	base := path[strings.LastIndexByte(path, '/')+1:]
	if dot := strings.LastIndexByte(base, '.'); dot > 0 {
		return strings.ToLower(base[dot+1:])
	}
	return ""
}

// Lines is a range of lines of a file, counted from 1, with both ends.
type Lines struct {
	First int `json:"first"`
	Last  int `json:"last"`
}

// Status is how a tool call ended.
type Status string

// The ways in which tool calls end.
const (
	StatusOK   Status = "ok"
	StatusFail Status = "fail"
)

// Toolcall describes a call of a tool. Its content is what the tool returned.
type Toolcall struct {
	Tool string `json:"tool"`
	// Args are the arguments as the model wrote them, JSON.
	Args jsontext.Value `json:"args,omitempty"`
	// ArgsDisplay is a short form of them for a catalogue.
	ArgsDisplay string `json:"args_display,omitempty"`
	Status      Status `json:"status"`
	// Chat is the chat that it is part of: the only reference that names a version.
	Chat *Ref `json:"chat_ref,omitempty"`
	// Parent is the id of the call that made this one, "" when the model did.
	Parent string `json:"parent_call,omitempty"`
	// Files are ids of the files that it read or wrote.
	Files []string `json:"file_refs,omitempty"`
}

// Ref is a reference to one version of an object.
type Ref struct {
	ID string `json:"id"`
	// Tx is the transaction that wrote the version, 0 for the latest version.
	Tx int64 `json:"tx,omitempty"`
	// Position is the place in it: in a chat, the number of the turn.
	Position int `json:"position,omitempty"`
	// Hash is the object hash of the version, "" for any.
	Hash string `json:"object_hash,omitempty"`
}

// Chat is the conversation of a session, with a version for each turn. Its content is
// the conversation as text.
type Chat struct {
	Session string `json:"session_ref"`
	Turns   []Turn `json:"turns,omitempty"`
	// Toolcalls are ids of the calls, in their order.
	Toolcalls []string `json:"toolcall_refs,omitempty"`
}

// Turn is what a user said and how the agent responded.
type Turn struct {
	User        string          `json:"user"`
	Assistant   []string        `json:"assistant,omitempty"`
	ToolcallIDs []string        `json:"toolcall_ids,omitempty"` // of the provider
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
	// SystemPrompts are ids of the prompts that it had; the last one is in force.
	SystemPrompts []string `json:"system_prompt_refs,omitempty"`
}

// SystemPrompt describes a system prompt; its content is the prompt.
type SystemPrompt struct {
	Session string `json:"session_ref"`
}
