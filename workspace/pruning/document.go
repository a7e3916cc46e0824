package pruning

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/token"
)

// Document is an input whose context can be pruned: a session, or a list of messages.
type Document interface {
	// Plan plans the next request, sent idle after the last one, at the given prices. It
	// also returns the number of messages.
	Plan(ctx context.Context, c prune.Choice, idle time.Duration, prices token.Prices) (policy.Plan, int, error)
	// Text returns the content of a message as readable text.
	Text(index int) (string, error)
	// Apply writes the whole input with the edits applied.
	Apply(w io.Writer, edits []policy.Edit) error
	// ID returns the ids of the session and its leaf, "" for a list of messages.
	ID() (session, leaf string)
	// Is reports whether the input was read from the file at path.
	Is(path string) bool
	// Release closes the input, and deletes its temporary file.
	Release() error
}

// ErrNotSession is returned for a file that is not a session of pi.
var ErrNotSession = errors.New("it is not a session file")

// Read reads a list of messages, an event of pi, or a session.
func Read(sources history.Source, r *bufio.Reader, name, leaf string) (Document, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, exit.UsageError("for ids: pictx sessions", "read %s: it is empty", name)
	}
	if doc, err := sessionFromBytes(sources, data, leaf); err == nil {
		return doc, nil
	} else if !errors.Is(err, ErrNotSession) {
		return nil, err
	}
	var p message.Parser
	list := message.Span{End: len(data)}
	if text := strings.TrimLeft(string(data[:min(len(data), 512)]), " \t\r\n"); strings.HasPrefix(text, "{") {
		if list, err = p.Member(data, "messages"); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if list.End == 0 {
			return nil, fmt.Errorf("read %s: the event has no messages", name)
		}
	}
	return newListDocument(data, list, name)
}

// nextCall returns the time of a request sent idle after the last message. It is 0 if that
// has no time.
func nextCall(last int64, idle time.Duration) int64 {
	if last == 0 {
		return 0
	}
	return last + idle.Milliseconds()
}
