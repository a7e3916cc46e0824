package summary_test

import (
	"fmt"
	"strings"
	"testing"
)

// announced is the section of announced steps in a text.
func announced(text string) string {
	_, list, _ := strings.Cut(text, "### Announced, and perhaps not done yet\n")
	list, _, _ = strings.Cut(list, "\n###")
	return list
}

// atWork is a session in which the model says something in the middle of its work, and works
// on for longer than the latest remarks show.
func atWork(t *testing.T, remark string) *session {
	t.Helper()
	s := newSession(t)
	s.user(t, "Please move the export into the scheduler.")
	s.entry(t, fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":%q},{"type":"toolCall","id":"r","name":"bash","arguments":{"command":"make build"}}]}`, "Building works again. "+remark))
	for i := range 12 {
		s.runs(t, fmt.Sprintf("make step%d", i), "ok")
		s.says(t, fmt.Sprintf("Part %c of the scheduler is in place now.", 'A'+i))
	}
	return s
}

func TestAnExtractKeepsStepsThatWereAnnouncedInTheMiddleOfWork(t *testing.T) {
	for _, step := range []string{
		"I move the settings over, then remove jobs/nightly.yml.",
		"We keep both for a day and then switch off the old queue.",
		"Next, the retry policy.",
		"After that the timetable goes into the manual.",
		"The manual has still to be written.",
		"The alarms are left to wire up.",
		"The migration is not yet tested.",
		"Remaining: the timetable and the alarms.",
	} {
		if list := announced(atWork(t, step).extract(t)); !strings.Contains(list, step) {
			t.Errorf("%q is not among the announced steps: %q", step, list)
		}
	}
	for _, other := range []string{
		"The runner reads the table, then it forks a worker.",
		"It reads the table and then forks workers.",
		"I read the log, then ran the tests.",
		"The job failed and then restarted.",
		"Nothing is left to do.",
		"No steps are left to take.",
		"Shall I move the settings, then remove jobs/nightly.yml?",
	} {
		if list := announced(atWork(t, other).extract(t)); list != "" {
			t.Errorf("%q is among the announced steps: %q", other, list)
		}
	}
}

// Nobody should do again what was done.
func TestAnAnnouncedStepIsGoneOnceACallWorkedOnWhatItNames(t *testing.T) {
	const step = "Then remove jobs/nightly.yml and `queue.drain`."
	for command, kept := range map[string]bool{
		"cat jobs/nightly.yml && grep queue.drain src":                 true, // only looks
		"git rm jobs/nightly.yml":                                      true, // half of it
		"git rm jobs/nightly.yml && sed -i /queue.drain/d src/main.rb": false,
	} {
		s := atWork(t, step)
		s.runs(t, command, "ok")
		if list := announced(s.extract(t)); strings.Contains(list, step) != kept {
			t.Errorf("after %q the announced steps are %q, want the step among them: %v", command, list, kept)
		}
	}
}

// A user who says "go on" keeps the plan; two turns later it is an old one.
func TestAnnouncedStepsOfOldTurnsAreGone(t *testing.T) {
	const step = "Next, the retry policy."
	s := atWork(t, step)
	s.user(t, "Go on.")
	s.says(t, "The retries are counted.")
	if list := announced(s.extract(t)); !strings.Contains(list, step) {
		t.Errorf("a turn later the announced steps are %q", list)
	}
	s.user(t, "Now something else, please: the logo.")
	s.says(t, "The logo is blue.")
	if list := announced(s.extract(t)); list != "" {
		t.Errorf("two turns later the announced steps are %q", list)
	}
}
