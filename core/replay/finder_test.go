package replay

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestTheFinderFindsWhatASearchOfEachTextFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ab/"[r.IntN(3)]
		}
		return string(b)
	}
	var wanted, texts []string
	for range 200 {
		wanted, texts = append(wanted, letters(1+r.IntN(12))), append(texts, letters(r.IntN(400)))
	}
	f := newFinder(append(wanted, wanted...))
	for m, text := range texts {
		f.scan(int32(m), text)
	}
	found := 0
	for _, w := range wanted {
		var want []int32
		for m, text := range texts {
			if strings.Contains(text, w) {
				want = append(want, int32(m))
			}
		}
		must.Match(t, f.holders[w], want, "%q stands", w)
		if len(w) >= anchor {
			found += len(want)
		}
	}
	must.Not(t, found == 0, "nothing long was found: that says little")
}
