package object

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Document describes one version of an object. Only the member for its kind is set; for a
// deleted object it may be missing.
type Document struct {
	Kind Kind `json:"type"`
	// Content is its text. nil means none, which differs from empty. It need not be UTF-8.
	// Stores keep that of files and system prompts; tool calls and chats name the entries of
	// their session that have it.
	Content []byte `json:"-"`
	// Deleted is set in the version that marks the object as deleted.
	Deleted bool `json:"deleted,omitempty"`

	File         *File         `json:"file,omitempty"`
	Toolcall     *Toolcall     `json:"toolcall,omitempty"`
	Chat         *Chat         `json:"chat,omitempty"`
	Session      *Session      `json:"session,omitempty"`
	SystemPrompt *SystemPrompt `json:"system_prompt,omitempty"`
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
	// ArgsDisplay is a short form of the arguments for a catalogue. The entry of the call has
	// all of them.
	ArgsDisplay string `json:"args_display,omitempty"`
	Status      Status `json:"status"`
	// Parent is the id of the call that made this one, "" when the model did.
	Parent string `json:"parent_call,omitempty"`
	// Files are the ids of the files that it read or wrote.
	Files []string `json:"file_refs,omitempty"`
}

// Chat is the conversation of a session, with a version per turn. Its content is the
// conversation as text, composed of the entries from the root of the session to Leaf.
type Chat struct {
	Session string `json:"session_ref"`
	// Leaf is the id of its last entry.
	Leaf string `json:"leaf"`
	// Turns is the number of messages of the user.
	Turns int `json:"turns"`
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

// Encode writes a document without its content as JSON. It replaces invalid UTF-8, also in d, so
// that Decode returns d.
func (d *Document) Encode() ([]byte, error) {
	data, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("write document: %w", err)
	}
	again, err := Decode(data)
	if err != nil {
		return nil, err
	}
	again.Content = d.Content
	*d = *again
	return data, nil
}

// Decode reads the result of Encode.
func Decode(data []byte) (*Document, error) {
	d := &Document{}
	if err := json.Unmarshal(data, d); err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	return d, nil
}

// Tombstone returns the document that marks the object as deleted. It has no content and,
// for a file, no path.
func (d *Document) Tombstone() *Document {
	t := &Document{Kind: d.Kind, Deleted: true}
	if d.File != nil {
		t.File = &File{FileType: d.File.FileType}
	}
	return t
}

// Purged returns the document without content and without text that a person or a model
// wrote. Only the fields that a catalogue needs are left.
func (d *Document) Purged() *Document {
	w := *d
	w.Content = nil
	if d.Toolcall != nil {
		t := *d.Toolcall
		t.ArgsDisplay = ""
		w.Toolcall = &t
	}
	return &w
}
