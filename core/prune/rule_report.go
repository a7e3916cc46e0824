package prune

import (
	"fmt"

	"github.com/coctostan/pictx/core/tool"
)

// CodeReport: pruned, a report of a sub-agent or of the web that was read long ago.
const CodeReport = "report"

// reportRule proposes old reports of sub-agents and of the web. Asking again costs more
// than a command does and may say something else, so they stay longer.
var reportRule = rule{
	name: "report", code: CodeReport, judge: judgeReport,
	words: words{report: "a report read long ago"},
}

func judgeReport(s AutoSettings) judge {
	age := agesOf(s.Preset).report
	gone := Reason{CodeReport, fmt.Sprintf("a report that is %d responses old or older", age)}
	young := Reason{CodeYoung, fmt.Sprintf("a report that is less than %d responses old", age)}
	return func(_ *Input, f *fact, _ int) (bool, Reason) {
		switch {
		case f.class != tool.Other || f.call == nil || !tool.Reports(f.call.Name) || tool.MatchName(s.Rerun, f.call.Name):
			return false, Reason{}
		case f.age < 1:
			return false, unansweredReason()
		case f.age < age:
			return false, young
		}
		return true, gone
	}
}
