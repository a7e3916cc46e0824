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
)
