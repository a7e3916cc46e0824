package decision_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

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

// codes lists the codes of findings.
func codes(all []decision.Finding) []string {
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
	if l.Has(decision.DamageKey) != nil || slices.ContainsFunc(decision.Doctor(l, s, decision.Moment(s.Decisions[0].Created)), decision.Finding.Damages) {
		t.Errorf("damage: %v", l.Damage)
	}
	found := decision.Doctor(l, s, decision.Moment(s.Decisions[0].Created))
	if n := len(slices.DeleteFunc(codes(found), func(c string) bool { return c != decision.FindBack })); n != 2 {
		t.Errorf("found %v", found)
	}
	if !slices.Contains(codes(decision.Checks{}.CheckLog(l, s, merged)), decision.FindBack) {
		t.Error("the audit is silent")
	}
	again, _ := decision.Redact(merged, s, nil)
	l = decision.Read(again)
	if bytes.Contains(again, []byte("hunter2")) || l.Damage != nil || len(decision.Doctor(l, decision.Replay(l.Events), decision.Moment(s.Decisions[0].Created))) != 1 {
		t.Errorf("after redacting again: %v\n%s", decision.Doctor(l, decision.Replay(l.Events), decision.Moment(s.Decisions[0].Created)), again)
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
	l := decision.Read(data)
	for _, f := range decision.Doctor(l, decision.Replay(l.Events), time.Now()) {
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
