package policy

import (
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
	gone := Reason{CodeOutput, "its output is " + plain.Count(ageCommand, "response") + " old or older"}
	young := Reason{CodeYoung, "its output is less than " + plain.Count(ageCommand, "response") + " old"}
	never := Reason{CodeNotAgain, "nothing says that the tool may be run again"}
	return func(_ *Input, f *fact, _ bool) (bool, Reason) {
		switch {
		case f.class == tool.Read:
			return false, Reason{}
		case f.age < 1:
			return false, unansweredReason()
		case f.class == tool.Other && (f.call == nil || !tool.MatchName(s.Rerun, f.call.Name)):
			return false, never
		case f.age < ageCommand:
			return false, young
		}
		return true, gone
	}
}
