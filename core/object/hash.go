package object

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// HashSchema is the version of how hashes are computed.
const HashSchema = 2

// Hash is a SHA-256 hash.
type Hash [sha256.Size]byte

// String formats a hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Hashes are the three hashes of a version. Equal documents of one object have equal
// hashes, on every machine and at any time.
type Hashes struct {
	// Content is the hash of the content; none and empty differ.
	Content Hash
	// Meta is the hash of the fields that a catalogue shows.
	Meta Hash
	// Object is the hash of everything except times.
	Object Hash
}

// HashesOf hashes a document of the object with an id.
func HashesOf(id string, d *Document) Hashes {
	return HashesWith(id, d, ContentHash(d.Content))
}

// HashesWith is HashesOf for a document whose content is known only by its hash.
func HashesWith(id string, d *Document, content Hash) Hashes {
	var shown []any
	switch {
	case d.File != nil:
		shown = []any{d.File.Path, d.File.FileType, d.File.Chars}
	case d.Toolcall != nil:
		shown = []any{d.Toolcall.Tool, d.Toolcall.ArgsDisplay, d.Toolcall.Status}
	case d.Chat != nil:
		shown = []any{d.Chat.Session, d.Chat.Turns}
	}
	return Hashes{Content: content, Meta: hashOf("meta", id, d.Kind, shown), Object: hashOf("object", id, content.String(), d)}
}

// ContentHash hashes a content, nil for none.
func ContentHash(content []byte) Hash {
	h := sha256.New()
	h.Write([]byte("content of an object of pictx"))
	if content != nil {
		h.Write([]byte{0})
		h.Write(content)
	}
	return Hash(h.Sum(nil))
}

// hashOf hashes values of a domain as JSON, which writes different ones differently.
func hashOf(domain string, values ...any) Hash {
	b, _ := json.Marshal([]any{"pictx object", HashSchema, domain, values}) // texts and numbers always have a form
	return sha256.Sum256(b)
}
