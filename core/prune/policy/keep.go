package policy

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// Protection is a reason to keep a proposed result.
type Protection struct {
	Reason
	// Keeps reports whether it applies to a result.
	Keeps func(in *Input, r *Result) bool
}

const (
	// minResult is the size below which a result is not worth a marker, as pi estimates it.
	minResult token.Count = 200
	// A text that was brought back stays until restoredTurns user turns or restoredResponses
	// responses have passed.
	restoredTurns     = 3
	restoredResponses = 10
	// impactTool is the tool of the code index whose results are pinned by default.
	impactTool = "kota_impact"
)

var (
	// keepMarked makes sure that planning over a plan's own output changes nothing.
	keepMarked = Protection{Reason{CodeMarked, "already pruned"}, func(_ *Input, r *Result) bool { return r.Message.Marked }}
	// keepErrors keeps diagnostics.
	keepErrors = Protection{
		Reason{CodeError, "the tool failed, and its message may matter"},
		func(_ *Input, r *Result) bool { return r.Message.Head.IsError },
	}
	keepUnanswered = Protection{unanswered, func(_ *Input, r *Result) bool { return r.age < 1 }}
	// keepAborted keeps what the agent does not send again, so that pruning it saves nothing.
	keepAborted        = Protection{aborted, func(_ *Input, r *Result) bool { return r.void }}
	keepOrphans        = Protection{Reason{CodeOrphan, "its call is not in the context"}, func(_ *Input, r *Result) bool { return r.Call == nil }}
	keepUnknownContent = Protection{
		Reason{CodeContent, "its content is not text and images"},
		func(_ *Input, r *Result) bool { return UnknownContent(&r.Message.Head.Content) },
	}
	keepSmall  = Protection{Reason{CodeSmall, "under 200 tokens"}, func(_ *Input, r *Result) bool { return r.Tokens < minResult }}
	keepPinned = Protection{Reason{CodePinned, "pinned"}, func(in *Input, r *Result) bool { return r.among(in.Situation.Pins.Entries) }}
	// keepPinnedPath keeps what shows a pinned file.
	keepPinnedPath = Protection{
		Reason{CodePinned, "its path is pinned"},
		func(in *Input, r *Result) bool { return in.names(r, in.Situation.Pins.Paths) },
	}
	// keepRestored keeps what was brought back: results, by the ids in the calls that asked for
	// them, and the results of those calls.
	keepRestored = Protection{Reason{CodeRestored, "brought back lately: within 3 user turns and 10 responses"}, (*Input).restored}
	keepActive   = Protection{
		Reason{CodeActive, "activated"},
		func(in *Input, r *Result) bool { return r.among(in.Situation.States.Active) },
	}

	unanswered = Reason{CodeUnanswered, "the model has not answered it yet"}
	aborted    = Reason{CodeAborted, "its call was aborted"}
)

// UnknownContent reports whether the content of a result is neither a string nor an array of
// text and images. Content of an unknown version of pi is not ours to drop, and dropping missing
// content saves nothing.
func UnknownContent(c *message.Content) bool {
	return c.Kind != message.ContentText && c.Kind != message.ContentBlocks || slices.ContainsFunc(c.Blocks, func(b message.Block) bool {
		return b.Kind != message.BlockText && b.Kind != message.BlockImage
	})
}

// among reports whether the entry of a result is one of those.
func (r *Result) among(entries []string) bool {
	return r.Message.EntryID != "" && slices.Contains(entries, r.Message.EntryID)
}

// names reports whether the call of a result names a file that matches one of the globs, be it
// by a command of a shell, however that reads it.
func (in *Input) names(r *Result, globs []string) bool {
	if len(globs) == 0 {
		return false
	}
	in.learn()
	u := &in.results[r.order].use
	if u.path >= 0 {
		return tool.MatchPath(globs, in.files.Path(u.path), in.Situation.CWD)
	}
	return tool.NamesPath(globs, u.command, in.Situation.CWD)
}

// KeptByName reports whether the setting prune.pinImpactSummaries keeps the results of a tool,
// until a user unpins them.
func KeptByName(tool string) bool { return tool == impactTool }

// keepTools keeps results by the name of their tool.
func keepTools(s AutoSettings) []Protection {
	return []Protection{
		{
			Reason{CodePinned, "answers of " + impactTool + " stay (prune.pinImpactSummaries)"},
			func(in *Input, r *Result) bool {
				return s.PinImpact && KeptByName(r.Message.Head.ToolName) && !slices.Contains(in.Situation.Pins.Released, r.Message.EntryID)
			},
		},
		{
			Reason{CodeKeepTool, "the tool is kept (prune.keep.tools)"},
			func(_ *Input, r *Result) bool { return tool.MatchName(s.KeepTools, r.Message.Head.ToolName) },
		},
	}
}

// keepPaths keeps results of calls that name a matching file.
func keepPaths(globs []string) Protection {
	return Protection{
		Reason{CodeKeepPath, "the path is kept (prune.keep.paths)"},
		func(in *Input, r *Result) bool { return in.names(r, globs) },
	}
}

// restored is keepRestored.
func (in *Input) restored(r *Result) bool {
	recent := func(p place) bool {
		return in.at.responses-p.responses < restoredResponses && in.turns(p) < restoredTurns
	}
	if r.Call != nil && recent(r.at) && tool.Expands(r.Call) {
		return true
	}
	for _, e := range slices.Backward(in.expanded) {
		if !recent(e.at) {
			break
		}
		if r.Message.EntryID != "" && strings.HasPrefix(r.Message.EntryID, e.id) {
			return true
		}
	}
	return false
}
