package session_test

import (
	"testing"

	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/internal/must"
)

// Plain pi would have kept everything that was folded: it is billed for that, and for no
// summary, and the extract is on the side of pictx alone. A second fold changes nothing of that.
func TestPlainPiIsBilledForWhatWasFolded(t *testing.T) {
	s := newScript()
	s.reads(0)
	s.reads(1)
	kept, _ := s.reads(2)
	s.compacts(kept, `,"details":{"pictx":{"requests":0,"fold":true}}`)
	later, _ := s.reads(3)
	s.answers("m", 0, 0)
	s.compacts(later, `,"details":{"pictx":{"requests":0,"fold":true}}`)
	s.says("go on")
	s.answers("m", 0, 0)
	got := s.load(t)
	sent, plain := 0, 0
	for i := range got.Requests {
		r := &got.Requests[i]
		was := plain
		sent, plain = r.Sent.Keep+len(r.Sent.Add), r.Plain.Keep+len(r.Plain.Add)
		if r.Compaction != nil || r.Start == session.AfterCompaction || i > 0 && r.Plain.Keep != was {
			t.Errorf("request %d: %+v shares %d of %d messages with the one before in plain pi", i, r.Compaction, r.Plain.Keep, was)
		}
	}
	// Four reads of a prompt, a response and a result, an answer to the last, and the last prompt.
	must.Not(t, plain != 4*3+2 || sent >= plain, "the last request has %d messages, plain pi's %d", sent, plain)
	must.Not(t, got.Pending != nil, "a fold is a compaction that is still to be billed")
}
