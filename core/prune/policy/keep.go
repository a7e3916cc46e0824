package policy

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

const (
	// minResult is the size below which a result is not worth a marker, as pi estimates it.
	minResult token.Count = 200
	// A text that was brought back stays until restoredTurns user turns or restoredAnswers
	// answers have passed.
	restoredTurns   = 3
	restoredAnswers = 10
)

// KeepUnanswered keeps results that the model has not seen yet.
func KeepUnanswered(in *Input, r Result) (Reason, bool) {
	return unansweredReason(), in.fact(r).age < 1
}

// KeepAborted keeps results of calls that were aborted or failed: the agent does not send
// those messages again, so pruning them saves nothing.
func KeepAborted(in *Input, r Result) (Reason, bool) {
	return Reason{CodeAborted, "its call was aborted"}, in.fact(r).void
}

// KeepOrphans keeps results whose call is not in the context.
func KeepOrphans(in *Input, r Result) (Reason, bool) {
	return Reason{CodeOrphan, "its call is not in the context"}, in.fact(r).call == nil
}

// KeepSmall keeps results that are hardly longer than a marker.
func KeepSmall(_ *Input, r Result) (Reason, bool) {
	return Reason{CodeSmall, "under 200 tokens"}, r.Tokens < minResult
}

// KeepPinned keeps what the user pinned.
func KeepPinned(in *Input, r Result) (Reason, bool) {
	pins := &in.Situation.Pins
	if r.Message.EntryID != "" && slices.Contains(pins.Entries, r.Message.EntryID) {
		return Reason{CodePinned, "pinned"}, true
	}
	return Reason{CodePinned, "its path is pinned"}, in.names(in.fact(r), pins.Paths)
}

// names reports whether a call names a file that matches one of the globs, be it by a command
// of a shell, however that reads it.
func (in *Input) names(f *fact, globs []string) bool {
	if f.path >= 0 && len(globs) > 0 {
		return tool.MatchPath(globs, in.history().files.Path(f.path), in.Situation.CWD)
	}
	return tool.NamesPath(globs, f.command, in.Situation.CWD)
}

// impactTool is the tool of the code index whose results are pinned by default.
const impactTool = "kota_impact"

// KeptByName reports whether the setting prune.pinImpactSummaries keeps the results of a tool,
// until a user unpins them.
func KeptByName(tool string) bool { return tool == impactTool }

// keepTools keeps results by the name of their tool.
func keepTools(s AutoSettings) Protection {
	return func(in *Input, r Result) (Reason, bool) {
		name := r.Message.Head.ToolName
		switch {
		case s.PinImpact && KeptByName(name) && !slices.Contains(in.Situation.Pins.Released, r.Message.EntryID):
			return Reason{CodePinned, "answers of " + impactTool + " stay (prune.pinImpactSummaries)"}, true
		case tool.MatchName(s.KeepTools, name):
			return Reason{CodeKeepTool, "the tool is kept (prune.keep.tools)"}, true
		}
		return Reason{}, false
	}
}

// keepPaths keeps results of calls that name a matching file.
func keepPaths(globs []string) Protection {
	why := Reason{CodeKeepPath, "the path is kept (prune.keep.paths)"}
	return func(in *Input, r Result) (Reason, bool) {
		return why, in.names(in.fact(r), globs)
	}
}

// KeepRestored keeps what was brought back recently: results, by the ids in the calls that
// asked for them, and the results of those calls.
func KeepRestored(in *Input, r Result) (Reason, bool) {
	why := Reason{CodeRestored, "brought back lately: within 3 user turns and 10 responses"}
	f := in.fact(r)
	if f.call != nil && f.age < restoredAnswers && in.turns(r.born) < restoredTurns && tool.Expands(f.call) {
		return why, true
	}
	if r.Message.EntryID == "" {
		return why, false
	}
	h := in.history()
	for _, e := range slices.Backward(h.expanded) {
		if h.answers-e.answers >= restoredAnswers || in.turns(e.users) >= restoredTurns {
			break
		}
		if strings.HasPrefix(r.Message.EntryID, e.id) {
			return why, true
		}
	}
	return why, false
}
