package object

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Object is what is the same in all versions of an object.
type Object struct {
	ID string
	// Key is the one of the object now.
	Key Key
	// Nickname is the one it has now, "" for none.
	Nickname string
	// Versions is how many versions it has.
	Versions int
	// Evicted is the transaction that took its content away, 0 for none.
	Evicted int64
}

// Version is one version of an object, true in an interval and known in another.
type Version struct {
	ID string
	// Number counts the versions of the object, from 1, in the order in which they
	// were written.
	Number int
	// Valid is when it is true, and Known when that was known: to Forever, when it
	// still is.
	Valid, Known Interval
	// Tx is the transaction that wrote it.
	Tx     int64
	Hashes Hashes
	// Doc is what it says, but for its content, which Store.Content reads.
	Doc Document
	// Size is the number of bytes of the content, -1 for none.
	Size int64
	// Evicted is set when the content was taken away; its hash stays.
	Evicted bool
	// Key is the one of the object now.
	Key Key
}

// Tx is a set of changes that are made all or not at all.
type Tx struct {
	Actor   Actor
	Session string // in which it happens, "" for none
	Reason  string
	// Request is an id that makes a transaction be done once however often it is
	// handed in, "" for none.
	Request string
	Ops     []Op
}

// OpKind is what an Op does.
type OpKind string

// Kind ops do.
const (
	// Put writes a version.
	Put OpKind = "put"
	// Delete says that the object is gone for a time. Its history stays.
	Delete OpKind = "delete"
	// Match fails the transaction unless the object is as expected.
	Match OpKind = "match"
	// Evict takes the content of all versions away; the hashes stay.
	Evict OpKind = "evict"
	// Name gives the object a nickname, or takes it away: a version with the same
	// content.
	Name OpKind = "name"
	// Record adds an event to the transaction's session.
	Record OpKind = "tell"
)

// Op is one change. The object is named by ID, or by Key when it may be new: an op
// with both gives the object another key, as that of a renamed file, or, when a Put
// has an ID that there is not, makes an object that has it.
type Op struct {
	Do  OpKind
	ID  string
	Key Key
	// Doc is the document of a Put. Without a nickname it keeps the one the object has.
	Doc *Document
	// Nickname is what a Name gives, "" to take it away.
	Nickname string
	// Valid is when a Put or a Delete is true.
	Valid Interval
	// Expect is the object hash that a Match expects now; nil expects that there is no
	// such object, or that it is deleted.
	Expect *Hash
	// Event and Leaf are what a Record adds.
	Event EventKind
	Leaf  string
	// Gone are the hashes of a version whose content is known to be evicted: that is put
	// as it was, with Size, which is -1 for a version that had none.
	Gone *Hashes
	Size int64
	// Stat is how the file looked when its content was read, nil when that is not
	// known.
	Stat *Stat
	// Once is set on a Put that does nothing when the object has a version, and on a
	// Record that does nothing when the session has an event of the object: processes that
	// do the same at one time do it once.
	Once bool
}

// Stat is how a file looks from outside. When it looks the same it is not read again.
type Stat struct {
	Size    int64
	ModTime int64 // Unix nanoseconds
	Inode   uint64
	Device  uint64
}

// Receipt is what a transaction did.
type Receipt struct {
	Tx int64
	At Time
	// Repeated is set when its Request was done before: nothing was done now.
	Repeated bool
	// Results are those of the ops, in their order.
	Results []Result
}

// Result is what an op did.
type Result struct {
	ID string
	// Version is the number of the version that is in force now, 0 for none.
	Version int
	// Changed is false for a Put of what is there already.
	Changed bool
	Hashes  Hashes
}

// Corrections reports whether a history shows what was overwritten.
type Corrections bool

// Reference is that an object refers to another.
type Reference struct {
	From string
	// Field is where: chat_ref, toolcall_refs, file_refs, session_ref,
	// system_prompt_refs or parent_refs.
	Field string
	To    string
	// Ref is set for a reference to one version.
	Ref *Ref
	// Resolved reports whether the object referred to is there.
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
	// transaction, whatever the clock says.
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
	// when they were deleted: by it a file that was moved is recognised.
	Holding(ctx context.Context, content []byte) ([]Object, error)
}

// Versions reads the versions of an object.
type Versions interface {
	// Get returns the version at a point in time: ErrUnknown, or ErrNotYet when there
	// was none then. Of a deleted object that is its tombstone.
	Get(ctx context.Context, id string, at At) (*Version, error)
	// Content returns the content of a version, nil for none: ErrEvicted.
	Content(ctx context.Context, v *Version) ([]byte, error)
	// History returns the versions of an object by when they are true, the first
	// first, with those that were corrected since if that is asked for.
	History(ctx context.Context, id string, c Corrections) ([]Version, error)
	// StatOf returns how a file looked when it was read last, nil when that is unknown.
	StatOf(ctx context.Context, id string) (*Stat, error)
}

// Journal reads what happened to objects.
type Journal interface {
	// Events returns what happened in a session, in order.
	Events(ctx context.Context, session string) ([]Event, error)
	// Said returns the events of a session by which the model and people activated,
	// deactivated or otherwise spoke of objects, in order.
	Said(ctx context.Context, session string) ([]Event, error)
	// Named returns a function that returns the files which the result of a call of a
	// session named, by the id of the call, as they are now, without deleted ones.
	Named(ctx context.Context, session string) (func(call string) []Version, error)
	// References returns what an object refers to, and what refers to it.
	References(ctx context.Context, id string) (from, to []Reference, err error)
}

// The errors of stores.
var (
	// ErrUnknown is returned for an object that there is not.
	ErrUnknown = errors.New("there is no such object")
	// ErrNotYet is returned for a time at which an object was not known yet.
	ErrNotYet = errors.New("it was not known yet")
	// ErrEvicted is returned for a content that was taken away.
	ErrEvicted = errors.New("its content was evicted")
	// ErrConflict is returned when a Match fails.
	ErrConflict = errors.New("it was changed meanwhile")
	// ErrNickname is returned for a nickname that another object has, or that is none.
	ErrNickname = errors.New("the nickname cannot be given")
	// ErrLocked is returned when a locked object should be deactivated.
	ErrLocked = errors.New("it is locked: it is always in the context")
)

// AmbiguousError is returned for the beginning of several ids.
type AmbiguousError struct {
	Name       string
	Candidates []string
}

// Error lists the candidates.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%s is ambiguous: %s", e.Name, strings.Join(e.Candidates, ", "))
}

// Part returns the lines of a file that a version has, nil when it has all of it.
func (v *Version) Part() *Lines {
	if v.Doc.File == nil || v.Doc.Deleted {
		return nil
	}
	return v.Doc.File.Lines
}

// OlderThan reports whether a file with this time of change, in Unix nanoseconds, was
// changed after the version became true. The clock of a session has milliseconds.
func (v *Version) OlderThan(modTime int64) bool {
	return modTime/1_000_000 > int64(v.Valid.From)/1000
}
