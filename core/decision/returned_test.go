package decision

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// redactedSecret returns a log, the same log after a redaction, and a branch that edited
// the decision before that.
func redactedSecret(t *testing.T) (base, red, branch []byte) {
	t.Helper()
	b := newBook(t)
	id := b.add(New{Text: "The key is hunter2", Reason: "hunter2"})
	b.add(New{Text: "Use tabs"})
	side := b.branch(3)
	side.do(id, func(e *Editor, d *Decision) error { return e.Edit(d, Change{Text: new("The new key is hunter2")}) })
	base = []byte(b.text())
	b.do(id, func(e *Editor, d *Decision) error { return e.Remove(d, "") })
	red, n := Redact([]byte(b.text()), b.state(), nil)
	if n != 1 || bytes.Contains(red, []byte("hunter2")) {
		t.Fatalf("redacted %d lines: %s", n, red)
	}
	return base, red, []byte(side.text())
}

func codes(all []Finding) []string {
	var out []string
	for _, f := range all {
		out = append(out, f.Code)
	}
	return out
}

func TestARedactedTextThatAMergeBringsBackIsFoundAndRedactedAgain(t *testing.T) {
	_, red, branch := redactedSecret(t)
	merged := slices.Concat(red, branch) // as git's union driver does
	l := Read(merged)
	s := Replay(l.Events)
	if l.Has(DamageKey) != nil || len(DamagedLines(l)) != 0 {
		t.Errorf("damage: %v", l.Damage)
	}
	found := Doctor(l, s, s.Decisions[0].Created)
	if n := len(slices.DeleteFunc(codes(found), func(c string) bool { return c != FindBack })); n != 2 {
		t.Errorf("found %v", found)
	}
	if !slices.Contains(codes(Audit{}.CheckLog(l, s)), FindBack) {
		t.Error("the audit is silent")
	}
	again, _ := Redact(merged, s, nil)
	l = Read(again)
	if bytes.Contains(again, []byte("hunter2")) || l.Damage != nil || len(Doctor(l, Replay(l.Events), s.Decisions[0].Created)) != 1 {
		t.Errorf("after redacting again: %v\n%s", Doctor(l, Replay(l.Events), s.Decisions[0].Created), again)
	}
}

func TestTheMergeDriverDropsARedactedText(t *testing.T) {
	base, red, branch := redactedSecret(t)
	for _, sides := range [][2][]byte{{red, branch}, {branch, red}} {
		out, err := Merge(base, sides[0], sides[1])
		if err != nil || bytes.Contains(out, []byte("hunter2")) || !bytes.Contains(out, []byte("Use tabs")) {
			t.Errorf("%v\n%s", err, out)
		}
		l := Read(out)
		s := Replay(l.Events)
		if c := s.Clashes(); len(c) != 0 || len(s.Present()) != 1 {
			t.Errorf("clashes %v of %v", c, s.Present())
		}
	}
}

func TestDamagedLinesAreSetAsideAndTheRestStays(t *testing.T) {
	b := newBook(t)
	for _, text := range []string{"Use tabs", "Use spaces", "Use UTC"} {
		b.add(New{Text: text})
	}
	lines := strings.SplitAfter(b.text(), "\n")
	other := strings.Replace(lines[2], "UTC", "ZTC", 1)
	bad := []string{lines[0][:60] + "\n", "\x00\x00\n", other, "{}"}
	data := []byte(lines[0] + bad[0] + lines[1] + bad[1] + other + lines[2] + bad[3])
	l := Read(data)
	for _, f := range DamagedLines(l) {
		if !f.Fixable {
			t.Errorf("not fixable: %+v", f)
		}
	}
	rest, aside := SetAside(data, l)
	if string(rest) != b.text() || string(aside) != strings.Join(bad, "")+"\n" {
		t.Errorf("rest\n%s\naside\n%q", rest, aside)
	}
	newer := []byte(`{"v":9,"t":"x","p":"","e":"a","i":"D-1","d":{}}` + "\n")
	if rest, aside := SetAside(newer, Read(newer)); len(aside) != 0 || !bytes.Equal(rest, newer) {
		t.Errorf("the line of a newer version was set aside: %q", aside)
	}
}
