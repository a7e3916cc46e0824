package decision_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/internal/decisiontest"
)

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
	for _, f := range l.Damage {
		if !f.Damages() || !f.Fixable {
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
