package policy

import (
	"fmt"

	"github.com/coctostan/pictx/core/tool"
)

// CodeReport: pruned, an old report of a sub-agent or from the web.
const CodeReport = "report"

// reportRule proposes old reports of sub-agents and from the web. To ask again costs more
// than to run a command and may give another result, so reports stay longer.
var reportRule = rule{
	name: "report", code: CodeReport, judge: judgeReport,
	words: words{report: "a report read long ago"},
}

func judgeReport(s AutoSettings) judge {
	gone := Reason{CodeReport, fmt.Sprintf("a report that is %d responses old or older", ageReport)}
	young := Reason{CodeYoung, fmt.Sprintf("a report that is less than %d responses old", ageReport)}
	return func(_ *Input, f *fact, _ bool) (bool, Reason) {
		switch {
		case f.class != tool.Other || f.call == nil || !tool.Reports(f.call.Name) || tool.MatchName(s.Rerun, f.call.Name):
			return false, Reason{}
		case f.age < 1:
			return false, unansweredReason()
		case f.age < ageReport:
			return false, young
		}
		return true, gone
	}
}
