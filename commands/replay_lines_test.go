package commands

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReplayPlansNamesEveryEntryThatAPolicyPrunedWithRequestMarkerAndReason so that a person
// can check what a policy would have taken from a session.
func TestReplayPlansNamesEveryEntryThatAPolicyPrunedWithRequestMarkerAndReason(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	file, err := filepath.Abs("../testdata/sessions/shop-main.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	session, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	code, out := p.shell("replay", "--plans", "--policy", "auto,cold", file)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) < 10 {
		t.Fatalf("exit %d, %d lines: %.500s", code, len(lines), out)
	}
	last := map[string]int{}
	for _, line := range lines {
		var e struct {
			Session, Policy, Entry, Source, Reason, Marker string
			Request, Tokens                                int
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		switch {
		case e.Session == "" || e.Source == "" || e.Reason == "" || e.Tokens <= 0 || e.Request < 1:
			t.Errorf("something is missing: %s", line)
		case !strings.Contains(string(session), `"id":"`+e.Entry+`"`):
			t.Errorf("the session has no entry %q", e.Entry)
		case strings.HasPrefix(e.Marker, "[pruned: ") && !strings.HasSuffix(e.Marker, "pictx expand "+e.Entry+"]"):
			t.Errorf("the marker does not lead back to its entry: %s", line)
		case e.Request < last[e.Policy]:
			t.Errorf("request %d of %s comes after request %d", e.Request, e.Policy, last[e.Policy])
		}
		last[e.Policy] = e.Request
	}
	if len(last) != 2 {
		t.Errorf("policies with plans: %v", last)
	}
}

// TestReplayFiguresPrintsWhatTheyDependOn: a ratio alone says little about the sessions of
// somebody else.
func TestReplayFiguresPrintsWhatTheyDependOn(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	files, err := filepath.Glob("../testdata/sessions/*.jsonl")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d sessions, %v", len(files), err)
	}
	args := []string{"replay", "--figures"}
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	code, out := p.shell(args...)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, out)
	}
	for _, want := range []string{
		"whole bill", "first half", "second half", "alone", "median", "worst", "edits lost",
		"as replay bills it", "system prompt and tools 3,000 tokens", "system prompt and tools 15,000 tokens",
		"every miss read again in full", "never idle for five minutes", "Sessions that end after [3 5 10 15 20 30] requests", "Sessions that end after [40 50 60 80 100 150] requests",
		"The session that costs most more than plain pi", "they are not solve rates",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
}
