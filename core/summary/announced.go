package summary

import (
	"regexp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
)

// announcements are the steps that the model said it had yet to take, in the last turns.
type announcements struct {
	steps []step
	open  *regexp.Regexp // begins a sentence about a step, or says that something is left
	then  *regexp.Regexp // one step after another: its verb is captured
	none  *regexp.Regexp // says that nothing is left
	other *regexp.Regexp // what follows "then" in a description rather than in a plan
	name  *regexp.Regexp
}

// step is a sentence that announces something.
type step struct {
	text  string
	names []string // what it names, without what later calls have worked on
	named bool     // there were names
	turn  int      // number of prompts before it
}

func newAnnouncements() *announcements {
	return &announcements{
		open:  regexp.MustCompile(`(?i)^((the )?next( up| steps?)?( is| are)?|then|after (that|this)|afterwards|finally|lastly|remaining|to-?do|for later)\b\W|\b(still|left|yet|remains?) to (be )?[a-z]{2,}|\bstill (needs?|ha(ve|s)) to\b|\bnot (done|written|tested|updated|removed|deleted|wired) yet\b|\bnot yet (done|written|tested|updated|removed|deleted|wired)\b`),
		none:  regexp.MustCompile(`(?i)\b(nothing|none)\b|\bno [a-z]+ (is|are|remains?)\b`),
		then:  regexp.MustCompile(`(?i)(?:[,;]| and| but) (?:then|afterwards|after that|finally) (?:(?:i|we)(?:['’]ll| will| need to| have to) )?([a-z]+)`),
		other: regexp.MustCompile(`(?i)^(it|its|he|she|they|we|you|i|the|an?|this|that|these|those|there|both|all|each|every|any|no|not|only|just|is|are|was|were|has|had|have|will|would|can|could|may|might|must|got|ran|saw|made|took|went|found|\w*([^s]s|ed|ing))$`),
		name:  regexp.MustCompile("`([^`\n]{3,80})`" + `|([\w.-]*\w/[\w./-]*\w|\w[\w-]*\.[a-z]\w{0,4}\b)`),
	}
}

// ahead reports whether a sentence announces a step: "Next the cart", "we move it first and
// then delete the script", "the docs have still to be written". "It reads the file, then
// filters it" does not.
func (a *announcements) ahead(sentence string) bool {
	if strings.HasSuffix(sentence, "?") || a.none.MatchString(sentence) {
		return false
	}
	m := a.then.FindStringSubmatch(sentence)
	return a.open.MatchString(sentence) || m != nil && !a.other.MatchString(m[1])
}

// turns is how many of the latest turns announcements are kept of: a user who says "go on"
// begins a turn without a plan of its own.
const turns = 2

// say takes in the announcements of a response.
func (a *announcements) say(text string, turn int) {
	for _, s := range sentences(text) {
		if !a.ahead(s) {
			continue
		}
		st := step{text: fence.OneLine(s, shortPoint), turn: turn}
		for _, m := range a.name.FindAllStringSubmatch(s, -1) {
			st.names = append(st.names, m[1]+m[2])
		}
		st.named = len(st.names) > 0
		a.steps = append(a.steps, st)
	}
}

// call drops the steps of which everything they name has been worked on.
func (a *announcements) call(c message.Call) {
	args := string(c.Arguments)
	for i := range a.steps {
		s := &a.steps[i]
		s.names = slices.DeleteFunc(s.names, func(name string) bool { return strings.Contains(args, name) })
	}
	a.steps = slices.DeleteFunc(a.steps, func(s step) bool { return s.named && len(s.names) == 0 })
}

// lines returns the steps of the last turns.
func (a *announcements) lines(prompts int) []string {
	var out []string
	for _, s := range a.steps {
		if s.turn > prompts-turns {
			out = append(out, s.text)
		}
	}
	return out
}
