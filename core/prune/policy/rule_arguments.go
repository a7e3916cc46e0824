package policy

import (
	"fmt"
	"slices"
)

// CodeWritten: trimmed, the file holds what the call wrote.
const CodeWritten = "written"

// argumentsRule proposes the texts that old calls wrote to files, except for the newest
// change of each file. It is optional: reads of such files are pruned as well, so an edit
// may be the last place in the context that shows the text.
var argumentsRule = rule{
	name: argumentsName, code: CodeWritten, optional: true,
	source: func(s AutoSettings) Source {
		if !slices.Contains(s.With, argumentsName) && !slices.Contains(s.Only, argumentsName) {
			return nil
		}
		gone := Reason{CodeWritten, fmt.Sprintf("written to a file %d responses ago or earlier", ageArguments)}
		return writtenSource{argumentsName, ageArguments, gone, false}
	},
	words: words{report: "written to a file long ago"},
}

// argumentsName is the name of argumentsRule.
const argumentsName = "arguments"
