package object

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Encode writes a document without its content as one line of JSON. It replaces invalid
// UTF-8, also in d, so that Decode returns d.
func (d *Document) Encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(d); err != nil {
		return nil, fmt.Errorf("write document: %w", err)
	}
	out := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if bytes.Contains(out, []byte(`\ufffd`)) {
		again, err := Decode(out)
		if err != nil {
			return nil, err
		}
		again.Content = d.Content
		*d = *again
	}
	return out, nil
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

// Label returns a name by which a person recognizes the object: the path of a file, the
// call of a tool, else the session.
func (d *Document) Label(k Key) string {
	switch {
	case d.File != nil && d.File.Path != "":
		return d.File.Path
	case k.Kind == KindFile:
		return k.Part(1)
	case d.Toolcall != nil:
		return strings.TrimSpace(d.Toolcall.Tool + " " + d.Toolcall.ArgsDisplay)
	}
	return k.Session()
}

// NicknameRule describes valid nicknames for a person.
const NicknameRule = "a nickname is 1 to 64 letters a-z, digits, and . _ - after a letter; the case of letters makes no difference"

// ValidNickname reports whether a text is a valid nickname, which never resembles an id.
func ValidNickname(s string) bool {
	if s == "" || len(s) > 64 || strings.HasPrefix(strings.ToLower(s), idPrefix) {
		return false
	}
	for i := range len(s) {
		c := s[i] | 0x20
		letter := 'a' <= c && c <= 'z'
		other := s[i] >= '0' && s[i] <= '9' || s[i] == '.' || s[i] == '_' || s[i] == '-'
		if !letter && (i == 0 || !other) {
			return false
		}
	}
	return true
}
