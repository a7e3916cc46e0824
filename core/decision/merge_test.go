package decision

import (
	"bytes"
	"testing"
	"time"
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

// Holds decisions 59.
func TestMergeIsSymmetric(t *testing.T) {
	base := busy(t)
	ours, theirs := base.branch(2), base.branch(3)
	ours.add(New{Text: "Ours"})
	theirs.now = theirs.now.Add(time.Second)
	theirs.add(New{Text: "Theirs"})
	x, err := Merge([]byte(base.text()), []byte(ours.text()), []byte(theirs.text()))
	if err != nil {
		t.Fatal(err)
	}
	y, err := Merge([]byte(base.text()), []byte(theirs.text()), []byte(ours.text()))
	if err != nil || string(x) != string(y) {
		t.Errorf("the sides make a difference: %v", err)
	}
	if l := Read(x); len(l.Events) != len(base.events)+2 {
		t.Errorf("%d events", len(l.Events))
	}
	for _, bad := range []string{"broken\n", "<<<<<<< HEAD\n", `{"v":9}` + "\n"} {
		if _, err := Merge(nil, []byte(base.text()+bad), []byte(theirs.text())); err == nil {
			t.Errorf("merged with %q", bad)
		}
	}
}
