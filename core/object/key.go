package object

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Key identifies an object by its kind and the parts that tell it from others of that kind.
// Ids are derived from keys.
type Key struct {
	Kind  Kind
	parts []string
}

// FileKey identifies a file by its filesystem, "" for the machine's own, and its absolute,
// canonical path.
func FileKey(filesystem, path string) Key { return Key{KindFile, []string{filesystem, path}} }

// ToolcallKey identifies a tool call by its session, the entry with its result, and the id
// that the provider gave the call, which is not unique by itself.
func ToolcallKey(session, entry, call string) Key {
	return Key{KindToolcall, []string{session, entry, call}}
}

// ChatKey identifies the chat of a session.
func ChatKey(session string) Key { return Key{KindChat, []string{session}} }

// SessionKey identifies a session.
func SessionKey(session string) Key { return Key{KindSession, []string{session}} }

// SystemPromptKey identifies the system prompt of a session.
func SystemPromptKey(session string) Key { return Key{KindSystemPrompt, []string{session}} }

// Part returns the i-th part of the key, "" without one.
func (k Key) Part(i int) string {
	if i < 0 || i >= len(k.parts) {
		return ""
	}
	return k.parts[i]
}

// Session returns the session that the object belongs to, "" for a file.
func (k Key) Session() string {
	if k.Kind == KindFile {
		return ""
	}
	return k.Part(0)
}

// IsZero reports whether the key identifies nothing.
func (k Key) IsZero() bool { return k.Kind == "" }

// String formats the key for ParseKey. Each part is preceded by its length, so that
// different keys have different strings.
func (k Key) String() string {
	var b strings.Builder
	b.WriteString(string(k.Kind))
	for _, p := range k.parts {
		b.WriteString(" " + strconv.Itoa(len(p)) + ":" + p)
	}
	return b.String()
}

// Scan reads a key from a database. A damaged one is read as the zero Key.
func (k *Key) Scan(src any) error {
	*k, _ = ParseKey(fmt.Sprintf("%s", src))
	return nil
}

// ParseKey parses the result of Key.String.
func ParseKey(text string) (Key, bool) {
	kind, rest, more := strings.Cut(text, " ")
	k := Key{Kind: Kind(kind)}
	for more {
		length, after, ok := strings.Cut(rest, ":")
		n, err := strconv.Atoi(length)
		if !ok || err != nil || n < 0 || n > len(after) || strconv.Itoa(n) != length {
			return Key{}, false
		}
		k.parts = append(k.parts, after[:n])
		if rest = after[n:]; rest == "" {
			break
		}
		if rest, more = strings.CutPrefix(rest, " "); !more {
			return Key{}, false
		}
	}
	want := map[Kind]int{KindFile: 2, KindToolcall: 3, KindChat: 1, KindSession: 1, KindSystemPrompt: 1}
	return k, k.Kind.Known() && len(k.parts) == want[k.Kind]
}

// idPrefix begins every id; idDigits is how many digits follow.
const (
	idPrefix = "o-"
	idDigits = 12
)

// NewID derives the id of an object. nth is above 0 when another object already has that
// id: a file was renamed, and its old path has a new file.
func NewID(k Key, nth int) string {
	text := k.String()
	if nth > 0 {
		text = strconv.Itoa(nth) + "\x00" + text
	}
	sum := sha256.Sum256([]byte("pictx object id 1\x00" + text))
	return idPrefix + hex.EncodeToString(sum[:])[:idDigits]
}

// IDPrefix normalizes the prefix of an id as a person typed it, with or without "o-", and
// reports whether it is valid.
func IDPrefix(text string) (string, bool) {
	digits := strings.TrimPrefix(strings.ToLower(text), idPrefix)
	if digits == "" || len(digits) > idDigits || strings.Trim(digits, "0123456789abcdef") != "" {
		return "", false
	}
	return idPrefix + digits, true
}

// NicknameRule describes valid nicknames for a person.
const NicknameRule = "a nickname is 1 to 64 letters a-z, digits, and . _ - after a letter; the case of letters makes no difference"

// ValidNickname reports whether a text is a valid nickname, which never resembles an id.
func ValidNickname(s string) bool {
	ok, _ := regexp.MatchString(`^[a-zA-Z][a-zA-Z0-9._-]{0,63}$`, s)
	return ok && !strings.HasPrefix(strings.ToLower(s), idPrefix)
}

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

// Locked reports whether objects of the kind are always in the context: chats and system
// prompts.
func (k Kind) Locked() bool { return k == KindChat || k == KindSystemPrompt }

// Switchable reports whether objects of the kind can be activated and deactivated:
// files and tool calls.
func (k Kind) Switchable() bool { return k == KindFile || k == KindToolcall }

// State is the state of an object in a session.
type State string

// The states.
const (
	// Absent objects never occurred in the session.
	Absent State = "absent"
	// Inactive objects are visible to the model only as references.
	Inactive State = "inactive"
	// Active objects have content that the model can see.
	Active State = "active"
)
