package summary

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/token"
)

// Kind says who wrote a summary.
type Kind string

// The kinds of summaries.
const (
	// Model is written by a model.
	Model Kind = "model"
	// Extract is put together from lines of the source, because no model replied.
	// A later run replaces it.
	Extract Kind = "extract"
)

// Node is a summary.
type Node struct {
	// Key identifies the node: KeyPrefix and hexadecimal digits of a hash of its
	// sources. It is the id that people and models use.
	Key string
	// Session is the session that it was made in. Forks use it, too.
	Session string
	// Depth is 0 for a leaf.
	Depth int
	Kind  Kind
	// Sources are the ids of the entries that a leaf was made from, or the keys of the
	// nodes that another node was made from, in order.
	Sources []string
	// Hash is the hash of the sources, see rangeHash. A node that was adopted from
	// another program has none, and its sources are taken to be unchanged.
	Hash string
	// First and Last are the first and last entry that it covers, Entries counts the
	// messages from one to the other.
	First, Last string
	Entries     int
	// From and To are when First and Last were written, in Unix milliseconds.
	From, To int64
	Text     string
	Tokens   token.Count
	// Input is the size of the node's sources.
	Input token.Count
	// Name names the model as provider/id, or the program; "" for an extract.
	Name string
	// Prompt is the version of the prompts.
	Prompt int
	// Created is in Unix milliseconds.
	Created int64
	// Lines are the hashes of the lines of all entries that it covers, of a node that was
	// just made: a store refuses it when one of them was erased meanwhile, and does not keep
	// them.
	Lines [][sha256.Size]byte
}

// KeyPrefix begins the key of every node, and no entry's id.
const KeyPrefix = "s-"

// keyDigits is how many hexadecimal digits a key has.
const keyDigits = 12

// promptVersion changes when the prompts do.
const promptVersion = 1

// keyOf derives a key.
func keyOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return KeyPrefix + hex.EncodeToString(sum[:])[:keyDigits]
}

// LooksLikeKey reports whether a text is a key or a prefix of one.
func LooksLikeKey(s string) bool {
	digits, ok := strings.CutPrefix(s, KeyPrefix)
	if !ok || digits == "" || len(digits) > keyDigits {
		return false
	}
	return strings.Trim(digits, "0123456789abcdef") == ""
}

// Lease is the right to summarise a session. Every holder has another token; a former
// holder can store nothing.
type Lease struct {
	Session string
	Token   int64
	// For is how long it lasts after it was last renewed. 0 is the store's default, which
	// suits a holder that renews it in each round of requests.
	For time.Duration
}

var (
	// ErrLeased is returned when another process is summarising the session.
	ErrLeased = errors.New("the session is being compacted by another process")
	// ErrFenced is returned to a holder whose lease another process has taken.
	ErrFenced = errors.New("another process took over the compaction of the session")
	// ErrErased is returned for a summary of something that was purged or redacted while it
	// was being written.
	ErrErased = errors.New("something that it summarises was purged or redacted meanwhile")
	// ErrNotFound is returned for a key that no summary has.
	ErrNotFound = errors.New("no summary has this id")
)

// AmbiguousError is returned for a prefix that several keys share.
type AmbiguousError struct {
	Prefix string
	Keys   []string
}

// Error lists the keys.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%d summaries have an id that begins with %s: %s", len(e.Keys), e.Prefix, strings.Join(e.Keys, ", "))
}

// Reader reads summaries and the entries they were made from.
type Reader interface {
	// Summaries returns the nodes of a session, and those of other sessions that begin
	// at an entry of this one, in the order they were made.
	Summaries(ctx context.Context, session string) ([]Node, error)
	// Summary returns the only node whose key begins with prefix, else ErrNotFound or
	// an AmbiguousError.
	Summary(ctx context.Context, prefix string) (*Node, error)
	// SummaryParents returns the nodes that were made from a node.
	SummaryParents(ctx context.Context, key string) ([]Node, error)
	// EntryLine returns the line of an entry as it was last written: the session's when
	// it has an entry with this id, else that of any session. The error is
	// history.ErrNotFound when there is no such entry.
	EntryLine(ctx context.Context, session, entry string) ([]byte, error)
	// Lines calls fn with the lines of a session in the order they were written.
	// A line is valid until fn returns.
	Lines(ctx context.Context, session string, fn func(raw []byte) error) error
}

// Store is what a Job needs: it stores summaries for the process that holds the lease of
// their session.
type Store interface {
	// Summaries is that of Reader.
	Summaries(ctx context.Context, session string) ([]Node, error)
	// PutSummary stores a node with its sources in one transaction, if the caller still
	// holds the lease, and renews the lease. A node that has the key already stays. It is
	// ErrErased when a line of the node, or a node it was made from, is gone.
	PutSummary(ctx context.Context, l Lease, n *Node) error
	// Lease grants the right to summarise a session: ErrLeased while another process
	// has it, unless take is set. It expires when it is not renewed within lasts, see
	// Lease.For, or when the process that holds it is known to have ended.
	Lease(ctx context.Context, session string, lasts time.Duration, take bool) (Lease, error)
	// Renew extends a lease: ErrFenced when another process has taken it.
	Renew(ctx context.Context, l Lease) error
	// Release ends a lease.
	Release(ctx context.Context, l Lease) error
}

// Stats are the figures of a session and of the store it is in.
type Stats struct {
	Messages  int // of the session
	Summaries int
	Depth     int   // of the deepest one
	Extracts  int   // that a model is still to write
	Bytes     int64 // of the database
}

// Counter counts the messages and summaries that a store has of a session.
type Counter interface {
	// SummaryStats counts the messages and summaries of a session.
	SummaryStats(ctx context.Context, session string) (Stats, error)
	// SummariesAsked lists the requests whose answers are summaries made in a session.
	SummariesAsked(ctx context.Context, session string) ([]Asked, error)
}

// Asked is a request that a model answered with a summary, by the sizes of both.
type Asked struct {
	At            int64 // when the answer was stored, in Unix milliseconds
	Input, Output token.Count
}

// Instructions is about the size of what a request for a summary says besides its source.
const Instructions token.Count = 360
