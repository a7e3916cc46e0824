package policy

import (
	"fmt"

	"github.com/coctostan/pictx/core/tool"
)

// CodeEdited: pruned, the file was changed since.
const CodeEdited = "edited"

// editedRule proposes reads of files that were changed later and not used since.
var editedRule = rule{
	name: "edited", code: CodeEdited, judge: judgeEdited,
	words: words{marker: ", superseded by a later edit", report: "the file has changed since"},
}

func judgeEdited(AutoSettings) judge {
	gone := Reason{CodeEdited, "the file has changed since"}
	used := func(age int) Reason {
		return Reason{CodeUsed, fmt.Sprintf("the file was changed since, but used within %d responses", age)}
	}
	return func(_ *Input, f *fact, cold bool) (bool, Reason) {
		age := ageAgain
		switch {
		case f.class != tool.Read || f.edits == 0:
			return false, Reason{}
		case f.age < 1:
			return false, unansweredReason()
		case f.edits == 1 && cold:
			age = ageOnceCold
		case f.edits == 1:
			age = ageOnceWarm
		}
		if f.touched < age {
			return false, used(age)
		}
		return true, gone
	}
}
