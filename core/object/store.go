package object

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Object holds the properties that all versions of an object share.
type Object struct {
	ID string
	// Key is the one of the object now.
	Key Key
	// Nickname is its nickname now, "" when it has none.
	Nickname string
	// Versions is how many versions it has.
	Versions int
	// Evicted is the transaction that evicted its content, 0 when none did.
	Evicted int64
}

// Version is one version of an object: true in one interval, known in another.
type Version struct {
	ID string
	// Number counts the versions of the object, from 1, in the order in which they
	// were written.
	Number int
	// Valid is when it is true, and Known when that was known; an interval that has not
	// ended goes to Forever.
	Valid, Known Interval
	// Tx is the transaction that wrote it.
	Tx     int64
	Hashes Hashes
	// Doc is its document without the content, which Store.Content reads.
	Doc Document
	// Size is the number of bytes of the content, -1 when there is none.
	Size int64
	// Evicted is set when the content was evicted; its hash stays.
	Evicted bool
	// Key is the one of the object now.
	Key Key
}

// Tx is a set of changes that are made all or none.
type Tx struct {
	Actor   Actor
	Session string // in which it happens, "" when in none
	Reason  string
	// Request is an id by which a transaction is done once, however often it is
	// submitted; "" when it may be repeated.
	Request string
	Ops     []Op
}

// OpKind is the kind of an Op.
type OpKind string

// The kinds of operations.
const (
	// Put writes a version.
	Put OpKind = "put"
	// Delete says that the object is gone in an interval. Its history stays.
	Delete OpKind = "delete"
	// Match makes the transaction fail unless the object is as expected.
	Match OpKind = "match"
	// Evict removes the content of all versions; the hashes stay.
	Evict OpKind = "evict"
	// Name sets or clears the nickname of the object, by a version with the same
	// content.
	Name OpKind = "name"
	// Record adds an event to the transaction's session.
	Record OpKind = "tell"
)

// Op is one change. ID names the object, or Key does when it may be new. An op with
// both gives the object another key, as for a renamed file; a Put with an unknown ID
// makes an object with that id.
type Op struct {
	Do  OpKind
	ID  string
	Key Key
	// Doc is the document of a Put. Without a nickname in it the object keeps its own.
	Doc *Document
	// Nickname is the nickname that a Name sets, "" to clear it.
	Nickname string
	// Valid is when a Put or a Delete is true.
	Valid Interval
	// Expect is the object hash that a Match expects now; nil expects that the object
	// does not exist, or is deleted.
	Expect *Hash
	// Event and Leaf are the event that a Record adds, and its place.
	Event EventKind
	Leaf  string
	// Gone are the hashes of a version whose content was evicted elsewhere: the Put
	// keeps them, and Size, which is -1 for a version that had no content.
	Gone *Hashes
	Size int64
	// Stat is how the file looked when its content was read, nil when unknown.
	Stat *Stat
	// Line is the line of a session from which a Put has its content, nil for none: a store
	// that has the line need not read it again to keep the content as a part of it.
	Line []byte
	// Once makes a Put do nothing when the object has a version, and a Record when the
	// session has an event of the object, so that two processes that do the same at the
	// same time do it once.
	Once bool
}

// Stat is how a file looks from outside. A file that looks the same is not read again.
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
	// Repeated is set when its Request was done before, and nothing was done now.
	Repeated bool
	// Results are those of the ops, in their order.
	Results []Result
}

// Result is the result of an op.
type Result struct {
	ID string
	// Version is the number of the version in force now, 0 when there is none.
	Version int
	// Changed is false for a Put that changed nothing.
	Changed bool
	Hashes  Hashes
}

// Corrections says whether a history includes versions that were corrected since.
type Corrections bool

// Reference is a reference from one object to another.
type Reference struct {
	From string
	// Field is the field that holds it: chat_ref, toolcall_refs, file_refs, session_ref,
	// system_prompt_refs or parent_refs.
	Field string
	To    string
	// Ref is set for a reference to one version.
	Ref *Ref
	// Resolved is set when the object referred to exists.
	Resolved bool
}

// Store is a database of objects, as the ports through which it is used. A caller that
// needs one of them asks for that one.
type Store struct {
	Writer
	Finder
	Versions
	Journal
}

// Writer changes objects.
type Writer interface {
	// Submit makes changes, all or none. Its time is later than that of every earlier
	// transaction, even when the clock was set back.
	Submit(ctx context.Context, tx Tx) (Receipt, error)
}

// Finder finds objects.
type Finder interface {
	// Resolve finds the object that a nickname, an id or the beginning of one names:
	// ErrUnknown, or an *AmbiguousError.
	Resolve(ctx context.Context, name string) (Object, error)
	// ByKey finds an object by its key: ErrUnknown.
	ByKey(ctx context.Context, k Key) (Object, error)
	// FindObjects returns the versions at a point in time that match a query.
	FindObjects(ctx context.Context, q Query) ([]Version, error)
	// Holding returns the objects whose version in force has a content, or that had it
	// when they were deleted, so that a file that was moved is recognised.
	Holding(ctx context.Context, content []byte) ([]Object, error)
}

// Versions reads the versions of an object.
type Versions interface {
	// Get returns the version at a point in time: ErrUnknown, or ErrNotYet when there
	// was none then. For a deleted object it is the tombstone.
	Get(ctx context.Context, id string, at At) (*Version, error)
	// Content returns the content of a version, nil when it has none: ErrEvicted.
	Content(ctx context.Context, v *Version) ([]byte, error)
	// StatOf returns how a file looked when it was read last, nil when that is unknown.
	StatOf(ctx context.Context, id string) (*Stat, error)
}

// Journal reads what happened to objects.
type Journal interface {
	// Events returns what happened in a session, in order.
	Events(ctx context.Context, session string) ([]Event, error)
	// StateEvents returns the events of a session by which the model and people activated,
	// deactivated or otherwise spoke of objects, in order.
	StateEvents(ctx context.Context, session string) ([]Event, error)
	// Named returns a function that returns the files which the result of a call of a
	// session named, by the id of the call, as they are now, without deleted ones.
	Named(ctx context.Context, session string) (func(call string) []Version, error)
}

// The errors of stores.
var (
	// ErrUnknown is returned for an object that does not exist.
	ErrUnknown = errors.New("there is no such object")
	// ErrNotYet is returned for a time before an object was known.
	ErrNotYet = errors.New("it was not known yet")
	// ErrEvicted is returned for content that was evicted.
	ErrEvicted = errors.New("its content was evicted")
	// ErrConflict is returned when a Match fails.
	ErrConflict = errors.New("it was changed meanwhile")
	// ErrNickname is returned for a nickname that is taken or not allowed.
	ErrNickname = errors.New("the nickname cannot be given")
	// ErrLocked is returned when a locked object is to be deactivated.
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

// Part returns which lines of a file a version has, nil when it has all of them.
func (v *Version) Part() *Lines {
	if v.Doc.File == nil || v.Doc.Deleted {
		return nil
	}
	return v.Doc.File.Lines
}

// OlderThan reports whether a file with this modification time, in Unix nanoseconds,
// changed after the version became true. The clock of a session has milliseconds.
func (v *Version) OlderThan(modTime int64) bool {
	return modTime/1_000_000 > int64(v.Valid.From)/1000
}

// Missing is why a version has no content that could be shown, "" when it has one.
type Missing string

// The reasons for which a version has no content.
const (
	MissingDeleted Missing = "deleted"
	MissingEvicted Missing = "evicted"
	// MissingUnread is a file that is not text, or was seen and never read.
	MissingUnread Missing = "unread"
	MissingText   Missing = "not text"
)

// Missing returns why the version has no content.
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

// Masked is a store into which nothing comes that mask masks: no content, no path of a
// file, no id of a call. What is asked for is masked alike, so that it is found. A nil
// mask masks nothing.
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
			op.Doc = &d
		}
		ops[i] = op
	}
	tx.Ops, tx.Reason = ops, m.mask(tx.Reason)
	return m.Store.Submit(ctx, tx)
}

// document masks what a document has from elsewhere than a line of a session, which is
// masked as it is read.
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

// key masks a key. The session and the entry of a call stay, which tie it to them.
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
