package policy

import (
	"fmt"
	"slices"

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

// farTurns is the number of user turns from which on ages are the same.
const farTurns = 2

func judgeUnchanged(s AutoSettings) judge {
	a := agesOf(s.Preset)
	const lasting = 2 // the third age: of a warm cache that lasts
	byTurn := [farTurns + 1][3]int{}
	for t, n := range [len(byTurn)][2]int{a.same, a.previous, a.earlier} {
		byTurn[t] = [...]int{n[0], n[1], n[1]}
		if t > 0 && !slices.Contains(s.Without, withoutSooner) {
			byTurn[t][lasting] = a.unusedSooner
		}
	}
	var gone, used [len(byTurn)][lasting + 1]Reason
	for t := range byTurn {
		for i, n := range byTurn[t] {
			gone[t][i] = Reason{CodeUnused, fmt.Sprintf("the file was not used for %d responses", n)}
			used[t][i] = Reason{CodeUsed, fmt.Sprintf("the file was used within %d responses", n)}
		}
	}
	return func(in *Input, f *fact, warm int) (bool, Reason) {
		t := min(f.turns, farTurns)
		if warm == 1 && in.lasting() {
			warm = lasting
		}
		switch {
		case f.class != tool.Read || f.edits > 0:
			return false, Reason{}
		case f.age < 1:
			return false, unansweredReason()
		case f.touched < byTurn[t][warm]:
			return false, used[t][warm]
		}
		return true, gone[t][warm]
	}
}
