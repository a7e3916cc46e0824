package policy

// The codes of reasons of the policy "auto" that do not belong to one rule.
const (
	CodeYoung      = "young"      // kept: too few answers since
	CodeUsed       = "used"       // kept: the file was used recently
	CodeUnanswered = "unanswered" // kept: the model has not seen it
	CodeOrphan     = "orphan"     // kept: its call is not in the context
	CodeAborted    = "aborted"    // kept: its call was aborted; the agent does not send it
	CodeSmall      = "small"      // kept: a marker would hardly be shorter
	CodePinned     = "pinned"     // kept: the user pinned it, or its path
	CodeKeepTool   = "keep-tool"  // kept: prune.keep.tools
	CodeKeepPath   = "keep-path"  // kept: prune.keep.paths
	CodeNamed      = "named"      // kept: the user named the file
	CodeRestored   = "restored"   // kept: it was brought back recently
	CodeOwn        = "own"        // kept: the output of a command that the user ran
	CodeDepth      = "depth"      // kept: before the part that is worth rewriting
	CodeWait       = "wait"       // kept: prunable, but it does not pay yet
)

// ages are for how many answers of the model a result stays. In a pair, the first value
// applies while the cache is cold, the second while it is warm.
type ages struct {
	replaced, arguments, report int
	// command is for the output of commands. commandSooner and unusedSooner are for this
	// output and for reads of earlier turns while a cache is warm that lasts long: what
	// follows a text is written again when it goes, so it goes while little follows.
	// Listings and searches still stay for command: the next responses open what they name.
	command, commandSooner, unusedSooner int
	// once is for reads of files that were changed once since, again for those that were
	// changed more often: their content is less and less like the file, and is fetched
	// again only a third as often.
	once, again [2]int
	// blind is for reads of changed files once the model often changes files whose text is
	// pruned.
	blind                   int
	same, previous, earlier [2]int // by the user turn of the last use of the file
}

func agesOf(p Preset) ages {
	a := ages{
		replaced: 4, arguments: 32, report: 16, command: 2, commandSooner: 1, unusedSooner: 2,
		once: [2]int{4, 8}, again: [2]int{1, 1}, blind: 24,
		same: [2]int{64, 64}, previous: [2]int{8, 8}, earlier: [2]int{4, 4},
	}
	if p == PresetEager {
		a.once = [2]int{2, 2}
		a.same, a.previous, a.earlier = [2]int{48, 48}, [2]int{4, 8}, [2]int{2, 4}
	}
	return a
}
