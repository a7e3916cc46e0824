package blob

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNotFound is returned for an id that no blob has. DamagedError wraps it.
var ErrNotFound = errors.New("no blob has this id: it was deleted, or never kept")

// ErrID is returned for a text that cannot be an id.
var ErrID = errors.New("want 8 to 64 of the digits 0-9 and a-f")

// Short is how many digits of an id are shown.
const Short = 12

// ShortID returns the prefix of an id that is shown.
func ShortID(id string) string { return id[:min(Short, len(id))] }

// AmbiguousError is returned for a prefix that several ids share.
type AmbiguousError struct {
	Prefix string
	IDs    []string
}

// Error lists the candidates.
func (e *AmbiguousError) Error() string {
	const most = 8
	ids := e.IDs
	if len(ids) > most {
		ids = append(append([]string{}, ids[:most]...), "…")
	}
	return fmt.Sprintf("id %s is ambiguous: %s", e.Prefix, strings.Join(ids, ", "))
}

// DamagedError is returned for a blob whose file does not contain its text.
type DamagedError struct {
	ID   string
	Path string // of the file
	err  error
}

// Error names the file.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("blob %s is damaged: %s: %v", ShortID(e.ID), e.Path, e.err)
}

// Unwrap returns ErrNotFound: a damaged text is missing.
func (e *DamagedError) Unwrap() error { return ErrNotFound }
