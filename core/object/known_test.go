package object_test

import (
	"testing"

	"github.com/coctostan/pictx/core/object"
)

// A version is written again when the next one ends it. It was known before that.
func TestHistorySaysSinceWhenAVersionIsKnownNotSinceWhenItsEndIs(t *testing.T) {
	known := func(number int, from, to object.Time) object.Version {
		v := object.Version{Number: number}
		v.Known.From, v.Known.To = from, to
		return v
	}
	got := object.KnownSince([]object.Version{known(1, 100, 200), known(1, 200, object.Forever), known(2, 200, object.Forever), known(3, 210, 220)})
	if len(got) != 2 || got[0].Number != 1 || got[0].Known.From != 100 || got[1].Number != 2 || got[1].Known.From != 200 {
		t.Errorf("%+v", got)
	}
}
