package object

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Tx is a set of changes that are made atomically.
type Tx struct {
	Actor   Actor
	Session string // the session in which it happens, "" for none
	Reason  string
	Ops     []Op
}

// OpKind is the kind of an Op.
type OpKind string

// The kinds of operations.
const (
	// Put writes a version.
	Put OpKind = "put"
	// Delete marks the object as deleted. Its history stays.
	Delete OpKind = "delete"
	// Name sets or clears the nickname of the object.
	Name OpKind = "name"
	// Record adds an event to the transaction's session.
	Record OpKind = "tell"
)

// Op is one change. ID names the object, or Key does if it may be new. A Put with both
// changes the object's key, as for a renamed file.
type Op struct {
	Do  OpKind
	ID  string
	Key Key
	// Doc is the document of a Put.
	Doc *Document
	// Nickname is the nickname that a Name sets, "" to clear it.
	Nickname string
	// At is when a Put became known, 0 for the time of the transaction. It is earlier for what
	// was recorded before, or for a file with an older modification time.
	At Time
	// Event and Leaf are the event that a Record adds, and its entry.
	Event EventKind
	Leaf  string
	// Stat is the file's metadata when its content was read, nil when unknown.
	Stat *Stat
	// Once makes a Put do nothing when the object already has a version, and a Record when
	// the session already has an event of the object, so that two processes that do the
	// same concurrently do it once.
	Once bool
}

// Stat is the metadata of a file. While it is unchanged the file is not read again.
type Stat struct {
	Size    int64
	ModTime int64 // Unix nanoseconds
	Inode   int64
	Device  int64
}

// Receipt is the result of a transaction.
type Receipt struct {
	Tx int64
	At Time
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
}

// Store is a database of objects, composed of the ports through which it is used. A caller
// should ask for the port that it needs.
type Store struct {
	Writer
	Finder
	Versions
	Journal
	// Mask masks the texts that a Capture stores. It may be nil.
	Mask func(text string) string
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
	// Get returns the version in force at a time, 0 for now. The errors are ErrUnknown, and
	// ErrNotYet when the object had none then. For a deleted object it returns the tombstone.
	Get(ctx context.Context, id string, at Time) (*Version, error)
	// Content returns the content of a version, nil without any; ErrPurged if it was purged
	// or the entry that it names is not in the history.
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
	// Named returns the files that results of a session named, by the entry of the result, in
	// their present versions and without deleted ones.
	Named(ctx context.Context, session string) (map[string][]Version, error)
}

// The errors of stores.
var (
	// ErrUnknown is returned for an object that does not exist.
	ErrUnknown = errors.New("there is no such object")
	// ErrNotYet is returned for a time before the object was known.
	ErrNotYet = errors.New("it was not known yet")
	// ErrPurged is returned for content that was purged.
	ErrPurged = errors.New("its content was purged, or the history does not have its entry")
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
