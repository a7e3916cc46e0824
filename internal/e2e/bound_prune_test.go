//go:build unix

package e2e

import "testing"

// Pruning leaves a session valid, by both readings, whether pi asks for dropping or not.
func TestPruningInvalidatesNoThinking(t *testing.T) {
	t.Parallel()
	const prompts, steps = 3, 24
	rows := newTable(t)
	t.Run("with", func(t *testing.T) {
		for name, model := range map[string]string{"dropping": dropping, "refusing": refusing} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				b := newBound(t, model)
				b.h.real(t, "serve")
				b.p = b.h.start(t)
				for range prompts {
					b.work(steps)
				}
				b.p.close()
				r := b.row(model)
				rows.want(t, r)
				if want := prompts * (steps + 1); r.requests != want || r.edits == 0 {
					t.Errorf("%d requests, want %d; %d edits", r.requests, want, r.edits)
				}
			})
		}
	})
}
