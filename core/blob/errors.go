package blob

import (
	"errors"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// ErrNotFound is returned for an id that no blob has. GoneError and DamagedError wrap it.
var ErrNotFound = errors.New("no blob has this id")

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

// GoneError is returned for a blob that was removed.
type GoneError struct{ Tombstone }

// Error says when and why.
func (e *GoneError) Error() string {
	return fmt.Sprintf("blob %s was removed on %s: %s", ShortID(e.ID), e.Time.UTC().Format(text.ZonedForm), e.Why)
}

// Unwrap returns ErrNotFound.
func (e *GoneError) Unwrap() error { return ErrNotFound }

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
