package prune

import (
	"fmt"

	"github.com/coctostan/pictx/core/tool"
)

// CodeCovered: pruned, the lines were read again later.
const CodeCovered = "covered"

// coveredRule proposes reads whose lines a later read shows.
var coveredRule = rule{
	name: "covered", code: CodeCovered, judge: judgeCovered,
	words: words{marker: ", read again later", report: "read again later"},
}

func judgeCovered(s AutoSettings) judge {
	a := agesOf(s.Preset)
	gone := Reason{CodeCovered, "a later read shows the same lines"}
	young := Reason{CodeYoung, fmt.Sprintf("read again later, but less than %d answers old", a.covered)}
	return func(_ *Input, f *fact, _ int) (bool, Reason) {
		switch {
		case f.class != tool.Read || !f.covered:
			return false, Reason{}
		case f.age < 1:
			return false, unanswered()
		case f.age < a.covered:
			return false, young
		}
		return true, gone
	}
}
