package prune

// The codes of the reasons of the policy "auto" that are not those of one rule.
const (
	CodeYoung      = "young"      // kept: too few answers since
	CodeUsed       = "used"       // kept: the file was used lately
	CodeUnanswered = "unanswered" // kept: the model has not seen it
	CodeOrphan     = "orphan"     // kept: its call is not in the context
	CodeAborted    = "aborted"    // kept: the agent does not send it
	CodeSmall      = "small"      // kept: a marker would hardly be shorter
	CodePinned     = "pinned"     // kept: the user pinned it, or its path
	CodeKeepTool   = "keep-tool"  // kept: prune.keep.tools
	CodeKeepPath   = "keep-path"  // kept: prune.keep.paths
	CodeRestored   = "restored"   // kept: it was brought back lately
	CodeOwn        = "own"        // kept: the output of a command of the user
	CodeDepth      = "depth"      // kept: before the part that is worth rewriting
	CodeWait       = "wait"       // kept: prunable, but it does not pay yet
)

// ages are how many answers of the model a result stays. Of two, the first holds
// while the cache is cold, the second while it is warm.
type ages struct {
	command, replaced, arguments, report int
	// once is for reads of files that were changed once since, again for those that
	// were changed more often: what was read is then less and less what the file
	// says, and is looked for only a third as often.
	once, again             [2]int
	same, previous, earlier [2]int // by the user turn in which the file was last used
}

func agesOf(p Preset) ages {
	a := ages{
		command: 2, replaced: 4, arguments: 32, report: 16, once: [2]int{4, 8}, again: [2]int{1, 1},
		same: [2]int{64, 64}, previous: [2]int{8, 8}, earlier: [2]int{4, 4},
	}
	if p == PresetEager {
		a.once = [2]int{2, 2}
		a.same, a.previous, a.earlier = [2]int{48, 48}, [2]int{4, 8}, [2]int{2, 4}
	}
	return a
}
