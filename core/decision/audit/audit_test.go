package audit_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/audit"
)

// log is a log in memory with its writer.
type log struct {
	t      *testing.T
	events []decision.Event
	now    time.Time
	random *rand.ChaCha8
}

func newLog(t *testing.T) *log {
	t.Helper()
	return &log{t: t, now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), random: rand.NewChaCha8([32]byte{1})}
}

// state replays the log.
func (l *log) state() *decision.State { return decision.Replay(l.events) }

// text returns the lines of the log.
func (l *log) text() string { return string(decision.Lines(true, l.events)) }

// branch returns a copy of the log with its own randomness.
func (l *log) branch() *log {
	return &log{t: l.t, events: slices.Clone(l.events), now: l.now, random: rand.NewChaCha8([32]byte{3})}
}

// edit changes the log, one minute later than before.
func (l *log) edit(change func(e *decision.Editor) error) {
	l.t.Helper()
	l.now = l.now.Add(time.Minute)
	e := &decision.Editor{State: l.state(), Now: l.now, Random: l.random, Actor: "user", By: "Ada <ada@example.org>", Project: "p1"}
	if err := change(e); err != nil {
		l.t.Fatal(err)
	}
	l.events = append(l.events, e.Events()...)
}

// add adds a decision.
func (l *log) add(n decision.New) {
	l.t.Helper()
	l.edit(func(e *decision.Editor) error {
		_, err := e.Add(n, true)
		return err
	})
}

// mergedSecret returns a log with a redacted decision that a merge with a branch, which
// edited the decision before, brought back.
func mergedSecret(t *testing.T) []byte {
	t.Helper()
	l := newLog(t)
	l.add(decision.New{Text: "The key is hunter2", Reason: "hunter2"})
	l.add(decision.New{Text: "Use tabs"})
	branch := l.branch()
	branch.edit(func(e *decision.Editor) error {
		return e.Edit(e.State.Decisions[0], decision.Change{Text: new("The new key is hunter2")})
	})
	l.edit(func(e *decision.Editor) error { return e.Remove(e.State.Decisions[0], "") })
	red, n := decision.Redact([]byte(l.text()), l.state(), nil)
	if n != 1 || bytes.Contains(red, []byte("hunter2")) {
		t.Fatalf("redacted %d lines: %s", n, red)
	}
	return slices.Concat(red, []byte(branch.text())) // as git's union driver does
}

// codes lists the codes of findings.
func codes(all []audit.Finding) []string {
	var out []string
	for _, f := range all {
		out = append(out, f.Code)
	}
	return out
}

func TestARedactedTextThatAMergeBringsBackIsFoundAndRedactedAgain(t *testing.T) {
	merged := mergedSecret(t)
	l := decision.Read(merged)
	s := decision.Replay(l.Events)
	if l.Has(decision.DamageKey) != nil || len(audit.DamagedLines(l)) != 0 {
		t.Errorf("damage: %v", l.Damage)
	}
	found := audit.Doctor(l, s, s.Decisions[0].Created)
	if n := len(slices.DeleteFunc(codes(found), func(c string) bool { return c != audit.FindBack })); n != 2 {
		t.Errorf("found %v", found)
	}
	if !slices.Contains(codes(audit.Checks{}.CheckLog(l, s)), audit.FindBack) {
		t.Error("the audit is silent")
	}
	again, _ := decision.Redact(merged, s, nil)
	l = decision.Read(again)
	if bytes.Contains(again, []byte("hunter2")) || l.Damage != nil || len(audit.Doctor(l, decision.Replay(l.Events), s.Decisions[0].Created)) != 1 {
		t.Errorf("after redacting again: %v\n%s", audit.Doctor(l, decision.Replay(l.Events), s.Decisions[0].Created), again)
	}
}

func TestDamagedLinesAreSetAsideAndTheRestStays(t *testing.T) {
	b := newLog(t)
	for _, text := range []string{"Use tabs", "Use spaces", "Use UTC"} {
		b.add(decision.New{Text: text})
	}
	lines := strings.SplitAfter(b.text(), "\n")
	other := strings.Replace(lines[2], "UTC", "ZTC", 1)
	bad := []string{lines[0][:60] + "\n", "\x00\x00\n", other, "{}"}
	data := []byte(lines[0] + bad[0] + lines[1] + bad[1] + other + lines[2] + bad[3])
	l := decision.Read(data)
	for _, f := range audit.DamagedLines(l) {
		if !f.Fixable {
			t.Errorf("not fixable: %+v", f)
		}
	}
	rest, aside := audit.SetAside(data, l)
	if string(rest) != b.text() || string(aside) != strings.Join(bad, "")+"\n" {
		t.Errorf("rest\n%s\naside\n%q", rest, aside)
	}
	newer := []byte(`{"v":9,"t":"x","p":"","e":"a","i":"D-1","d":{}}` + "\n")
	if rest, aside := audit.SetAside(newer, decision.Read(newer)); len(aside) != 0 || !bytes.Equal(rest, newer) {
		t.Errorf("the line of a newer version was set aside: %q", aside)
	}
}
