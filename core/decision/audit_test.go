package decision_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/internal/decisiontest"
)

// mergedSecret returns a log with a redacted decision that a merge with a branch, which
// edited the decision before, brought back.
func mergedSecret(t *testing.T) []byte {
	t.Helper()
	l := decisiontest.New(t)
	l.Add(decision.New{Text: "The key is hunter2", Reason: "hunter2"})
	l.Add(decision.New{Text: "Use tabs"})
	branch := l.Branch()
	branch.Change(func(e *decision.Editor) error {
		return e.Edit(e.State.Decisions[0], decision.Change{Text: new("The new key is hunter2")})
	})
	l.Change(func(e *decision.Editor) error { return e.Remove(e.State.Decisions[0], "") })
	red, n := decision.Redact([]byte(l.Text()), l.State(), nil)
	if n != 1 || bytes.Contains(red, []byte("hunter2")) {
		t.Fatalf("redacted %d lines: %s", n, red)
	}
	return slices.Concat(red, []byte(branch.Text())) // as git's union driver does
}

// audited reads a log and audits it.
func audited(data []byte) (*decision.Log, *decision.State, []decision.Finding) {
	l := decision.Read(data)
	s := decision.Replay(l.Events)
	return l, s, decision.Checks{Now: decision.Moment(s.Decisions[0].Created)}.CheckLog(l, s, data)
}

func TestARedactedTextThatAMergeBringsBackIsFoundAndRedactedAgain(t *testing.T) {
	merged := mergedSecret(t)
	_, s, found := audited(merged)
	back := 0
	for _, f := range found {
		if f.Damages() {
			t.Errorf("damage: %+v", f)
		}
		if f.Code == decision.FindBack {
			back++
		}
	}
	if back != 2 {
		t.Errorf("found %v", found)
	}
	again, _ := decision.Redact(merged, s, nil)
	if l, _, found := audited(again); bytes.Contains(again, []byte("hunter2")) || l.Damage != nil || len(found) != 1 {
		t.Errorf("after redacting again: %v\n%s", found, again)
	}
}

func TestDamagedLinesAreSetAsideAndTheRestStays(t *testing.T) {
	b := decisiontest.New(t)
	for _, text := range []string{"Use tabs", "Use spaces", "Use UTC"} {
		b.Add(decision.New{Text: text})
	}
	lines := strings.SplitAfter(b.Text(), "\n")
	other := strings.Replace(lines[2], "UTC", "ZTC", 1)
	bad := []string{lines[0][:60] + "\n", "\x00\x00\n", other, "{}"}
	data := []byte(lines[0] + bad[0] + lines[1] + bad[1] + other + lines[2] + bad[3])
	l, _, found := audited(data)
	for _, f := range found {
		if f.Damages() && !f.Fixable {
			t.Errorf("not fixable: %+v", f)
		}
	}
	rest, aside := decision.Mend(data, l)
	if string(rest) != b.Text() || string(aside) != strings.Join(bad, "")+"\n" {
		t.Errorf("rest\n%s\naside\n%q", rest, aside)
	}
	newer := []byte(`{"v":9,"t":"x","p":"","e":"a","i":"D-1","d":{}}` + "\n")
	if rest, aside := decision.Mend(newer, decision.Read(newer)); len(aside) != 0 || !bytes.Equal(rest, newer) {
		t.Errorf("the line of a newer version was set aside: %q", aside)
	}
}
