package history

import (
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/coctostan/pictx/core/message"
)

// fingerprint is a simhash: similar texts have similar bits.
type fingerprint struct {
	bits  uint64
	words int
	whole uint64 // the hash of the whole text
}

const (
	hashedWords = 2000 // leading words of a text that are hashed
	shortText   = 16   // texts with fewer words are never merged, since they take little room
	maxBits     = 3    // maximum number of bits in which similar texts differ
)

// hashOf returns a hash by which texts of one search are compared.
func (s *search) hashOf(text string) uint64 { return maphash.String(s.seed, text) }

// hashOfWord returns the FNV-1a hash of a word.
func hashOfWord(s string) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * prime
	}
	return h
}

// fingerprintOf returns the simhash of a text over pairs of words.
func (s *search) fingerprintOf(body string) fingerprint {
	var sums columns
	out := fingerprint{whole: s.hashOf(body)}
	last := uint64(0)
	for at := 0; out.words < hashedWords; out.words++ {
		start, end, ok := nextWord(body, at)
		if !ok {
			break
		}
		at = end
		word := hashOfWord(body[start:end])
		sums.add(word ^ bits.RotateLeft64(last, 1))
		last = word
	}
	out.bits = sums.above(out.words / 2)
	return out
}

// columns counts how often each bit is set in some numbers. Its n-th element has the n-th
// binary digits of the 64 counts, so that one addition takes as many steps as it carries.
type columns [11]uint64 // counts up to hashedWords

// add counts the bits of a number.
func (c *columns) add(carry uint64) {
	for i := 0; carry != 0; i++ {
		c[i], carry = c[i]^carry, c[i]&carry
	}
}

// above returns the bits that are set in more than n of the numbers.
func (c *columns) above(n int) (out uint64) {
	equal := ^uint64(0) // the counts whose higher digits are those of n
	for i := len(c) - 1; i >= 0; i-- {
		if n>>i&1 == 0 {
			out |= equal & c[i]
			equal &^= c[i]
		} else {
			equal &= c[i]
		}
	}
	return out
}

// like reports whether two texts are nearly the same.
func (f fingerprint) like(g fingerprint) bool {
	if f.words < shortText || g.words < shortText {
		return false
	}
	return f.whole == g.whole || 10*max(f.words-g.words, g.words-f.words) <= f.words && bits.OnesCount64(f.bits^g.bits) <= maxBits
}

// ties are the ids that connect a call with its result: those of the calls in an entry, or
// that of the call it is the result of.
type ties struct {
	calls  []string
	result string
}

func tiesOf(e *message.Entry) ties {
	out := ties{result: e.Message.ToolCallID}
	for i := range e.Message.Calls {
		out.calls = append(out.calls, e.Message.Calls[i].ID)
	}
	return out
}

// pairedWith reports whether one of two entries is the result of a call in the other.
func (t ties) pairedWith(u ties) bool {
	return t.result != "" && slices.Contains(u.calls, t.result) || u.result != "" && slices.Contains(t.calls, u.result)
}

// absorbed reports whether a result is merged into an earlier one, which then mentions it:
// they are a call and its result, a prompt and the answer to it, or nearly the same text
// with the same matching line.
func absorbed(earlier []shown, c shown) bool {
	for i := range earlier {
		e := &earlier[i]
		switch {
		case e.hit.Session == c.hit.Session && e.hit.EntryID == c.hit.EntryID && (e.hit.Spill == "") != (c.hit.Spill == ""):
			return true // a whole output, and the excerpt of it in the session
		case e.hit.Answer != nil && e.answer == c.hit.Content && c.hit.Spill == "":
			return true
		case e.hit.Other == "" && e.hit.Session == c.hit.Session && e.ties.pairedWith(c.ties):
			e.hit.Other = c.hit.EntryID
			return true
		case e.hit.Role == c.hit.Role && e.hit.Tool == c.hit.Tool && e.held == c.held && e.line == c.line && e.print.like(c.print):
			e.hit.Alike += 1 + c.hit.Alike
			return true
		}
	}
	return false
}
