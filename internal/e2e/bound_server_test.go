//go:build unix

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

// spoken is a conversation with the server itself, message by message.
type spoken struct {
	t        *testing.T
	p        *prefixes
	messages []string
	drops    bool
}

func speak(t *testing.T, drops bool) *spoken {
	t.Helper()
	return &spoken{t: t, p: newPrefixes(), drops: drops}
}

// next sends all that was said and a prompt or a result, and appends the response.
func (s *spoken) next(message string) verdict {
	s.t.Helper()
	s.messages = append(s.messages, message)
	thinking := `{"type":"adaptive"}`
	if s.drops {
		thinking = `{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}`
	}
	raw := fmt.Sprintf(`{"model":"m","system":[{"type":"text","text":"be brief","cache_control":{"type":"ephemeral"}}],"tools":[{"name":"t"}],"thinking":%s,"messages":[%s]}`, thinking, strings.Join(s.messages, ","))
	b, v := s.p.check("/v1/messages", []byte(raw))
	if !v.refused {
		a := turn{Thinking: "hm", Tools: []call{{"t", object{}}}}
		held := b.with(a, v.seq, s.p.seal(b, v, a).signature)
		s.messages = append(s.messages, string(held.messages[len(held.messages)-1]))
	}
	return v
}

func prompt(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) }

func result(text string) string {
	return fmt.Sprintf(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":%q,"cache_control":{"type":"ephemeral"}}]}`, text)
}

// without takes the thinking out of a message.
func (s *spoken) without(i int) {
	end := strings.Index(s.messages[i], `},{"type":"tool_use"`)
	begin := strings.Index(s.messages[i], `{"type":"thinking"`)
	s.messages[i] = s.messages[i][:begin] + s.messages[i][end+2:]
}

func TestTheServerFindsThinkingThatIsBoundToSomethingElse(t *testing.T) {
	t.Parallel()
	begun := func(drops bool) *spoken {
		s := speak(t, drops)
		for i, message := range []string{prompt("one"), result("a"), result("b"), prompt("two"), result("c")} {
			v := s.next(message)
			must.Stop(t, v.refused || v.strict > 0 || v.missing > 0, "request %d: %+v", i+1, v)
		}
		return s
	}
	for name, c := range map[string]struct {
		change                           func(s *spoken)
		lenient, strict, running, missed int
	}{
		"nothing":  {change: func(*spoken) {}},
		"a result": {func(s *spoken) { s.messages[2] = result("x") }, 4, 4, 2, 0},
		"where a cache begins": {func(s *spoken) {
			s.messages[2] = strings.Replace(s.messages[2], `,"cache_control":{"type":"ephemeral"}`, "", 1)
		}, 0, 0, 0, 0},
		"the oldest thinking":       {func(s *spoken) { s.without(1) }, 0, 0, 0, 0},
		"thinking in the middle":    {func(s *spoken) { s.without(3) }, 0, 3, 2, 0},
		"thinking of what runs":     {func(s *spoken) { s.without(7) }, 0, 1, 1, 1},
		"a result and all after it": {func(s *spoken) { s.messages[4] = result("x"); s.without(5); s.without(7); s.without(9) }, 0, 0, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := begun(true)
			c.change(s)
			v := s.next(result("d"))
			if v.refused || v.lenient != c.lenient || v.strict != c.strict || v.running != c.running || v.missing != c.missed || len(v.transformations) != c.strict {
				t.Errorf("dropping: %+v, want %+v", v, c)
			}
			s = begun(false)
			c.change(s)
			if v := s.next(result("d")); v.refused != (c.strict > 0) || v.refused && !strings.Contains(v.complaint, "The block is bound to a different conversation") {
				t.Errorf("refusing: %+v", v)
			}
		})
	}
}

// By the lenient reading what was made after a change is valid again, by the stricter one it is
// not as long as it stands behind something invalid.
func TestTheServerKnowsBothReadings(t *testing.T) {
	t.Parallel()
	s := speak(t, true)
	s.next(prompt("one"))
	s.next(result("a"))
	s.messages[0] = prompt("another")
	for i := range 3 {
		if v := s.next(result("b")); v.lenient != 2 || v.strict != 2+i {
			t.Errorf("request %d: %d and %d invalid blocks, want 2 and %d", v.seq, v.lenient, v.strict, 2+i)
		}
	}
}

func TestTheServerBillsWhatIsInItsCacheAndForgetsIt(t *testing.T) {
	t.Parallel()
	s := speak(t, true)
	first := s.next(prompt("one " + strings.Repeat("word ", 400)))
	second := s.next(result(strings.Repeat("a", 4000)))
	if first.read != 0 || second.read < first.written-1 || second.written < 1000 || second.written > 1100 {
		t.Errorf("read %d, written %d; then %d, %d", first.read, first.written, second.read, second.written)
	}
	s.p.elapse(6 * time.Minute)
	third := s.next(result("b"))
	must.Not(t, third.read != 0, "read %d after six minutes", third.read)
}

// That a request with pictx is refused is the doing of pictx: those of plain pi are all valid.
func TestRequestsOfPlainPiAreValid(t *testing.T) {
	t.Parallel()
	rows := newTable(t)
	t.Run("with", func(t *testing.T) {
		for _, model := range []string{dropping, refusing} {
			t.Run(model, func(t *testing.T) {
				t.Parallel()
				b := newBound(t, model)
				b.p = b.h.start(t)
				b.parts(2)
				b.p.close()
				rows.want(t, b.row(model+", plain pi"))
			})
		}
	})
}

// raw are the lines of the session file.
func (b *bound) raw() (all [][]byte) {
	b.t.Helper()
	for _, e := range entries(b.t, b.h.session(b.t)) {
		all = append(all, e.Raw)
	}
	return all
}
