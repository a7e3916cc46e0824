package object

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"strconv"
)

// HashSchema is the version of how hashes are computed.
const HashSchema = 1

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
	return Hashes{Content: content, Meta: metaHash(id, d), Object: objectHash(id, d, content)}
}

// hasher writes each field with its type and length, so that different lists of fields
// never produce the same bytes.
type hasher struct{ hash.Hash }

func newHasher(domain string) hasher {
	h := hasher{sha256.New()}
	h.Write([]byte("pictx object " + domain + " " + strconv.Itoa(HashSchema) + "\x00"))
	return h
}

func (h hasher) sum() (out Hash) {
	h.Sum(out[:0])
	return out
}

// The type marks of fields.
const (
	markNull = 'n'
	markText = 't'
	markList = 'l'
	markInt  = 'i'
)

func (h hasher) head(mark byte, n int64) {
	var b [9]byte
	b[0] = mark
	binary.BigEndian.PutUint64(b[1:], uint64(n))
	h.Write(b[:])
}

func (h hasher) null() { h.Write([]byte{markNull}) }

func (h hasher) bytes(b []byte) {
	h.head(markText, int64(len(b)))
	h.Write(b)
}

func (h hasher) text(s string) { h.bytes([]byte(s)) }

// optional writes a text that may be absent.
func (h hasher) optional(s string) {
	if s == "" {
		h.null()
		return
	}
	h.text(s)
}

func (h hasher) number(n int64) { h.head(markInt, n) }

func (h hasher) boolean(b bool) {
	if b {
		h.number(1)
	} else {
		h.number(0)
	}
}

func (h hasher) list(all []string) {
	h.head(markList, int64(len(all)))
	for _, s := range all {
		h.text(s)
	}
}

// ContentHash hashes a content, nil for none.
func ContentHash(content []byte) Hash {
	h := newHasher("content")
	if content == nil {
		h.null()
	} else {
		h.bytes(content)
	}
	return h.sum()
}

// metaHash hashes the fields that a catalogue shows for each kind.
func metaHash(id string, d *Document) Hash {
	h := newHasher("meta")
	h.text(id)
	h.text(string(d.Kind))
	switch {
	case d.File != nil:
		h.optional(d.File.Path)
		h.text(d.File.FileType)
		h.number(int64(d.File.Chars))
	case d.Toolcall != nil:
		h.text(d.Toolcall.Tool)
		h.text(d.Toolcall.ArgsDisplay)
		h.text(string(d.Toolcall.Status))
	case d.Chat != nil:
		h.text(d.Chat.Session)
		h.number(int64(d.Chat.Turns))
	}
	return h.sum()
}

// objectHash hashes every field that is neither a time nor a hash.
func objectHash(id string, d *Document, content Hash) Hash {
	h := newHasher("object")
	h.text(id)
	h.text(string(d.Kind))
	h.bytes(content[:])
	h.boolean(d.Kind.Locked())
	h.boolean(d.Deleted)
	h.part("file", d.File != nil, func() { h.file(d.File) })
	h.part("toolcall", d.Toolcall != nil, func() { h.toolcall(d.Toolcall) })
	h.part("chat", d.Chat != nil, func() { h.chat(d.Chat) })
	h.part("session", d.Session != nil, func() { h.session(d.Session) })
	h.part("system_prompt", d.SystemPrompt != nil, func() { h.text(d.SystemPrompt.Session) })
	return h.sum()
}

// part writes the fields of a kind if they are present.
func (h hasher) part(name string, is bool, write func()) {
	if is {
		h.text(name)
		write()
	}
}

func (h hasher) file(f *File) {
	h.optional(f.Path)
	h.text(f.FileType)
	h.number(int64(f.Chars))
	if f.Lines == nil {
		h.null()
		return
	}
	h.number(int64(f.Lines.First))
	h.number(int64(f.Lines.Last))
}

func (h hasher) toolcall(t *Toolcall) {
	h.text(t.Tool)
	h.text(t.ArgsDisplay)
	h.text(string(t.Status))
	h.optional(t.Parent)
	h.list(t.Files)
}

func (h hasher) chat(c *Chat) {
	h.text(c.Session)
	h.text(c.Leaf)
	h.number(int64(c.Turns))
}

func (h hasher) session(s *Session) {
	h.text(s.Harness)
	h.text(s.SessionID)
	h.optional(s.Chat)
	h.list(s.SystemPrompts)
}
