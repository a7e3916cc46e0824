package decision

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/audit"
)

// Anyone who can write the log can cause as many findings as they like.
func TestOfEachKindOfFindingTheFirstAreListedAndTheOthersCounted(t *testing.T) {
	t.Parallel()
	const many = 5000
	var log bytes.Buffer
	for i := range many {
		fmt.Fprintf(&log, `{"v":1,"t":"2026-11-20T09:00:00.000Z","p":"p1","e":"a","i":"D-2026-11-20-%04d","d":{"ti":"x","tx":"Rule w%d of q%d","tg":[],"s":"%s","r":"","sp":null,"c":["D-2026-11-20-%04d"]},"u":"user","k":"k%d"}`+"\n", i, 7*i, 3*i, []string{"draft", "active"}[2*i/many], (i+1)%many, i)
	}
	log.WriteString(strings.Repeat("{\n", many))
	l := decision.Read(log.Bytes())
	s := decision.Replay(l.Events)
	all := audit.Checks{Now: time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)}.CheckLog(l, s, nil)
	first, others := few(all)
	size, kinds := 0, make(map[string]int)
	for _, f := range first {
		size += len(f.Lines())
		kinds[f.Code]++
	}
	if size > 64<<10 || len(first) < 3*maxListed {
		t.Errorf("%d of %d findings are listed in %d bytes", len(first), len(all), size)
	}
	counted := len(first)
	for _, o := range others {
		counted += o.count
		if kinds[o.code] != maxListed || !strings.Contains(o.String(), "--all") {
			t.Errorf("%d are listed beside: %s", kinds[o.code], o)
		}
	}
	if counted != len(all) || len(others) < 3 {
		t.Errorf("%d of %d are listed or counted: %v", counted, len(all), others)
	}
	if first, others := few(all[:maxListed]); len(first) != maxListed || others != nil {
		t.Errorf("of %d, %d are listed, and others counted: %v", maxListed, len(first), others)
	}
}
