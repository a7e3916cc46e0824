package policy

import (
	"fmt"

	"github.com/coctostan/pictx/core/tool"
)

// CodeUnused: pruned, the file was not used for a while.
const CodeUnused = "unused"

// unchangedRule proposes reads of files that were not changed since. The age depends on how
// many user turns ago the file was last used.
var unchangedRule = rule{
	name: "unchanged", code: CodeUnused, judge: judgeUnchanged,
	words: words{report: "the file was not used for a while"},
}

func judgeUnchanged(AutoSettings) judge {
	byTurn := [...]int{ageSame, agePrevious, ageEarlier}
	var gone, used [len(byTurn)]Reason
	for t, n := range byTurn {
		gone[t] = Reason{CodeUnused, fmt.Sprintf("the file was not used for %d responses", n)}
		used[t] = Reason{CodeUsed, fmt.Sprintf("the file was used within %d responses", n)}
	}
	return func(_ *Input, f *fact, _ bool) (bool, Reason) {
		t := min(f.turns, len(byTurn)-1)
		switch {
		case f.class != tool.Read || f.edits > 0:
			return false, Reason{}
		case f.age < 1:
			return false, unansweredReason()
		case f.touched < byTurn[t]:
			return false, used[t]
		}
		return true, gone[t]
	}
}
