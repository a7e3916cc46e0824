package token

import (
	"testing"
	"time"
)

func TestPeekBillsLikeCallAndChangesNothing(t *testing.T) {
	for _, p := range Profiles() {
		peeked, called := NewCache(p), NewCache(p)
		for i, tokens := range []Count{500, 900, 700, 1200} {
			at := time.Duration(i) * 2 * time.Minute
			next := Prompt{Time: at.Milliseconds(), Floor: 1000, Tokens: tokens, Same: min(tokens, 450), Blocks: 5 * i}
			other := next
			other.Tokens, other.Same, other.New = 3000, 0, true
			peeked.Peek(other)
			peek := peeked.Peek(next)
			if a, b := peeked.Call(next), called.Call(next); a != b || peek != a {
				t.Errorf("%s, call %d: peeked %+v, then %+v, want %+v", p.Name, i, peek, a, b)
			}
		}
	}
}
