package policy

import (
	"fmt"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
)

func TestCommandOutputIsPrunedTwoResponsesLater(t *testing.T) {
	for _, tool := range []string{"bash", "Bash", "grep", "find", "ls", "glob", "shell", "kota_search", "kota_deps", "edit", "write", "multi_edit", "apply_patch"} {
		var c talk
		at := c.user().run(tool, `{"command":"x"}`, 500)
		wantCodes(t, c.plan(c.later()), map[int]string{at: CodeUnanswered})
		c.say(1)
		wantCodes(t, c.plan(c.later()), map[int]string{at: CodeYoung})
		c.say(1)
		wantCodes(t, c.plan(c.later()), map[int]string{at: CodeOutput})
	}
}

// Holds prune 13.
func TestAResultTheModelHasNotAnsweredIsNeverTouched(t *testing.T) {
	var c talk
	c.user().read("a")
	at := c.run("bash", `{"command":"x"}`, 200_000)
	forced := c.now()
	forced.Forced = true
	for name, s := range map[string]moment{"asked for": forced, "cold": c.later(), "it pays": c.willing()} {
		must.Equal(t, why(c.plan(s), at), CodeUnanswered, "%s", name)
	}
}

// Holds prune 14.
func TestErrorsAreKeptAndAreNotCandidates(t *testing.T) {
	var c talk
	at := c.user().fail("bash", `{"command":"x"}`)
	c.say(9)
	p := c.plan(c.later())
	wantCodes(t, p, map[int]string{at: CodeError})
	must.Not(t, p.Figures.Results != 0 || p.Figures.RemovableTokens != 0 || p.Acted, "%+v", p.Figures)
}

// The ages of reads of files that were changed since, by how often they were: the
// last answer at which they stay, and the first at which they go.
//
// Holds prune 21.
func TestAReadOfAFileThatWasEditedGoesOnceTheFileIsLeftAlone(t *testing.T) {
	for _, c := range []struct {
		name  string
		edits int
		goes  int // answers after the last edit
		warm  bool
	}{
		{"once, cold", 1, 4, false},
		{"once, warm", 1, 8, true},
		{"twice, cold", 2, 1, false},
		{"twice, warm", 2, 1, true},
		{"often, warm", 5, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for answers, want := range map[int]string{c.goes - 1: CodeUsed, c.goes: CodeEdited} {
				var k talk
				at := k.user().run("read", `{"path":"a.ts"}`, 20_000)
				for range c.edits {
					k.edit("a.ts")
				}
				k.say(answers)
				s := k.later()
				if c.warm {
					s = k.willing()
				}
				wantCodes(t, k.plan(s), map[int]string{at: want})
			}
		})
	}
}

func TestEditsBeforeAReadDoNotCount(t *testing.T) {
	var c talk
	c.user().edit("a.ts")
	at := c.read("a.ts")
	c.edit("a.ts")
	c.say(3)
	wantCodes(t, c.plan(c.later()), map[int]string{at: CodeUsed})
	c.say(1)
	wantCodes(t, c.plan(c.later()), map[int]string{at: CodeEdited})
}

// Holds prune 21.
func TestAFailedOrAbortedEditSupersedesNothing(t *testing.T) {
	var failing, aborted talk
	a := failing.user().read("a.ts")
	failing.fail("edit", `{"path":"a.ts"}`)
	failing.say(10)
	wantCodes(t, failing.plan(failing.later()), map[int]string{a: CodeUsed})

	b := aborted.user().read("a.ts")
	id := aborted.ask("aborted", "edit", `{"path":"a.ts"}`)
	at := aborted.add(result(id, "edit", 300))
	aborted.say(10)
	wantCodes(t, aborted.plan(aborted.later()), map[int]string{b: CodeUsed, at: CodeAborted})
}

// Holds prune 9.
func TestResultsOfAbortedResponsesNeitherTriggerPruningNorCountAsSaved(t *testing.T) {
	for _, stop := range []string{"aborted", "error"} {
		var c talk
		kept := c.user().read("a.ts")
		id := c.ask(stop, "read", `{"path":"a.ts"}`)
		void := c.add(result(id, "read", 1000))
		c.say(3)
		p := c.plan(c.later())
		wantCodes(t, p, map[int]string{kept: CodeUsed, void: CodeAborted})
		must.Not(t, p.Figures.RemovableTokens != 0, "%s: %v counted as removable", stop, p.Figures.RemovableTokens)
	}
}

// Holds prune 21.
func TestALaterReadSupersedesNothing(t *testing.T) {
	var c talk
	at := c.user().read("a.ts")
	then := c.read("a.ts")
	c.say(3)
	wantCodes(t, c.plan(c.later()), map[int]string{at: CodeUsed, then: CodeUsed})
}

func TestAnEditIsThatOfAFileByWhateverName(t *testing.T) {
	for _, c := range []struct{ name, read, edited, want string }{
		{"the same", `{"path":"a.ts"}`, `{"path":"a.ts"}`, CodeEdited},
		{"by another name", `{"path":"a.ts"}`, `{"path":"./x/../a.ts"}`, CodeEdited},
		{"absolute and relative", `{"path":"/home/u/a.ts"}`, `{"path":"a.ts"}`, CodeEdited},
		{"an @ before it", `{"path":"@a.ts"}`, `{"path":"a.ts"}`, CodeEdited},
		{"another argument", `{"file_path":"a.ts"}`, `{"path":"a.ts"}`, CodeEdited},
		{"another file", `{"path":"a.ts"}`, `{"path":"b.ts"}`, CodeUsed},
		{"another folder", `{"path":"a.ts"}`, `{"path":"../a.ts"}`, CodeUsed},
	} {
		t.Run(c.name, func(t *testing.T) {
			var k talk
			at := k.user().run("read", c.read, 1000)
			k.run("edit", c.edited, 100)
			k.say(4)
			s := k.later()
			s.CWD = "/home/u"
			must.Equal(t, why(k.plan(s), at), c.want, "got")
		})
	}
}

// The ages of reads of files that were not changed, by the user turn of the last
// use: the last answer at which they stay, and the first at which they go.
func TestReadsOfUnchangedFilesGoByUserTurn(t *testing.T) {
	for _, c := range []struct {
		name        string
		turns       int
		stays, goes int
		warm        bool
	}{
		{"this turn, cold", 0, 63, 64, false},
		{"the turn before, cold", 1, 7, 8, false},
		{"earlier, cold", 2, 3, 4, false},
		{"much earlier, cold", 5, -1, 5, false},
		{"this turn, warm", 0, 63, 64, true},
		{"the turn before, warm", 1, 7, 8, true},
		{"earlier, warm", 2, 3, 4, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for answers, want := range map[int]string{c.stays: CodeUsed, c.goes: CodeUnused} {
				if answers < 0 { // so many turns are so many answers
					continue
				}
				var k talk
				k.user()
				at := k.run("read", `{"path":"a.ts"}`, 20_000)
				for range c.turns {
					k.say(1).user()
				}
				k.say(answers - c.turns)
				s := k.later()
				if c.warm {
					s = k.willing()
				}
				wantCodes(t, k.plan(s), map[int]string{at: want})
			}
		})
	}
}

func TestAUseOfTheFileKeepsItsReads(t *testing.T) {
	var c talk
	at := c.user().run("read", `{"path":"a.ts","offset":1,"limit":50}`, 1000)
	c.user().user().say(3)
	c.run("read", `{"path":"a.ts","offset":100,"limit":50}`, 300)
	c.say(3)
	wantCodes(t, c.plan(c.later()), map[int]string{at: CodeUsed})
}

func TestAUseInAnEarlierTurnKeepsItsReadsForAsLong(t *testing.T) {
	var c talk
	at := c.user().run("read", `{"path":"a.ts","offset":1,"limit":50}`, 1000)
	c.say(9)
	c.run("read", `{"path":"a.ts","offset":100,"limit":50}`, 300)
	c.user().say(1).user().say(1)
	wantCodes(t, c.plan(c.later()), map[int]string{at: CodeUsed})
	c.say(2)
	wantCodes(t, c.plan(c.later()), map[int]string{at: CodeUnused})
}

func TestAnAbortedUseOfAFileDoesNotCount(t *testing.T) {
	var c talk
	at := c.user().read("a.ts")
	c.user().user().say(4)
	id := c.ask("aborted", "read", `{"path":"a.ts"}`)
	c.add(result(id, "read", 1000))
	wantCodes(t, c.plan(c.later()), map[int]string{at: CodeUnused})
}

func TestForcedPruningUsesTheAgesOfAColdCache(t *testing.T) {
	var c talk
	at := c.user().read("a.ts")
	c.edit("a.ts")
	c.say(4)
	s := c.now()
	wantCodes(t, c.plan(s), map[int]string{at: CodeUsed})
	s.Forced = true
	wantCodes(t, c.plan(s), map[int]string{at: CodeEdited})
}

func TestTheSameUsageAfterAUsersMessageIsAnotherAnswer(t *testing.T) {
	c := talk{usage: func(t *talk) string { return `{"input":3,"output":1,"cacheRead":1000,"cacheWrite":7}` }}
	at := c.user().run("bash", `{"command":"x"}`, 500)
	c.user().say(1).user().say(1)
	wantCodes(t, c.plan(c.later()), map[int]string{at: CodeOutput})
}

func TestASearchDoesNotUseAFile(t *testing.T) {
	var c talk
	at := c.user().read("a.ts")
	c.user().user().say(3)
	c.run("grep", `{"pattern":"x","path":"a.ts"}`, 300)
	c.say(1)
	wantCodes(t, c.plan(c.later()), map[int]string{at: CodeUnused})
}

// Holds prune 15.
func TestPruningNeedsNoSecondUserMessage(t *testing.T) {
	var c talk
	c.user()
	for i := range 10 {
		c.run("bash", fmt.Sprintf(`{"command":"x%d"}`, i), 2000)
	}
	if p := c.plan(c.later()); len(p.Edits) != 8 {
		t.Errorf("%d edits: %s", len(p.Edits), p.Outcome)
	}
}

func TestEveryEditingToolSupersedes(t *testing.T) {
	for _, c := range []struct{ tool, args string }{
		{"Edit", `{"file_path":"/r/a.ts"}`},
		{"MultiEdit", `{"file_path":"/r/a.ts","edits":[]}`},
		{"write", `{"path":"a.ts","content":"x"}`},
		{"str_replace_based_edit_tool", `{"command":"str_replace","path":"/r/a.ts"}`},
		{"str_replace", `{"path":"a.ts"}`},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b\n"}`},
		{"apply_patch", `{"patch":"--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n"}`},
	} {
		var k talk
		at := k.user().read("a.ts")
		k.run(c.tool, c.args, 10)
		k.say(4)
		s := k.later()
		s.CWD = "/r"
		wantCodes(t, k.plan(s), map[int]string{at: CodeEdited})
	}
}

func TestAViewOfAnEditorIsARead(t *testing.T) {
	var c talk
	at := c.user().run("str_replace_based_edit_tool", `{"command":"view","path":"a.ts"}`, 1000)
	c.say(3)
	wantCodes(t, c.plan(c.later()), map[int]string{at: CodeUsed})
	c.run("str_replace_based_edit_tool", `{"command":"str_replace","path":"a.ts"}`, 10)
	c.say(4)
	wantCodes(t, c.plan(c.later()), map[int]string{at: CodeEdited})
}

func TestMessagesOfOneResponseCountAsOneResponse(t *testing.T) {
	c := talk{response: "r1", usage: func(t *talk) string { return `{"input":3,"output":1,"cacheRead":1000,"cacheWrite":7}` }}
	at := c.user().run("bash", `{"command":"x"}`, 500)
	c.run("bash", `{"command":"y"}`, 500)
	c.run("bash", `{"command":"z"}`, 500)
	wantCodes(t, c.plan(c.later()), map[int]string{at: CodeUnanswered})
	c.response = "r2"
	c.say(1)
	wantCodes(t, c.plan(c.later()), map[int]string{at: CodeYoung})
}

func TestAnswersAreToldApartByTheirIds(t *testing.T) {
	usage := message.Usage{Input: 3, CacheRead: 1000}
	one := message.Head{Role: message.RoleAssistant, Model: "m", ResponseID: "r1", Usage: usage, HasUsage: true}
	other, unnamed, billed, grown := one, one, one, one
	grown.Usage.Output = 382
	other.ResponseID, unnamed.ResponseID, billed.Usage.Input = "r2", "", 4
	for name, c := range map[string]struct {
		a, b *message.Head
		want bool
	}{
		"one id": {&one, &one, true}, "two ids with one usage": {&one, &other, false},
		"no ids": {&unnamed, &unnamed, false}, "an id and none": {&one, &unnamed, false},
		"one id, billed twice": {&one, &billed, false}, "one id, more output": {&one, &grown, true}, "the first": {nil, &one, false},
	} {
		must.Equal(t, message.SameAnswer(c.a, c.b), c.want, "%s", name)
	}
}

func TestASourceCanBeLeftOut(t *testing.T) {
	var c talk
	read := c.user().read("a.ts")
	c.edit("a.ts")
	run := c.run("bash", `{"command":"x"}`, 500)
	c.say(4)
	for name, want := range map[string][2]string{
		"edited": {CodeNoRule, CodeOutput}, "command": {CodeEdited, CodeNoRule}, "unchanged": {CodeEdited, CodeOutput},
	} {
		s := DefaultAuto()
		s.Without = append(s.Without, name)
		wantCodes(t, NewAuto(s).at(c.later(), c.parse()), map[int]string{read: want[0], run: want[1]})
	}
}
