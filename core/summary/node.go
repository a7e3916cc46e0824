package summary

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/token"
)

// Kind is how a summary was written.
type Kind string

// The kinds of summaries.
const (
	// Model summaries were written by a model.
	Model Kind = "model"
	// Extract summaries consist of lines of the source, because no model replied. A later
	// run replaces them.
	Extract Kind = "extract"
)

// Node is a summary.
type Node struct {
	// Key is KeyPrefix and hexadecimal digits of a hash of the sources. People and models
	// use it as the node's id.
	Key string
	// Session is the session in which it was made. Forks use it too.
	Session string
	// Depth is 0 for a leaf.
	Depth int
	Kind  Kind
	// Sources are, in order, the ids of the entries that a leaf was made from, or the keys
	// of the nodes that another node was made from.
	Sources []string
	// Hash is the hash of the sources: see rangeHash. A node adopted from another program
	// has none; its sources are assumed to be unchanged.
	Hash string
	// First and Last are the first and last entry that it covers, Entries the number of
	// messages in that range.
	First, Last string
	Entries     int
	// From and To are the times of First and Last, in Unix milliseconds.
	From, To int64
	Text     string
	Tokens   token.Count
	// Input is the size of the node's sources.
	Input token.Count
	// Name is the model as provider/id, or the program; "" for an extract.
	Name string
	// Prompt is the version of the prompts.
	Prompt int
	// Created is in Unix milliseconds.
	Created int64
	// Lines are the hashes of the lines of all covered entries. They are set only in a new
	// node: a store checks that none of them was erased meanwhile, and does not keep them.
	Lines [][sha256.Size]byte
}

// KeyPrefix begins the key of every node, and no entry's id.
const KeyPrefix = "s-"

// keyDigits is how many hexadecimal digits a key has.
const keyDigits = 12

// promptVersion must change when the prompts do.
const promptVersion = 1

// keyOf derives a key from parts.
func keyOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return KeyPrefix + hex.EncodeToString(sum[:])[:keyDigits]
}

// LooksLikeKey reports whether a text is a key or a prefix of one: s-3f9a2c.
func LooksLikeKey(s string) bool { return KeyIn(s) == s && s != "" }

// KeyIn finds the key of a summary, or a prefix of one, in a text that contains it, such as
// the id that a model passes; "" without one.
func KeyIn(s string) string {
	m := regexp.MustCompile(`(?:^|[^-0-9a-z])(s-[0-9a-f]{1,12})(?:$|[^-0-9a-z])`).FindStringSubmatch(s)
	if m == nil {
		return ""
	}
	return m[1]
}

// Lease is the right to summarize a session. Every holder has another token; a former
// holder can no longer store anything.
type Lease struct {
	Session string
	Token   int64
}

// LeaseTime is how long a lease lasts after it was renewed: a run that was killed does not
// block others for longer.
const LeaseTime = 10 * time.Second

var (
	// ErrLeased is returned while another process is summarizing the session.
	ErrLeased = errors.New("the session is being compacted by another process")
	// ErrFenced is returned to a holder whose lease another process has taken.
	ErrFenced = errors.New("another process took over the compaction of the session")
	// ErrErased is returned for a summary of a source that was purged or redacted while the
	// summary was being written.
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
	// Summaries returns the nodes of a session, and those of other sessions that begin at
	// an entry of this one, in the order of creation.
	Summaries(ctx context.Context, session string) ([]Node, error)
	// Summary returns the only node whose key begins with prefix, else ErrNotFound or an
	// AmbiguousError.
	Summary(ctx context.Context, prefix string) (*Node, error)
	// SummaryParents returns the nodes made from a node.
	SummaryParents(ctx context.Context, key string) ([]Node, error)
	// EntryLine returns the latest line of an entry: the session's own if it has an entry
	// with this id, else that of any session. The error is history.ErrNotFound when there
	// is none.
	EntryLine(ctx context.Context, session, entry string) ([]byte, error)
	// Lines calls fn with the lines of a session in the order they were written. A line is
	// valid until fn returns.
	Lines(ctx context.Context, session string, fn func(raw []byte) error) error
}

// Store is what a Job needs of a database. It stores summaries only for the process that
// holds the lease of their session.
type Store interface {
	// Summaries is that of Reader.
	Summaries(ctx context.Context, session string) ([]Node, error)
	// PutSummary stores a node with its sources in one transaction, if the caller still
	// holds the lease, which it renews. A node that already has the key stays. It returns
	// ErrErased when a line of the node, or a node it was made from, is gone.
	PutSummary(ctx context.Context, l Lease, n *Node) error
	// Lease grants the right to summarize a session. It returns ErrLeased while another
	// process has it, unless take is set.
	Lease(ctx context.Context, session string, take bool) (Lease, error)
	// Renew extends a lease, or returns ErrFenced when another process has taken it.
	Renew(ctx context.Context, l Lease) error
	// Release ends a lease.
	Release(ctx context.Context, l Lease) error
}

// Counter counts what is stored of a session.
type Counter interface {
	// SummariesAsked returns the nodes of a session that pictx asked a model for since a time
	// in Unix milliseconds.
	SummariesAsked(ctx context.Context, session string, since int64) ([]Node, error)
	// SummaryStats counts the messages of a session and the bytes of the database.
	SummaryStats(ctx context.Context, session string) (messages int, size int64, err error)
}

// Instructions is the approximate size of a request for a summary without its source.
const Instructions token.Count = 360
