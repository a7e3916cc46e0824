package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp/syntax"
	"strings"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/sqlite"
)

// The exit codes of every command.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitPartly      = 4
	exitRefused     = 5
	exitNoProject   = 10
	exitBusy        = 11
	exitDamaged     = 12
	exitInterrupted = 130
)

// exitMeanings says what a code means, in the order they are listed.
func exitMeanings() []exitMeaning {
	return []exitMeaning{
		{exitOK, "done"},
		{exitFailed, "it failed, or a check found something"},
		{exitUsage, "wrong usage, bad configuration, ambiguous id"},
		{exitNotFound, "nothing was found, or the id is unknown"},
		{exitPartly, "partly done: some items were left out"},
		{exitRefused, "refused: disabled, not confirmed, or not for an agent"},
		{exitNoProject, "there is no store yet"},
		{exitBusy, "the store is in use by another process"},
		{exitDamaged, "the store is damaged, or of another version"},
		{exitInterrupted, "interrupted"},
	}
}

type exitMeaning struct {
	Code int
	Text string
}

// exitError is an error with what the user needs beside its text. err may be
// nil when everything was said already.
type exitError struct {
	code int
	err  error
	hint string
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError is a mistake in the command line.
func usageError(hint, format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...), hint}
}

// withHint adds a command that helps to an error, and a code.
func withHint(code int, hint string, err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code, err, hint}
}

// silent ends a command with a code when everything was said already.
func silent(code int) error { return &exitError{code: code} }

// verdict turns an error into the code and the hint that belong to it. This is
// the only place that knows which error means which code.
func verdict(err error) (int, string) {
	var ee *exitError
	if errors.As(err, &ee) {
		return ee.code, ee.hint
	}
	if code, hint, ok := decisionVerdict(err); ok {
		return code, hint
	}
	if code, hint, ok := objectVerdict(err); ok {
		return code, hint
	}
	var ambiguous *history.AmbiguousError
	var hinted interface{ Hint() string }
	switch {
	case errors.Is(err, context.Canceled):
		return exitInterrupted, ""
	case errors.Is(err, sqlite.ErrNoStore):
		return exitNoProject, "pictx import"
	case errors.Is(err, sqlite.ErrBusy):
		return exitBusy, "try again when the other process is done"
	case errors.Is(err, sqlite.ErrNewer):
		return exitDamaged, "update pictx"
	case errors.Is(err, sqlite.ErrOlder):
		return exitDamaged, "pictx store migrate"
	case errors.Is(err, sqlite.ErrDamaged):
		return exitDamaged, "pictx doctor"
	case errors.As(err, new(*blob.AmbiguousError)), errors.Is(err, blob.ErrID):
		return exitUsage, "pictx blobs list"
	case errors.As(err, new(*blob.DamagedError)):
		return exitNotFound, "pictx blobs verify"
	case errors.As(err, new(*blob.GoneError)):
		return exitNotFound, "call the tool again that gave it"
	case errors.Is(err, blob.ErrNotFound):
		return exitNotFound, "pictx blobs list"
	case errors.Is(err, summary.ErrNotFound):
		return exitNotFound, "pictx tree shows ids"
	case errors.As(err, new(*summary.AmbiguousError)):
		return exitUsage, "give more of the id"
	case errors.Is(err, summary.ErrLeased), errors.Is(err, summary.ErrFenced):
		return exitBusy, "try again when the other process is done; when it was killed on another machine, in three minutes"
	case errors.Is(err, history.ErrNotFound):
		return exitNotFound, "pictx grep WORDS shows ids"
	case errors.Is(err, history.ErrEmptyQuery):
		return exitUsage, "pictx grep WORDS"
	case errors.As(err, new(*syntax.Error)):
		return exitUsage, "pictx grep WORDS takes every character as it is"
	case errors.Is(err, jsonl.ErrNoSession):
		return exitFailed, ""
	case errors.As(err, &ambiguous):
		return exitUsage, "give more of the id, or --session ID"
	case errors.As(err, new(*config.UnknownKeyError)), errors.As(err, new(*config.ValueError)),
		errors.As(err, new(*config.EditError)):
		errors.As(err, &hinted)
		return exitUsage, hinted.Hint()
	}
	return exitFailed, ""
}

// reportError prints an error and returns its exit code.
func reportError(w io.Writer, err error, asJSON bool) int {
	code, hint := verdict(err)
	said := strings.TrimSpace(err.Error())
	switch {
	case said == "" || code == exitInterrupted && errors.Is(err, context.Canceled):
	case asJSON:
		type body struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
			Hint    string `json:"hint,omitempty"`
		}
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		// Where errors go nobody can be told that writing one failed.
		_ = enc.Encode(map[string]body{"error": {code, said, hint}})
	default:
		fmt.Fprintf(w, "pictx: %s\n", text.Printable(said))
		if hint != "" {
			fmt.Fprintf(w, "hint: %s\n", text.Printable(hint))
		}
	}
	return code
}
