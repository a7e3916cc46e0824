package prune

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

const (
	// minResult is the size below which a result is not worth a marker, by pi's
	// estimate.
	minResult token.Count = 200
	// restoredTurns and restoredAnswers are how long text stays that was brought
	// back: until one of them has passed.
	restoredTurns   = 3
	restoredAnswers = 10
)

// KeepUnanswered keeps results that the model has not answered yet.
func KeepUnanswered(in *Input, r Result) (Reason, bool) {
	return unansweredReason(), in.fact(r).age < 1
}

// KeepAborted keeps results of answers that were aborted or failed: the agent does
// not send those answers again, and nothing is saved.
func KeepAborted(in *Input, r Result) (Reason, bool) {
	return Reason{CodeAborted, "its call was aborted"}, in.fact(r).void
}

// KeepOrphans keeps results without a call: what they belong to is not known.
func KeepOrphans(in *Input, r Result) (Reason, bool) {
	return Reason{CodeOrphan, "its call is not in the context"}, in.fact(r).call == nil
}

// KeepSmall keeps results that a marker would hardly be shorter than.
func KeepSmall(_ *Input, r Result) (Reason, bool) {
	return Reason{CodeSmall, "under 200 tokens"}, r.Tokens < minResult
}

// KeepPinned keeps what the user pinned.
func KeepPinned(in *Input, r Result) (Reason, bool) {
	pins := &in.Situation.Pins
	if r.Message.EntryID != "" && slices.Contains(pins.Entries, r.Message.EntryID) {
		return Reason{CodePinned, "pinned"}, true
	}
	if len(pins.Paths) == 0 {
		return Reason{}, false
	}
	f := in.fact(r)
	if f.path < 0 || !tool.MatchPath(pins.Paths, in.history().files.Path(f.path), in.Situation.CWD) {
		return Reason{}, false
	}
	return Reason{CodePinned, "its path is pinned"}, true
}

// impactTool is the tool of the code index whose results are pinned.
const impactTool = "kota_impact"

// KeptByName reports whether the results of a tool stay for its name alone, when the
// setting prune.kota.pin_impact says so, until somebody takes that back.
func KeptByName(tool string) bool { return tool == impactTool }

// keepTools keeps the results of tools by name.
func keepTools(s AutoSettings) Protection {
	return func(in *Input, r Result) (Reason, bool) {
		name := r.Message.Head.ToolName
		switch {
		case s.PinImpact && KeptByName(name) && !slices.Contains(in.Situation.Pins.Released, r.Message.EntryID):
			return Reason{CodePinned, "results of " + impactTool + " are pinned"}, true
		case tool.MatchName(s.KeepTools, name):
			return Reason{CodeKeepTool, "the tool is kept (prune.keep.tools)"}, true
		}
		return Reason{}, false
	}
}

// keepPaths keeps results of calls that name one of these files.
func keepPaths(globs []string) Protection {
	why := Reason{CodeKeepPath, "the path is kept (prune.keep.paths)"}
	return func(in *Input, r Result) (Reason, bool) {
		f := in.fact(r)
		if f.path < 0 || len(globs) == 0 {
			return why, false
		}
		return why, tool.MatchPath(globs, in.history().files.Path(f.path), in.Situation.CWD)
	}
}

// KeepRestored keeps what was brought back lately: results by their entries, and
// the results of calls that bring back text.
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
