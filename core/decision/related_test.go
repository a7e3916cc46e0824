package decision

import (
	"fmt"
	"strings"
	"testing"
)

func TestNearestOfManyAreCompared(t *testing.T) {
	b := newBook(t)
	for i := range 900 {
		b.events = append(b.events, Event{Op: OpAdd, ID: fmt.Sprintf("D-%d", i), Key: fmt.Sprintf("%08d", i), stamp: int64(i + 1), Data: Data{Text: new(fmt.Sprintf("Use tabs in module %d", i))}})
	}
	b.events[7].Data.Text = new("Use tabs for indentation everywhere")
	if r := b.state().Related("Indentation is done with tabs", nil); len(r) == 0 || r[0].Decision.ID != "D-7" {
		t.Errorf("%d related", len(r))
	}
}

// The words of a contradiction may have little in common; the model sees what they say.
func TestAModelIsToldWhichDecisionsAreClosestToItsProposal(t *testing.T) {
	b := newBook(t)
	for i, body := range []string{
		"Deploys to production happen on weekdays only", "Write tests first", "Log as JSON lines",
		"Pull requests need one approval", "Use PostgreSQL for billing", "Name branches after the ticket", "Releases are signed",
	} {
		b.events = append(b.events, Event{Op: OpAdd, ID: fmt.Sprintf("D-%d", i+1), Key: fmt.Sprintf("%08d", i), stamp: int64(i + 1), Data: Data{Text: &body}})
	}
	s := b.state()
	const head = "Closest active decisions. Tell the user if one contradicts it or says the same:\n"
	if got := s.Compared("Ship to production on Saturdays, when traffic is low"); !strings.HasPrefix(got, head+"D-1 | Deploys to production happen on weekdays only") {
		t.Errorf("%q", got)
	}
	if got, want := s.Compared("Do not write tests first"), head+"D-2 | Write tests first (conflict?)"; !strings.HasPrefix(got, want) || strings.Count(got, "D-2") != 1 {
		t.Errorf("%q, want %q", got, want)
	}
	if got := s.Compared("Zebra"); got != "" {
		t.Errorf("nothing in common: %q", got)
	}
}
