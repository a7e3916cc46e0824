package erase

import (
	"bytes"
	"encoding/binary"
)

// probeIndex finds probes in bytes. It looks only at every probeStride-th position: wherever a
// probe is, one of its windows begins at such a position.
type probeIndex struct {
	spots  map[uint32][]spot
	likely []uint64 // a bit for each hash of a window
}

// spot is a window of a probe: four of its bytes.
type spot struct {
	probe []byte
	at    int
}

const (
	probeStride = 4
	// firstWindow is where the first window begins: all texts begin with the same zstd header.
	// The last window ends within minProbe.
	firstWindow = 8
	windowBits  = 20
)

func newProbeIndex(probes [][]byte) *probeIndex {
	p := &probeIndex{spots: make(map[uint32][]spot, probeStride*len(probes)), likely: make([]uint64, 1<<windowBits/64)}
	for _, probe := range probes {
		for at := firstWindow; at < firstWindow+probeStride; at++ {
			w := binary.LittleEndian.Uint32(probe[at:])
			p.spots[w] = append(p.spots[w], spot{probe, at})
			h := windowHash(w)
			p.likely[h/64] |= 1 << (h % 64)
		}
	}
	return p
}

// windowHash returns a number of windowBits bits.
func windowHash(w uint32) uint32 { return w * 0x9E3779B1 >> (32 - windowBits) }

// in reports whether b contains a whole probe.
func (p *probeIndex) in(b []byte) bool {
	found := false
	p.each(b, func([]byte) bool { found = true; return false })
	return found
}

// each calls fn for every whole probe in b, maybe more than once, until fn returns false.
func (p *probeIndex) each(b []byte, fn func(probe []byte) bool) {
	for i := 0; i+probeStride <= len(b); i += probeStride {
		w := binary.LittleEndian.Uint32(b[i:])
		if h := windowHash(w); p.likely[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		for _, s := range p.spots[w] {
			if i >= s.at && bytes.HasPrefix(b[i-s.at:], s.probe) && !fn(s.probe) {
				return
			}
		}
	}
}
