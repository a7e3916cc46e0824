package erase

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// Only every fourth position is looked at, and the file is read in chunks of 4 MB.
func TestARemainIsFoundWhereverItBegins(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.IntN(256))
		}
		return b
	}
	header := random(8) // what all texts begin with
	probes := [][]byte{make([]byte, minProbe)}
	for i := range 60 {
		probes = append(probes, append(slices.Clone(header), random(minProbe-8+i*2)...))
	}
	file := bytes.Repeat([]byte{1}, 4<<20+4*probeBytes) // it is read in pieces of four megabytes
	for _, near := range []int{0, 4096, 4 << 20, 4<<20 + probeBytes, len(file)} {
		step := 31
		if near == 4<<20 { // where two pieces meet, at every byte
			step = 1
		}
		for shift := 0; shift < 2*probeBytes; shift += step {
			probe := probes[r.IntN(len(probes))]
			at := min(max(near-probeBytes+shift, 0), len(file)-len(probe))
			before := slices.Clone(file[at : at+len(probe)])
			copy(file[at:], probe)
			if found, err := holdsAny(bytes.NewReader(file), probes); err != nil || !found {
				t.Fatal(fmt.Sprintf("%d bytes at %d are not found: ", len(probe), at), err)
			}
			file[at+len(probe)-1]++
			if shift%50 == 0 && at+len(probe) < len(file) && holds(t, file, probes) {
				t.Fatalf("%d bytes at %d are found although the last differs", len(probe), at)
			}
			copy(file[at:], before)
		}
	}
}

func holds(t *testing.T, file []byte, probes [][]byte) bool {
	t.Helper()
	found := must.Get(holdsAny(bytes.NewReader(file), probes))(t)
	return found
}
