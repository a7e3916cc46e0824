package policy

import (
	"slices"

	plain "github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/tool"
)

const (
	// CodeOutput: pruned, the model has read the output of the command.
	CodeOutput = "output"
	// CodeNotAgain: kept, running the tool again may have side effects.
	CodeNotAgain = "not-again"
)

// commandRule proposes the output of commands, which is usually read once, and of other
// tools that can be run again.
var commandRule = rule{
	name: "command", code: CodeOutput, judge: judgeCommand,
	words: words{report: "the model had responded to it"},
}

func judgeCommand(s AutoSettings) judge {
	a := agesOf(s.Preset)
	if slices.Contains(s.Without, withoutSooner) {
		a.commandSooner = a.command
	}
	ages := [...]int{a.command, a.commandSooner}
	var gone, young [len(ages)]Reason
	for i, n := range ages {
		gone[i] = Reason{CodeOutput, "its output is " + plain.Count(n, "response") + " old or older"}
		young[i] = Reason{CodeYoung, "its output is less than " + plain.Count(n, "response") + " old"}
	}
	never := Reason{CodeNotAgain, "nothing says that the tool may be run again"}
	return func(in *Input, f *fact, warm int) (bool, Reason) {
		i := 0
		if warm == 1 && f.class != tool.List && f.class != tool.Code && in.lasting() {
			i = 1
		}
		switch {
		case f.class == tool.Read:
			return false, Reason{}
		case f.age < 1:
			return false, unansweredReason()
		case f.class == tool.Other && (f.call == nil || !tool.MatchName(s.Rerun, f.call.Name)):
			return false, never
		case f.age < ages[i]:
			return false, young[i]
		}
		return true, gone[i]
	}
}
