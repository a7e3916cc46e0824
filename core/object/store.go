package object

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
)

// Object has the properties that all versions of an object share.
type Object struct {
	ID string
	// Key is its present key.
	Key Key
	// Nickname is its present nickname, "" without one.
	Nickname string
	// Versions is the number of its versions.
	Versions int
	// Evicted is the transaction that evicted its content, 0 without one.
	Evicted int64
}

// Version is one version of an object: true in one interval, known in another.
type Version struct {
	ID string
	// Number is the number of the version, from 1, in the order of writing.
	Number int
	// Valid is when it is true, Known when that was known. An interval without an end goes
	// to Forever.
	Valid, Known Interval
	// Tx is the transaction that wrote it.
	Tx     int64
	Hashes Hashes
	// Doc is its document without the content, which Store.Content reads.
	Doc Document
	// Size is the size of the content in bytes, -1 without content.
	Size int64
	// Evicted is set when the content was evicted; its hash stays.
	Evicted bool
	// Key is the present key of the object.
	Key Key
}

// Tx is a set of changes that are made atomically.
type Tx struct {
	Actor   Actor
	Session string // the session in which it happens, "" for none
	Reason  string
	// Request is an idempotency key: a transaction with the same one is done only once. ""
	// disables the check.
	Request string
	Ops     []Op
}

// OpKind is the kind of an Op.
type OpKind string

// The kinds of operations.
const (
	// Put writes a version.
	Put OpKind = "put"
	// Delete marks the object as deleted in an interval. Its history stays.
	Delete OpKind = "delete"
	// Match makes the transaction fail unless the object is as expected.
	Match OpKind = "match"
	// Evict removes the content of all versions; the hashes stay.
	Evict OpKind = "evict"
	// Name sets or clears the nickname of the object by a version with the same content.
	Name OpKind = "name"
	// Record adds an event to the transaction's session.
	Record OpKind = "tell"
)

// Op is one change. ID names the object, or Key does if it may be new. An op with both
// changes the object's key, as for a renamed file; a Put with an unknown ID creates an
// object with that id.
type Op struct {
	Do  OpKind
	ID  string
	Key Key
	// Doc is the document of a Put. Without a nickname in it the object keeps its own.
	Doc *Document
	// Nickname is the nickname that a Name sets, "" to clear it.
	Nickname string
	// Valid is the valid time of a Put or Delete.
	Valid Interval
	// Expect is the present object hash that a Match expects; nil expects that the object
	// does not exist or is deleted.
	Expect *Hash
	// Event and Leaf are the event that a Record adds, and its entry.
	Event EventKind
	Leaf  string
	// Gone are the hashes of a version whose content was evicted elsewhere. The Put keeps
	// them and Size, which is -1 for a version that had no content.
	Gone *Hashes
	Size int64
	// Stat is the file's metadata when its content was read, nil when unknown.
	Stat *Stat
	// Line is the session line that contains the content of a Put, nil for none. A store
	// that has the line can keep the content as a part of it without reading the line
	// again.
	Line []byte
	// Lines are the SHA-256 of the session lines of which a chat consists, in order, nil when
	// unknown: its document and content are what package chat composes of them. A store that
	// has the lines can keep references to them instead.
	Lines [][sha256.Size]byte
	// Once makes a Put do nothing when the object already has a version, and a Record when
	// the session already has an event of the object, so that two processes that do the
	// same concurrently do it once.
	Once bool
}

// Stat is the metadata of a file. While it is unchanged the file is not read again.
type Stat struct {
	Size    int64
	ModTime int64 // Unix nanoseconds
	Inode   uint64
	Device  uint64
}

// Receipt is the result of a transaction.
type Receipt struct {
	Tx int64
	At Time
	// Repeated is set when the Request was done before, so nothing was done now.
	Repeated bool
	// Results are those of the ops, in order.
	Results []Result
}

// Result is the result of an op.
type Result struct {
	ID string
	// Version is the number of the version now in force, 0 without one.
	Version int
	// Changed is false for a Put that changed nothing.
	Changed bool
	Hashes  Hashes
}

// Corrections says whether a history includes versions that were corrected later.
type Corrections bool

// Reference is a reference from one object to another.
type Reference struct {
	From string
	// Field is the member that holds it: chat_ref, toolcall_refs, file_refs, session_ref,
	// system_prompt_refs or parent_refs.
	Field string
	To    string
	// Ref is set for a reference to a specific version.
	Ref *Ref
	// Resolved is set when the referenced object exists.
	Resolved bool
}

// Store is a database of objects, composed of the ports through which it is used. A caller
// should ask for the port that it needs.
type Store struct {
	Writer
	Finder
	Versions
	Journal
}

// Writer changes objects.
type Writer interface {
	// Submit makes changes atomically. Its time is later than that of every earlier
	// transaction, even if the clock was set back.
	Submit(ctx context.Context, tx Tx) (Receipt, error)
}

// Finder finds objects.
type Finder interface {
	// Resolve finds an object by nickname, id or a prefix of the id. The errors are
	// ErrUnknown and *AmbiguousError.
	Resolve(ctx context.Context, name string) (Object, error)
	// ByKey finds an object by its key, else ErrUnknown.
	ByKey(ctx context.Context, k Key) (Object, error)
	// FindObjects returns the versions that match a query at its point in time.
	FindObjects(ctx context.Context, q Query) ([]Version, error)
	// Holding returns the objects whose version in force has this content, or had it when
	// they were deleted, to recognize a file that was moved.
	Holding(ctx context.Context, content []byte) ([]Object, error)
}

// Versions reads the versions of an object.
type Versions interface {
	// Get returns the version at a point in time. The errors are ErrUnknown, and ErrNotYet
	// when the object had none then. For a deleted object it returns the tombstone.
	Get(ctx context.Context, id string, at At) (*Version, error)
	// Content returns the content of a version, nil without any; ErrEvicted if it was
	// evicted.
	Content(ctx context.Context, v *Version) ([]byte, error)
	// StatOf returns a file's metadata when it was last read, nil when unknown.
	StatOf(ctx context.Context, id string) (*Stat, error)
}

// Journal reads the events of objects.
type Journal interface {
	// Events returns the events of a session, in order.
	Events(ctx context.Context, session string) ([]Event, error)
	// StateEvents returns, in order, the events of a session by which the model and people
	// changed the states of objects.
	StateEvents(ctx context.Context, session string) ([]Event, error)
	// Named returns a function that lists, by the id of a call, the files that the call's
	// result named, in their present versions and without deleted ones.
	Named(ctx context.Context, session string) (func(call string) []Version, error)
}

// The errors of stores.
var (
	// ErrUnknown is returned for an object that does not exist.
	ErrUnknown = errors.New("there is no such object")
	// ErrNotYet is returned for a time before the object was known.
	ErrNotYet = errors.New("it was not known yet")
	// ErrEvicted is returned for content that was evicted.
	ErrEvicted = errors.New("its content was evicted")
	// ErrConflict is returned when a Match fails.
	ErrConflict = errors.New("it was changed meanwhile")
	// ErrNickname is returned for a nickname that is taken or invalid.
	ErrNickname = errors.New("the nickname cannot be given")
	// ErrLocked is returned for an attempt to deactivate a locked object.
	ErrLocked = errors.New("it is locked: it is always in the context")
)

// AmbiguousError is returned for a prefix that several ids share.
type AmbiguousError struct {
	Name       string
	Candidates []string
}

// Error lists the candidates.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%s is ambiguous: %s", e.Name, strings.Join(e.Candidates, ", "))
}

// Part returns the lines of a file that a version has, nil when it has all.
func (v *Version) Part() *Lines {
	if v.Doc.File == nil || v.Doc.Deleted {
		return nil
	}
	return v.Doc.File.Lines
}

// OlderThan reports whether a file with this modification time, in Unix nanoseconds,
// changed after the version became true. It compares milliseconds, the resolution of
// session clocks.
func (v *Version) OlderThan(modTime int64) bool {
	return modTime/1_000_000 > int64(v.Valid.From)/1000
}

// Missing is why a version has no content to show, "" when it has.
type Missing string

// The reasons for which a version has no content.
const (
	MissingDeleted Missing = "deleted"
	MissingEvicted Missing = "evicted"
	// MissingUnread is a file that is not text, or was named and never read.
	MissingUnread Missing = "unread"
	MissingText   Missing = "not text"
)

// Missing returns why the version has no content, "" when it has.
func (v *Version) Missing() Missing {
	switch {
	case v.Doc.Deleted:
		return MissingDeleted
	case v.Evicted:
		return MissingEvicted
	case v.Size >= 0:
		return ""
	case v.Doc.Kind == KindFile:
		return MissingUnread
	}
	return MissingText
}

// Masked returns a store that masks what enters it: contents, paths of files and ids of
// calls. Queries are masked alike, so that they find what was stored. A nil mask masks
// nothing.
func Masked(st Store, mask func(string) string) Store {
	if mask == nil {
		return st
	}
	m := masked{st, mask}
	st.Writer, st.Finder = m, m
	return st
}

type masked struct {
	Store
	mask func(string) string
}

// Submit implements Writer.
func (m masked) Submit(ctx context.Context, tx Tx) (Receipt, error) {
	ops := make([]Op, len(tx.Ops))
	for i, op := range tx.Ops {
		op.Key = m.key(op.Key)
		if op.Doc != nil {
			d := m.document(*op.Doc)
			if !bytes.Equal(d.Content, op.Doc.Content) {
				op.Lines = nil
			}
			op.Doc = &d
		}
		ops[i] = op
	}
	tx.Ops, tx.Reason = ops, m.mask(tx.Reason)
	return m.Store.Submit(ctx, tx)
}

// document masks what does not come from session lines, which are masked when they are
// read.
func (m masked) document(d Document) Document {
	if d.Content != nil {
		d.Content = append([]byte{}, m.mask(string(d.Content))...)
	}
	if d.File != nil {
		f := *d.File
		f.Path, d.File = m.mask(f.Path), &f
	}
	return d
}

// key masks the last part of a key. The session and entry of a call are kept, because they
// connect the object with them.
func (m masked) key(k Key) Key {
	if len(k.parts) < 2 {
		return k
	}
	last := len(k.parts) - 1
	parts := append([]string(nil), k.parts...)
	parts[last] = m.mask(parts[last])
	return Key{k.Kind, parts}
}

// ByKey implements Finder.
func (m masked) ByKey(ctx context.Context, k Key) (Object, error) {
	return m.Store.ByKey(ctx, m.key(k))
}

// Holding implements Finder.
func (m masked) Holding(ctx context.Context, content []byte) ([]Object, error) {
	return m.Store.Holding(ctx, []byte(m.mask(string(content))))
}
