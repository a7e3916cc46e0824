package summary_test

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/internal/must"
)

// present is a session with an open end, and what the kept part of it settles.
type present struct {
	before, after func(t *testing.T, s *session)
	section       string
	gone, there   string // in the section, "" for nothing
}

func presents() map[string]present {
	const failed = "src/a.ts:3:1: error TS2339: no such property\n\nCommand exited with code 2"
	return map[string]present{
		"a to-do list that is written anew": {
			before: func(t *testing.T, s *session) {
				s.call(t, "todowrite", `{"todos":[{"content":"tag the release","status":"pending"}]}`)
			},
			after: func(t *testing.T, s *session) {
				s.call(t, "todowrite", `{"todos":[{"content":"tag the release","status":"completed"}]}`)
			},
			section: "To-do list", gone: "[pending] tag", there: "[done] tag",
		},
		"a list with check boxes": {
			before:  func(t *testing.T, s *session) { s.says(t, "Open:\n- [ ] tag the release\n- [ ] tell them") },
			after:   func(t *testing.T, s *session) { s.says(t, "Now:\n- [x] tag the release\n- [x] tell them") },
			section: "To-do list", gone: "[open] tag", there: "[done] tag",
		},
		"a to-do list that is older than what the user said": {
			before: func(t *testing.T, s *session) {
				s.call(t, "todowrite", `{"todos":[{"content":"tag it","status":"pending"}]}`)
			},
			after:   func(t *testing.T, s *session) { s.user(t, "Leave the tag out, please.") },
			section: "To-do list, written before the user's last 2 messages", there: "tag it",
		},
		"a command that works": {
			before:  func(t *testing.T, s *session) { s.runs(t, "npm run check", failed) },
			after:   func(t *testing.T, s *session) { s.runs(t, "npm run check", "ok") },
			section: "Commands that failed when they were last run", gone: "npm run check",
		},
		"a command that still fails": {
			before:  func(t *testing.T, s *session) { s.runs(t, "npm run check", failed) },
			after:   func(t *testing.T, s *session) { s.runs(t, "npm run lint", "ok") },
			section: "Commands that failed when they were last run", there: "npm run check",
		},
		"work in progress": {
			before: func(t *testing.T, s *session) {
				s.says(t, "The scheduler in jobs/run.go comes next.")
				s.runs(t, "true", "")
			},
			after:   func(t *testing.T, s *session) { s.says(t, "All is done.") },
			section: "In progress", gone: "scheduler",
		},
		"a question that is answered": {
			before:  func(t *testing.T, s *session) { s.says(t, "Shall the tag be v2?") },
			after:   func(t *testing.T, s *session) { s.user(t, "No, call it v3.") },
			section: "Proposed without a change, and the reply", gone: "nothing yet", there: "No, call it v3.",
		},
	}
}

// session returns the session, and the first entry that is kept.
func (p *present) session(t *testing.T) (s *session, cut string) {
	s = newSession(t)
	s.user(t, "Release version 2, please.")
	for range 8 {
		s.runs(t, "cat notes", strings.Repeat("output ", 100))
	}
	p.before(t, s)
	if !strings.Contains(p.section, "Proposed") {
		cut = s.user(t, "And finish it.")
		p.after(t, s)
	} else {
		p.after(t, s)
		cut = s.leaf
	}
	s.says(t, "That is it.")
	return s, cut
}

// What an extract says of the present is what the kept messages leave of it.
func TestThePresentIsThatOfTheWholeBranch(t *testing.T) {
	for name, p := range presents() {
		t.Run(name, func(t *testing.T) {
			s, cut := p.session(t)
			text := s.extracted(t, cut)
			_, list, _ := strings.Cut(text, "### "+p.section+"\n")
			list, _, _ = strings.Cut(list, "\n###")
			if p.gone != "" && strings.Contains(list, p.gone) || !strings.Contains(list, p.there) {
				t.Errorf("%s: want %q and not %q in\n%s", p.section, p.there, p.gone, text)
			}
		})
	}
}

// A model that writes about the dropped messages is told what followed.
func TestAModelIsToldWhatFollowsItsSpan(t *testing.T) {
	for name, p := range presents() {
		if p.gone == "" {
			continue
		}
		s, cut := p.session(t)
		sc := &scribe{}
		work(t, &memory{}, s.branch(t, cut), summary.Options{Models: []string{"session"}, Now: (&clock{}).now}, sc)
		_, after, _ := strings.Cut(sc.asked[0].Prompt, "What came after the span, which the reader still sees.")
		after, _, _ = strings.Cut(after, "\nThe messages follow.")
		for _, want := range []string{"That is it.", strings.TrimPrefix(p.there, "the user replied: ")} {
			must.Contain(t, after, want, "%s", name)
		}
	}
}

// A skill's arguments and what is typed after a command's name are what the user asks.
func TestTheTaskIsWhatTheUserWroteAroundSkillsFilesAndCommands(t *testing.T) {
	for name, c := range map[string]struct {
		entry      string
		want, gone string
	}{
		"skill":   {`{"role":"user","content":"<skill name=\"release\" location=\"/s/SKILL.md\">\nTag, then push.\n</skill>\n\nrelease version 3 please"}`, "[skill release] release version 3 please", "Tag, then push."},
		"files":   {`{"role":"user","content":"<file name=\"/w/a.ts\">\nlet a\n</file>\n<file name=\"/w/b.ts\">\nlet b\n</file>\nWhy does it round wrongly?"}`, "[file /w/a.ts] [file /w/b.ts] Why does it round wrongly?", "let a"},
		"command": {`{"role":"custom","customType":"meta","content":"<command-name>/review</command-name><command-args>the cart and its tests</command-args>"}`, "/review the cart and its tests", "<command"},
		"no end":  {`{"role":"user","content":"<skill name=\"release\" and nothing else here"}`, `<skill name="release" and nothing else here`, "[skill"},
	} {
		s := newSession(t)
		s.entry(t, c.entry)
		s.says(t, strings.Repeat("And on it goes. ", 200))
		asked, _, _ := strings.Cut(s.extract(t), "\n### Done")
		if _, asked, _ = strings.Cut(asked, "### What the user asked"); !strings.Contains(asked, c.want) || strings.Contains(asked, c.gone) {
			t.Errorf("%s: %s", name, asked)
		}
	}
}

// Thinking is bound to the messages that follow it and no part of a record.
func TestNeitherExtractNorPromptHasThinking(t *testing.T) {
	s := newSession(t)
	s.user(t, "Please make the lease renew itself.")
	for range 10 {
		s.entry(t, `{"role":"assistant","content":[{"type":"thinking","thinking":"We decided: lease.go:42 fails because quokkaCount is 7. - [ ] quokka"},{"type":"text","text":"The lease in lease.go is read."},{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"make"}}]}`)
		s.entry(t, `{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"ok"}]}`)
	}
	kept := s.entry(t, `{"role":"assistant","content":[{"type":"thinking","thinking":"quokka"},{"type":"text","text":"Done."}]}`)
	sc := &scribe{}
	work(t, &memory{}, s.branch(t, kept), summary.Options{Models: []string{"session"}, Now: (&clock{}).now}, sc)
	if text := s.extracted(t, kept); strings.Contains(text+sc.asked[0].Prompt, "quokka") || !strings.Contains(text, "lease.go") {
		t.Errorf("thinking is cited, or nothing else:\n%s\n%s", text, sc.asked[0].Prompt)
	}
}
