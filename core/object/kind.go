package object

import "slices"

// Kind is the kind of an object.
type Kind string

// The kinds of objects. There are no others.
const (
	KindFile         Kind = "file"
	KindToolcall     Kind = "toolcall"
	KindChat         Kind = "chat"
	KindSession      Kind = "session"
	KindSystemPrompt Kind = "system_prompt"
)

// Kinds are all kinds, in the order in which they are listed.
func Kinds() []Kind {
	return []Kind{KindFile, KindToolcall, KindChat, KindSession, KindSystemPrompt}
}

// Known reports whether k is one of Kinds.
func (k Kind) Known() bool { return slices.Contains(Kinds(), k) }

// Locked reports whether objects of the kind are always in the context as they are:
// chats and system prompts.
func (k Kind) Locked() bool { return k == KindChat || k == KindSystemPrompt }

// Switchable reports whether objects of the kind can be activated and deactivated:
// files and tool calls.
func (k Kind) Switchable() bool { return k == KindFile || k == KindToolcall }

// State is the state of an object in a session.
type State string

// The states of an object in a session.
const (
	// Absent is an object that never came up in the session.
	Absent State = "absent"
	// Inactive is an object that the model sees only as a reference.
	Inactive State = "inactive"
	// Active is an object whose content the model can see.
	Active State = "active"
)

// Generator is who made a document.
type Generator string

// The generators of documents.
const (
	ByHuman  Generator = "human"
	ByAgent  Generator = "agent"
	ByTool   Generator = "tool"
	BySystem Generator = "system"
)
