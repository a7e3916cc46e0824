package jsonl_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/repo"
)

func editor(s *decision.State) *decision.Editor {
	return &decision.Editor{State: s, Now: time.Now(), Random: rand.Reader, Actor: "user"}
}

// adding is a change that adds a decision.
func adding(text string, ids *[]string) func(*decision.Log, *decision.State) ([]decision.Event, error) {
	return func(_ *decision.Log, s *decision.State) ([]decision.Event, error) {
		e := editor(s)
		id, err := e.Add(decision.New{Text: text}, true)
		if ids != nil {
			*ids = append(*ids, id)
		}
		return e.Events(), err
	}
}

// add adds a decision or fails the test.
func add(t *testing.T, d *jsonl.Decisions, text string) string {
	t.Helper()
	var ids []string
	must.Do(t, d.Update(t.Context(), adding(text, &ids)))
	return ids[0]
}

// texts are those of the decisions in the order of the alphabet: two may be of the
// same millisecond.
func texts(t *testing.T, d *jsonl.Decisions) string {
	t.Helper()
	_, s, err := d.Load()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, x := range s.Present() {
		out = append(out, x.Text)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// Holds decisions 1, 35.
func TestReadingMissingLogCreatesNothing(t *testing.T) {
	root := t.TempDir()
	d := jsonl.OpenDecisions(root)
	must.Equal(t, texts(t, d), "", "decisions")
	if files, _ := os.ReadDir(root); len(files) != 0 {
		t.Errorf("it made %v", files)
	}
	add(t, d, "Use tabs")
	must.Equal(t, texts(t, d), "Use tabs", "decisions")
}

// Holds decisions 2.
func TestUnreadableLogIsAnError(t *testing.T) {
	root := t.TempDir()
	path := jsonl.DecisionsPath(root)
	must.Do(t, os.MkdirAll(path, 0o755))
	_, _, err := jsonl.OpenDecisions(root).Load()
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a directory: %v", err)
	}
	if err := jsonl.OpenDecisions(root).Update(t.Context(), adding("x", nil)); err == nil {
		t.Error("written into a directory")
	}
}

func TestLogIsReadAgainOnlyWhenItChanged(t *testing.T) {
	d := jsonl.OpenDecisions(t.TempDir())
	add(t, d, "one")
	_, first, err := d.Load()
	if err != nil {
		t.Fatal(err)
	}
	if _, again, _ := d.Load(); again != first {
		t.Error("read again though nothing changed")
	}
	other := jsonl.OpenDecisions(filepath.Dir(filepath.Dir(filepath.Dir(d.Path()))))
	add(t, other, "two")
	must.Equal(t, texts(t, d), "one, two", "after another wrote")
	// Another file in its place, of the same beginning.
	b, _ := os.ReadFile(d.Path())
	lines := strings.SplitAfter(string(b), "\n")
	must.Do(t, os.WriteFile(d.Path()+".new", []byte(lines[1]), 0o600))
	must.Do(t, os.Rename(d.Path()+".new", d.Path()))
	must.Equal(t, texts(t, d), "two", "after it was replaced")
}

// Holds decisions 24.
func TestTornTailSwallowsNoEvent(t *testing.T) {
	d := jsonl.OpenDecisions(t.TempDir())
	add(t, d, "one")
	for _, torn := range []string{`{"v":1,"t":"2026`, "\x00\x00\x00\x00", "\xff"} {
		f := must.Get(os.OpenFile(d.Path(), os.O_APPEND|os.O_WRONLY, 0))(t)
		must.Get(f.WriteString(torn))(t)
		f.Close()
		add(t, d, "after "+fmt.Sprintf("%q", torn))
	}
	log, s, err := d.Load()
	if err != nil || len(s.Present()) != 4 || len(log.Damage) != 3 {
		t.Errorf("%d decisions, damage %v, %v", len(s.Present()), log.Damage, err)
	}
}

// Holds decisions 11.
func TestLogOfNewerVersionIsNotWritten(t *testing.T) {
	d := jsonl.OpenDecisions(t.TempDir())
	add(t, d, "one")
	b, _ := os.ReadFile(d.Path())
	newer := string(b) + strings.Replace(string(b), `{"v":1`, `{"v":7`, 1)
	must.Do(t, os.WriteFile(d.Path(), []byte(newer), 0o600))
	err := d.Update(t.Context(), adding("two", nil))
	if !errors.As(err, new(*decision.NewerError)) || !strings.Contains(err.Error(), "version 7") {
		t.Errorf("%v", err)
	}
	if _, err := d.Rewrite(t.Context(), false, func([]byte) ([]byte, error) { return nil, nil }); err == nil {
		t.Error("rewritten")
	}
	if now, _ := os.ReadFile(d.Path()); string(now) != newer {
		t.Error("it was changed")
	}
	must.Equal(t, texts(t, d), "one", "what is known")
}

func TestFailedChangeWritesNothing(t *testing.T) {
	d := jsonl.OpenDecisions(t.TempDir())
	add(t, d, "one")
	before, _ := os.ReadFile(d.Path())
	want := errors.New("no")
	err := d.Update(t.Context(), func(l *decision.Log, s *decision.State) ([]decision.Event, error) {
		events, _ := adding("two", nil)(l, s)
		return events, want
	})
	if !errors.Is(err, want) {
		t.Errorf("%v", err)
	}
	if after, _ := os.ReadFile(d.Path()); string(after) != string(before) {
		t.Error("it was written to")
	}
}

// Holds decisions 50.
func TestRewriteKeepsConcurrentAppends(t *testing.T) {
	d := jsonl.OpenDecisions(t.TempDir())
	add(t, d, "one")
	before, _ := os.ReadFile(d.Path())
	saved, err := d.Rewrite(t.Context(), true, func(b []byte) ([]byte, error) {
		f, err := os.OpenFile(d.Path(), os.O_APPEND|os.O_WRONLY, 0) // a program that does not know the lock
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if _, err := f.Write(before); err != nil {
			return nil, err
		}
		return append(b, ' ', '\n'), nil
	})
	if err == nil {
		t.Fatal("rewritten over what was appended")
	}
	if after, _ := os.ReadFile(d.Path()); string(after) != string(before)+string(before) {
		t.Errorf("the log is %q", after)
	}
	if b, _ := os.ReadFile(d.Path() + ".bak"); saved != "" && string(b) != string(before) {
		t.Errorf("the backup is %q", b)
	}
}

// Holds decisions 26.
func TestWriterWaitsAndThenNamesTheOther(t *testing.T) {
	root := t.TempDir()
	d, other := jsonl.OpenDecisions(root), jsonl.OpenDecisions(root)
	other.Wait = 50 * time.Millisecond
	err := d.Update(t.Context(), func(*decision.Log, *decision.State) ([]decision.Event, error) {
		return nil, other.Update(t.Context(), adding("two", nil))
	})
	if !errors.Is(err, jsonl.ErrDecisionsBusy) || !strings.HasSuffix(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = d.Update(ctx, func(*decision.Log, *decision.State) ([]decision.Event, error) {
		cancel()
		return nil, jsonl.OpenDecisions(root).Update(ctx, adding("two", nil))
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	must.Equal(t, texts(t, d), "", "written without the lock")
	add(t, other, "two") // the lock is free again
}

// Holds decisions 34.
func TestLinkOutOfTheProjectIsRefused(t *testing.T) {
	outside, root := t.TempDir(), t.TempDir()
	d := jsonl.OpenDecisions(root)
	dir := filepath.Dir(d.Path())
	must.Do(t, os.MkdirAll(dir, 0o755))
	secret := filepath.Join(outside, "decisions.jsonl")
	must.Do(t, os.WriteFile(secret, nil, 0o600))
	link := func(to string) {
		t.Helper()
		os.Remove(d.Path())
		if err := os.Symlink(to, d.Path()); err != nil {
			t.Skip("links cannot be made here:", err)
		}
	}
	for _, to := range []string{secret, filepath.Join(outside, "not there")} {
		link(to)
		if _, _, err := d.Load(); err == nil {
			t.Errorf("%s is read", to)
		}
		if err := d.Update(t.Context(), adding("x", nil)); err == nil {
			t.Errorf("%s is written", to)
		}
	}
	if b, _ := os.ReadFile(secret); len(b) > 0 {
		t.Errorf("outside: %q", b)
	}
	inside := filepath.Join(root, "kept.jsonl")
	must.Do(t, os.WriteFile(inside, nil, 0o600))
	link(inside)
	add(t, d, "one")
	st, err := os.Lstat(d.Path())
	if err != nil || st.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if b, _ := os.ReadFile(inside); !strings.Contains(string(b), "one") {
		t.Errorf("inside: %q", b)
	}
	// A directory that is a link out is refused as well.
	os.RemoveAll(filepath.Join(root, ".pi"))
	must.Do(t, os.Symlink(outside, filepath.Join(root, ".pi")))
	if err := d.Update(t.Context(), adding("x", nil)); !errors.As(err, new(*repo.OutsideError)) {
		t.Errorf("through a directory: %v", err)
	}
	if files, _ := os.ReadDir(filepath.Join(outside, "decision-memory")); len(files) > 0 {
		t.Errorf("it made %v", files)
	}
}
