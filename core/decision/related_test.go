package decision

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// A log may be very long; the latest decisions are compared.
func TestTheClosestOfManyDecisionsIsFound(t *testing.T) {
	b := newBook(t)
	for i := range maxCompared + 100 {
		b.events = append(b.events, Event{Op: OpAdd, ID: fmt.Sprintf("D-%d", i), Key: fmt.Sprintf("%08d", i), stamp: int64(i + 1), Data: Data{Text: new(fmt.Sprintf("Use tabs in module %d", i))}})
	}
	b.events[700].Data.Text = new("Use tabs for indentation everywhere")
	if got := b.state().Closest("Indentation is done with tabs", nil); len(got) != maxClosest || got[0].ID != "D-700" {
		t.Errorf("%d are closest", len(got))
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
	const head = "These active decisions are closest. Tell the user if one contradicts it or says the same:\n"
	if got := s.Compared("Ship to production on Saturdays, when traffic is low"); !strings.HasPrefix(got, head+"D-1 | Deploys to production happen on weekdays only") {
		t.Errorf("%q", got)
	}
	if got := s.Compared("Do not write tests first"); !strings.HasPrefix(got, head+"D-2 | Write tests first\n") || strings.Count(got, "\nD-") > maxClosest {
		t.Errorf("%q", got)
	}
	must.Equal(t, s.Compared("Zyx"), "", "nothing in common")
}
