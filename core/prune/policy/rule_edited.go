package policy

import (
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/tool"
)

// CodeEdited: pruned, the file was changed since.
const CodeEdited = "edited"

// manyBlind is the number of changes to files whose text was pruned from which on reads of
// changed files stay longer: such a session works on from what it has read.
const manyBlind = 3

// editedRule proposes reads of files that were changed later and not used since.
var editedRule = rule{
	name: "edited", code: CodeEdited, judge: judgeEdited,
	words: words{marker: ", superseded by a later edit", report: "the file has changed since"},
}

func judgeEdited(s AutoSettings) judge {
	a := agesOf(s.Preset)
	gone := Reason{CodeEdited, "the file has changed since"}
	if slices.Contains(s.Without, withoutBlind) {
		a.blind = 0
	}
	blind := Reason{CodeUsed, fmt.Sprintf("the file was used within %d responses, and this session changes files whose text is gone", a.blind)}
	byEdits := [...][2]int{a.once, a.again}
	var used [len(byEdits)][2]Reason
	for e := range byEdits {
		for i, n := range byEdits[e] {
			used[e][i] = Reason{CodeUsed, fmt.Sprintf("the file was changed since, but used within %d responses", n)}
		}
	}
	return func(in *Input, f *fact, warm int) (bool, Reason) {
		e := min(f.edits, len(byEdits)) - 1
		switch {
		case f.class != tool.Read || e < 0:
			return false, Reason{}
		case f.age < 1:
			return false, unansweredReason()
		case f.touched < byEdits[e][warm]:
			return false, used[e][warm]
		case in.hist.blind >= manyBlind && f.touched < a.blind:
			return false, blind
		}
		return true, gone
	}
}
