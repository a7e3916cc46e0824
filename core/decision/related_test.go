package decision

import (
	"fmt"
	"testing"
)

func TestNearestOfManyAreCompared(t *testing.T) {
	b := newBook(t)
	for i := range 900 {
		b.events = append(b.events, Event{Op: OpAdd, ID: fmt.Sprintf("D-%d", i), Key: fmt.Sprintf("%08d", i), stamp: int64(i + 1), Data: Data{Text: ptr(fmt.Sprintf("Use tabs in module %d", i))}})
	}
	b.events[7].Data.Text = ptr("Use tabs for indentation everywhere")
	if r := b.state().Related("Indentation is done with tabs", nil); len(r) == 0 || r[0].Decision.ID != "D-7" {
		t.Errorf("%d related", len(r))
	}
}
