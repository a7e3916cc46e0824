package policy

import (
	"fmt"
	"testing"
)

// TestAFileThatTheUserNamedStaysWhileTheCacheIsCold unless it is long or was changed since.
func TestAFileThatTheUserNamedStaysWhileTheCacheIsCold(t *testing.T) {
	var c talk
	c.add(`{"role":"user","content":"go through docs/plan.md and @src/large.go, then fix old.go"}`)
	named, other := c.read("docs/plan.md"), c.read("docs/notes.md")
	large := c.run("read", `{"path":"src/large.go"}`, 4000)
	old := c.read("old.go")
	c.edit("old.go")
	c.edit("old.go")
	c.user().user().say(9)
	s := c.later()
	s.Text = c.texts()
	want := map[int]string{named: CodeNamed, other: CodeUnused, large: CodeUnused, old: CodeEdited}
	wantCodes(t, c.plan(s), want)

	warm := c.willing()
	warm.Text = c.texts()
	wantCodes(t, c.plan(warm), map[int]string{named: CodeDepth, other: CodeUnused}) // as any other

	want[named] = CodeUnused
	s.Forced = true
	off := long(DefaultAuto())
	off.Without = []string{withoutNamed}
	for why, p := range map[string]Plan{
		"asked to prune now": c.plan(s), "switched off": NewAuto(off).PlanAt(s, c.parse()),
	} {
		t.Log(why)
		wantCodes(t, p, want)
	}
}

// TestAPromptThatNamesAFileKeepsItBeforeItHasAnEntry: pruning comes first.
func TestAPromptThatNamesAFileKeepsItBeforeItHasAnEntry(t *testing.T) {
	var c talk
	at := c.user().read("docs/plan.md")
	c.user().user().say(9)
	s := c.later()
	wantCodes(t, c.plan(s), map[int]string{at: CodeUnused})
	s.Asked = "back to plan.md, please"
	wantCodes(t, c.plan(s), map[int]string{at: CodeNamed})
}

// TestASessionThatChangesFilesBlindlyKeepsReadsOfChangedFilesLonger once that has happened
// three times.
func TestASessionThatChangesFilesBlindlyKeepsReadsOfChangedFilesLonger(t *testing.T) {
	for blind, want := range map[int]string{2: CodeEdited, 3: CodeUsed} {
		var c talk
		c.user()
		var reads []int
		for i := range blind {
			reads = append(reads, c.read(fmt.Sprintf("blind%d.go", i)))
		}
		c.say(1)
		gone := len(c.list)
		for i := range blind {
			c.edit(fmt.Sprintf("blind%d.go", i))
		}
		at := c.read("file.go")
		c.edit("file.go")
		c.edit("file.go")
		c.say(9)
		messages := c.parse()
		for _, i := range reads {
			messages[i] = Edit{EntryID: messages[i].EntryID, Tokens: 1000, Marker: "[gone]"}.Apply(messages[i], gone)
		}
		wantCodes(t, unguarded().PlanAt(c.later(), messages), map[int]string{at: want})
	}
}
