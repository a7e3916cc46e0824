package dialog

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/text"
)

// maxNear is how many decisions Near returns.
const maxNear = 3

// Near returns decisions that somebody may have meant by an id that none has, the latest
// first: those whose id ends almost so, else those whose text holds it, else any.
func Near(s *decision.State, id string) []*decision.Decision {
	const mistakes = 2
	want := strings.ToUpper(strings.TrimSpace(id))
	alike := func(d *decision.Decision) bool {
		end := d.Bare[max(0, len(d.Bare)-len(want)):]
		return len(want) > mistakes && text.Distance(want, strings.ToUpper(end)) <= mistakes
	}
	holds := func(d *decision.Decision) bool { return strings.Contains(strings.ToUpper(d.Text), want) }
	anyOne := func(*decision.Decision) bool { return true }
	var out []*decision.Decision
	for _, is := range []func(*decision.Decision) bool{alike, holds, anyOne} {
		for _, d := range slices.Backward(s.Present()) {
			if len(out) < maxNear && is(d) {
				out = append(out, d)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}
