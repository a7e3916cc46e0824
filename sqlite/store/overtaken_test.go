package store_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
)

// overtakenFile is a session file that another process rewrites and stores after its first
// read here, before that is stored.
type overtakenFile struct {
	pi.File
	read func()
}

func (f *overtakenFile) Open(from message.Position) (history.Lines, error) {
	lines, err := f.File.Open(from)
	return &overtakenLines{lines, f}, err
}

type overtakenLines struct {
	history.Lines
	file *overtakenFile
}

func (l *overtakenLines) Next() (message.Line, error) {
	line, err := l.Lines.Next()
	if done := l.file.read; errors.Is(err, io.EOF) && done != nil {
		l.file.read = nil
		done()
	}
	return line, err
}

// Otherwise a slow import would store what it read before the agent's rewrite as the latest
// state.
func TestWhatWasReadBeforeAnotherProcessStoredTheFileIsReadAgain(t *testing.T) {
	t.Parallel()
	for name, ingest := range map[string]func(context.Context, history.Store, history.File) error{
		"hook": func(ctx context.Context, st history.Store, f history.File) error {
			_, err := history.Ingest(ctx, st, f, history.Options{})
			return err
		},
		"import": func(ctx context.Context, st history.Store, f history.File) error {
			return history.IngestAll(ctx, st, []history.File{f}, history.Options{}, func(_ int, _ history.Report, err error) {
				if err != nil {
					t.Error(err)
				}
			})
		},
	} {
		path := filepath.Join(t.TempDir(), "x.db")
		slow, other := storetest.Open(t, path, sqlite.Write), storetest.Open(t, path, sqlite.Write)
		session := storetest.Session(t, "s-0", "okapi")
		file := &overtakenFile{File: pi.File{Path: session}}
		file.read = func() {
			old, err := os.ReadFile(session)
			must.Do(t, errors.Join(err, os.WriteFile(session, []byte(strings.Replace(string(old), "okapi", "a rewritten okapi", 1)), 0o600)))
			storetest.Ingest(t, other, session)
		}
		if err := ingest(t.Context(), slow.Entries, file); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var last string
		err := slow.Summaries.Lines(t.Context(), "s-0", func(raw []byte) error {
			last = string(raw)
			return nil
		})
		if err != nil || !strings.Contains(last, "rewritten") {
			t.Errorf("%s: the store has %s, %v", name, last, err)
		}
	}
}
