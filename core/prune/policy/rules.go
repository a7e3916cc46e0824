package policy

import (
	"fmt"

	"github.com/coctostan/pictx/core/message"
	plain "github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// The codes of reasons of the policy "auto".
const (
	CodeEdited   = "edited"    // pruned: the file was changed since
	CodeUnused   = "unused"    // pruned: the file was not used for a while
	CodeOutput   = "output"    // pruned: the model has read the output of the command
	CodeReport   = "report"    // pruned: an old report of a sub-agent or from the web
	CodeReplaced = "replaced"  // trimmed: an edit replaced this text, so no file holds it any more
	CodeNotAgain = "not-again" // kept: running the tool again may have side effects

	CodeYoung      = "young"      // kept: too few answers since
	CodeUsed       = "used"       // kept: the file was used recently
	CodeUnanswered = "unanswered" // kept: the model has not seen it
	CodeOrphan     = "orphan"     // kept: its call is not in the context
	CodeAborted    = "aborted"    // kept: its call was aborted; the agent does not send it
	CodeSmall      = "small"      // kept: a marker would hardly be shorter
	CodePinned     = "pinned"     // kept: the user pinned it, or its path
	CodeKeepTool   = "keep-tool"  // kept: prune.keep.tools
	CodeKeepPath   = "keep-path"  // kept: prune.keep.paths
	CodeRestored   = "restored"   // kept: it was brought back recently
	CodeOwn        = "own"        // kept: the output of a command that the user ran
	CodeWait       = "wait"       // kept: prunable, but it does not pay yet
	CodeTurnRuns   = "turn-runs"  // kept: a turn is running, and its thinking is bound
)

// For how many responses of the model a result or an argument stays.
const (
	ageReplaced, ageReport, ageCommand = 4, 16, 2
	// ageOnce is for reads of files that were changed once since: while the cache is cold, and
	// while it is warm. ageAgain is for those that were changed more often: their content is less
	// and less like the file, and is fetched again only a third as often.
	ageOnceCold, ageOnceWarm, ageAgain = 4, 8, 1
	// These are for reads of other files, by the user turn of the last use of the file.
	ageSame, agePrevious, ageEarlier = 64, 8, 4
	// minArguments is the size below which the arguments of a call stay, as pi estimates it.
	minArguments token.Count = 200
)

// editedRule proposes reads of files that were changed later and not used since.
var editedRule = rule{
	name: "edited", code: CodeEdited, marker: ", superseded by a later edit", report: "the file has changed since",
	judge: func(AutoSettings) judge {
		return func(r *Result, cold bool) (bool, Reason) {
			age := ageAgain
			switch {
			case r.class != tool.Read || r.edits == 0:
				return false, Reason{}
			case r.age < 1:
				return false, unanswered
			case r.edits == 1 && cold:
				age = ageOnceCold
			case r.edits == 1:
				age = ageOnceWarm
			}
			if r.touched < age {
				return false, Reason{CodeUsed, fmt.Sprintf("the file was changed since, but used within %d responses", age)}
			}
			return true, Reason{CodeEdited, "the file has changed since"}
		}
	},
}

// unchangedRule proposes reads of files that were not changed since. The age depends on how
// many user turns ago the file was last used.
var unchangedRule = rule{
	name: "unchanged", code: CodeUnused, report: "the file was not used for a while",
	judge: func(AutoSettings) judge {
		byTurn := [...]int{ageSame, agePrevious, ageEarlier}
		var gone, used [len(byTurn)]Reason
		for t, n := range byTurn {
			gone[t] = Reason{CodeUnused, fmt.Sprintf("the file was not used for %d responses", n)}
			used[t] = Reason{CodeUsed, fmt.Sprintf("the file was used within %d responses", n)}
		}
		return func(r *Result, _ bool) (bool, Reason) {
			t := min(r.idle, len(byTurn)-1)
			switch {
			case r.class != tool.Read || r.edits > 0:
				return false, Reason{}
			case r.age < 1:
				return false, unanswered
			case r.touched < byTurn[t]:
				return false, used[t]
			}
			return true, gone[t]
		}
	},
}

// reportRule proposes old reports of sub-agents and from the web. To ask again costs more
// than to run a command and may give another result, so reports stay longer.
var reportRule = rule{
	name: "report", code: CodeReport, report: "a report read long ago",
	judge: func(s AutoSettings) judge {
		gone := Reason{CodeReport, fmt.Sprintf("a report that is %d responses old or older", ageReport)}
		young := Reason{CodeYoung, fmt.Sprintf("a report that is less than %d responses old", ageReport)}
		return func(r *Result, _ bool) (bool, Reason) {
			switch {
			case r.class != tool.Other || r.Call == nil || !tool.Reports(r.Call.Name) || tool.MatchName(s.Rerun, r.Call.Name):
				return false, Reason{}
			case r.age < 1:
				return false, unanswered
			case r.age < ageReport:
				return false, young
			}
			return true, gone
		}
	},
}

// commandRule proposes the output of commands, which is usually read once, and of other
// tools that can be run again.
var commandRule = rule{
	name: "command", code: CodeOutput, report: "the model had responded to it",
	judge: func(s AutoSettings) judge {
		gone := Reason{CodeOutput, "its output is " + plain.Count(ageCommand, "response") + " old or older"}
		young := Reason{CodeYoung, "its output is less than " + plain.Count(ageCommand, "response") + " old"}
		return func(r *Result, _ bool) (bool, Reason) {
			switch {
			case r.class == tool.Read:
				return false, Reason{}
			case r.age < 1:
				return false, unanswered
			case r.class == tool.Other && (r.Call == nil || !tool.MatchName(s.Rerun, r.Call.Name)):
				return false, Reason{CodeNotAgain, "nothing says that the tool may be run again"}
			case r.age < ageCommand:
				return false, young
			}
			return true, gone
		}
	},
}

// replacedRule proposes the old texts in the arguments of edits, which no file holds any
// more. The newest edit of each file stays complete.
var replacedRule = rule{name: "replaced", code: CodeReplaced, report: "old text of an edit, replaced since", propose: (*Input).proposeReplaced}

// change is a call that changes a file.
type change struct{ message, call, file int }

// proposeReplaced is replacedRule.
func (in *Input) proposeReplaced(say *Opinions) {
	if in.Situation.Message == nil {
		return
	}
	in.learn()
	why := Reason{CodeReplaced, fmt.Sprintf("replaced in a file %d responses ago or earlier", ageReplaced)}
	thinks := make(map[int]bool) // by response, of which several messages may be parts
	newest := make(map[int]change)
	var all []change
	for i := in.start; i < len(in.Messages); i++ {
		if h := in.Messages[i].Head; in.trimmable(i) {
			thinks[in.places[i].responses] = thinks[in.places[i].responses] || h.Content.ThinkingBlocks() > 0
			for j := range h.Calls {
				if file := in.changes(&h.Calls[j]); file >= 0 {
					newest[file] = change{i, j, file}
					all = append(all, newest[file])
				}
			}
		}
	}
	for _, c := range all {
		h, at := in.Messages[c.message].Head, in.places[c.message]
		// A provider may check signed content, and the thinking of the current turn.
		immutable := signed(h) || thinks[at.responses] && in.turns(at) == 0
		if newest[c.file] == c || in.at.responses-at.responses < ageReplaced || immutable || argumentsOf(h, c.call) <= minArguments {
			continue
		}
		one := TrimmedCall{Call: c.call}
		if now, raw := in.Situation.Message(c.message); now != nil {
			one.Saves = savedBy(now, raw, one, in.Messages[c.message].EntryID)
		}
		if one.Saves > 0 {
			say.trim(c.message, one, why)
		}
	}
}

// trimmable reports whether the message at an index is a response that may be trimmed. Content of
// an unknown version of pi is not ours to touch.
func (in *Input) trimmable(index int) bool {
	m := &in.Messages[index]
	if !m.is(message.RoleAssistant) || message.Voided(m.Head) || m.EntryID == "" || m.Head.Content.Kind != message.ContentBlocks {
		return false
	}
	for _, b := range m.Head.Content.Blocks {
		if b.Kind == message.BlockOther {
			return false
		}
	}
	return true
}

// changes returns the number of the file that a call changes, -1 for none.
func (in *Input) changes(c *message.Call) int {
	class := in.classOf(c.Name)
	if class != tool.Edit && class != tool.Editor {
		return -1
	}
	a := tool.ParseArguments(c.Arguments)
	if a.Path == nil || class == tool.Editor && tool.EditorClass(a.Command) != tool.Edit {
		return -1
	}
	return in.files.OfLiteral(a.Path)
}

// argumentsOf returns the size of the arguments of a call.
func argumentsOf(h *message.Head, call int) token.Count {
	for _, b := range h.Content.Blocks {
		if b.Kind == message.BlockToolCall && b.Call == call {
			return token.OfChars(b.Text.End - b.Text.Start)
		}
	}
	return 0
}
