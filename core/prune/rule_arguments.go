package prune

import (
	"fmt"
	"slices"
)

// CodeWritten: trimmed, what a call wrote stands in the file.
const CodeWritten = "written"

// argumentsRule proposes the texts that old calls wrote to files, but for the newest
// change of each file. It is asked only where the settings want it: reads of such files
// are pruned, too, and what an edit wrote is then the last place that shows them.
var argumentsRule = rule{
	name: argumentsName, code: CodeWritten, optional: true,
	source: func(s AutoSettings) Source {
		if !slices.Contains(s.With, argumentsName) && !slices.Contains(s.Only, argumentsName) {
			return nil
		}
		n := agesOf(s.Preset).arguments
		gone := Reason{CodeWritten, fmt.Sprintf("written to a file %d responses ago or earlier", n)}
		return writtenSource{argumentsName, n, gone, false}
	},
	words: words{report: "written to a file long ago"},
}

// argumentsName is the name of argumentsRule.
const argumentsName = "arguments"
