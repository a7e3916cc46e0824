package policy

import (
	"fmt"

	"github.com/coctostan/pictx/core/token"
)

// CodeReplaced: trimmed, an edit replaced this text, so no file holds it any more.
const CodeReplaced = "replaced"

// replacedRule proposes the old texts in the arguments of edits, which no file holds any
// more. The newest edit of each file stays complete.
var replacedRule = rule{
	name: "replaced", code: CodeReplaced,
	source: replacedSource{Reason{CodeReplaced, fmt.Sprintf("replaced in a file %d responses ago or earlier", ageReplaced)}},
	words:  words{report: "old text of an edit, replaced since"},
}

// minArguments is the size below which the arguments of a call stay, as pi estimates it.
const minArguments token.Count = 200

// replacedSource proposes arguments of calls that changed a file at least ageReplaced answers
// ago and whose file a later call changes again.
type replacedSource struct{ gone Reason }

// Name implements Source.
func (replacedSource) Name() string { return "replaced" }

// Propose implements Source.
func (s replacedSource) Propose(in *Input) Proposals {
	var out Proposals
	if in.Situation.Message == nil {
		return out
	}
	for i, a := range in.Answers() {
		if a.Age < ageReplaced || a.immutable() {
			continue
		}
		trim := Trim{}
		for call := len(a.Files) - 1; call >= 0; call-- {
			file := a.Files[call]
			if file != "" && in.answers.changed[file].after(callPlace{i, call}) && a.argumentsOf(call) > minArguments {
				one := TrimmedCall{Call: call}
				if one.Saves = in.saves(&a, one); one.Saves > 0 {
					trim.Calls = append(trim.Calls, one)
				}
			}
		}
		if !trim.empty() {
			out.Prune = append(out.Prune, Proposal{Index: a.Index, Reason: s.gone, Trim: trim})
		}
	}
	return out
}

// saves returns how many tokens trimming the arguments of a call saves.
func (in *Input) saves(a *Answer, c TrimmedCall) token.Count {
	h, raw := in.Situation.Message(a.Index)
	if h == nil {
		return 0
	}
	return savedBy(h, raw, c, a.Message.EntryID)
}

// immutable reports whether the calls of a message must stay as the model wrote them: a
// provider may check signed content, and the thinking of the current turn.
func (a *Answer) immutable() bool { return a.Signed || a.Thinks && !a.Closed }
