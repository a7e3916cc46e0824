//go:build unix

package e2e

import "testing"

// stage is a pi that plays one scene after the other, each in a session of its own with a fake
// that behaves otherwise: starting a pi takes longer than most scenes.
type stage struct {
	*rpc
	f         *fake
	transport string
}

// scene is a session of a stage.
type scene struct {
	name, behaviour string
	play            func(s *stage)
	newer           bool // pi 0.73 cannot do it
	serves          bool // only a pictx that serves can do it
	both            bool // is played with each way to reach pictx: that is what it is about
}

// scenes are all that a pictx may answer, and what pi makes of it.
func scenes() []scene {
	return []scene{
		{name: "a request says where it comes from", behaviour: "listens", play: (*stage).whereFrom, both: true},
		{name: "only subscribed events are sent", behaviour: "quiet", play: (*stage).quiet},
		{name: "images of a prompt are only counted", behaviour: "listens", play: (*stage).countedImages},

		{name: "the first request has what hello declares", behaviour: "declares", play: (*stage).declared},
		{name: "tools answer and fail", behaviour: "declares", play: (*stage).toolsAnswer, both: true},
		{name: "commands show their text", behaviour: "commands", play: (*stage).commands},

		{name: "context events carry keys without content", behaviour: "edits all", play: (*stage).keysAlone},
		{name: "edits reach the model and not the session", behaviour: "edits all", play: (*stage).edited, both: true},
		{name: "edits by id do, too", behaviour: "edits by id", play: (*stage).edited},
		{name: "inserted messages are in their places", behaviour: "inserts", play: (*stage).inserted},
		{name: "skipped contexts keep the last edits", behaviour: "edits all and skips", play: (*stage).skipped},
		{name: "idle time ends a skip", behaviour: "edits all and skips until idle", play: (*stage).skippedUntilIdle},
		{name: "hello can skip contexts", behaviour: "skips from the start", play: (*stage).neverAsked},

		{name: "an added message follows the prompt", behaviour: "messages", play: (*stage).addedMessage},

		{name: "a tool result is replaced and keeps its images", behaviour: "shortens", play: (*stage).shortened},
		{name: "a tool result can become an error", behaviour: "judges", play: (*stage).judged},

		{name: "entries of a boundary are in the session", behaviour: "keeps at turn end", play: (*stage).keptEntries, newer: true},
		{name: "pi 0.73 offers no context edits", behaviour: "edits at turn end", play: (*stage).offers},
		{name: "pictx can write the compaction itself", behaviour: "compacts", play: (*stage).ownCompaction},
		{name: "a compaction can be refused", behaviour: "refuses to compact", play: (*stage).refusedCompaction},

		{name: "effects are done in order", behaviour: "effects", play: (*stage).effectsInOrder, both: true},
		{name: "an effect compacts, and another starts a turn", behaviour: "effects", play: (*stage).effectsAct},
		{name: "a serving pictx can push effects", behaviour: "pushes", play: (*stage).pushed, serves: true},
		{name: "abort ends what pictx was asked for", behaviour: "hangs", play: (*stage).abortedWaiting, both: true},

		{name: "a person answers what is asked", behaviour: "asks", play: (*stage).personAnswers, both: true},
		{name: "dismissed dialogs are answered as cancelled", behaviour: "asks", play: (*stage).dismissed},
		{name: "at most four models are called at a time", behaviour: "asks", play: (*stage).fourModels},
		{name: "a model that is not there is an error", behaviour: "asks", play: (*stage).noModel},

		{name: "a failed request is reported in the next", behaviour: "impatient", play: (*stage).reportedMiss, both: true},
		{name: "protocol 0 is spoken", behaviour: "protocol 0", play: (*stage).spoken},
		{name: "protocol 2 is spoken", behaviour: "protocol 2", play: (*stage).spoken, both: true},
		{name: "protocol 3 is not spoken", behaviour: "protocol 3", play: (*stage).notSpoken, both: true},
		{name: "protocol -1 is not spoken", behaviour: "protocol -1", play: (*stage).notSpoken},
	}
}

func TestPiDoesWhatPictxReplies(t *testing.T) {
	t.Parallel()
	everyWay(t, func(t *testing.T, version, transport string) {
		h, f := fakeHome(t, version, "quiet", transport)
		h.tools, h.keepRecent = allTools+",e2e_echo", 20
		h.write(t, "secret.txt", "the-content-of-a-file\n")
		h.write(t, "long.txt", "a long text")
		h.write(t, "pic.png", string(picture(t)))
		s := &stage{h.start(t), f, transport}
		for _, c := range scenes() {
			if c.newer && version == pi073 || c.serves && transport != "serve" {
				continue
			}
			if transport != "serve" && !c.both && !everything() {
				continue // what is made of a reply does not depend on the way that it came
			}
			t.Run(c.name, func(t *testing.T) {
				defer s.within(t)()
				s.begin(fakeSetup{Behaviour: c.behaviour})
				c.play(s)
				h.model.check(t)
			})
		}
		s.from = 0
		s.close()
		for f.session = range f.session + 1 {
			f.gone(t)
		}
	})
}

// begin begins a session in which the fake does as it is told, as if nothing had been before.
func (s *stage) begin(setup fakeSetup) {
	s.t.Helper()
	s.f.session++
	s.f.set(s.t, setup)
	s.answers(nil)
	s.from = s.mark()
	s.do(object{"type": "new_session"})
	s.h.model.forget()
}

// entries are those of the session.
func (s *stage) entries() []entry {
	s.t.Helper()
	return entries(s.t, s.sessionFile())
}

// look plays three tool results in two prompts.
func (s *stage) look() {
	s.t.Helper()
	lookAgain(s.rpc)
}
