package prune

import (
	"fmt"
	"slices"
)

// The codes of the reasons of the policy "auto".
const (
	CodeCovered    = "covered"    // pruned: the lines were read again later
	CodeEdited     = "edited"     // pruned: the file was changed since
	CodeUnused     = "unused"     // pruned: the file was not used for long
	CodeOutput     = "output"     // pruned: the answer to a command was read
	CodeRepeat     = "repeat"     // pruned: a later call returned the same
	CodeYoung      = "young"      // kept: too few answers since
	CodeUsed       = "used"       // kept: the file was used lately
	CodeNotAgain   = "not-again"  // kept: the tool may not be run again
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
	command, covered int
	// once is for reads of files that were changed once since, again for those that
	// were changed more often: what was read is then less and less what the file
	// says, and is looked for only a third as often.
	once, again             [2]int
	same, previous, earlier [2]int // by the user turn in which the file was last used
}

func agesOf(p Preset) ages {
	a := ages{
		command: 2, covered: 2, once: [2]int{4, 8}, again: [2]int{2, 2},
		same: [2]int{64, 64}, previous: [2]int{12, 12}, earlier: [2]int{4, 8},
	}
	if p == PresetEager {
		a.once = [2]int{2, 2}
		a.same, a.previous, a.earlier = [2]int{48, 48}, [2]int{4, 8}, [2]int{2, 4}
	}
	return a
}

// rule is a Source that looks at one result at a time.
type rule struct {
	name string
	// judge returns the reason for a result to go, or to stay; without a reason
	// the rule has nothing to say.
	judge func(in *Input, f *fact, warm int) (prune bool, why Reason)
}

// Name implements Source.
func (r rule) Name() string { return r.name }

// Propose implements Source.
func (r rule) Propose(in *Input) Proposals {
	h, warm := in.history(), in.warm()
	var out Proposals
	for i := range h.facts {
		prune, why := false, Reason{CodeAborted, "its call was aborted"}
		if !h.facts[i].void {
			prune, why = r.judge(in, &h.facts[i], warm)
		}
		switch index := in.results[i].Index; {
		case prune:
			if out.Prune == nil {
				out.Prune = make([]Proposal, 0, len(h.facts)-i)
			}
			out.Prune = append(out.Prune, Proposal{Index: index, Reason: why})
		case why.Code != "":
			if out.Keep == nil {
				out.Keep = make([]Refusal, 0, len(h.facts)-i)
			}
			out.Keep = append(out.Keep, Refusal{index, why})
		}
	}
	return out
}

// warm is the index of the ages that hold.
func (in *Input) warm() int {
	if in.Situation.Forced || in.account().cold != "" {
		return 0
	}
	return 1
}

// SourceNames lists the sources of the policy "auto", in the order they are asked.
// With a Window there is one more, "window".
func SourceNames() []string {
	return []string{"covered", "edited", "unchanged", "command", "repeat"}
}

// autoSources returns the sources of the settings.
func autoSources(s AutoSettings) []Source {
	a := agesOf(s.Preset)
	all := []Source{
		rule{"covered", coveredRule(a)},
		rule{"edited", editedRule(a)},
		rule{"unchanged", unchangedRule(a)},
		rule{"command", commandRule(a, s.Rerun)},
		repeats{rest: len(s.Only) == 0, ages: a, rerun: s.Rerun},
	}
	if s.Window.Calls > 0 {
		all = append(all, s.Window)
	}
	return slices.DeleteFunc(all, func(one Source) bool {
		return len(s.Only) > 0 && !slices.Contains(s.Only, one.Name()) || slices.Contains(s.Without, one.Name())
	})
}

// unanswered is why a result stays that the model has not seen.
func unanswered() Reason {
	return Reason{CodeUnanswered, "the model has not answered it yet"}
}

// coveredRule proposes reads whose lines a later read shows.
func coveredRule(a ages) func(*Input, *fact, int) (bool, Reason) {
	gone := Reason{CodeCovered, "a later read shows the same lines"}
	young := Reason{CodeYoung, fmt.Sprintf("read again later, but less than %d answers old", a.covered)}
	return func(_ *Input, f *fact, _ int) (bool, Reason) {
		switch {
		case f.class != classRead || !f.covered:
			return false, Reason{}
		case f.age < 1:
			return false, unanswered()
		case f.age < a.covered:
			return false, young
		}
		return true, gone
	}
}

// editedRule proposes reads of files that were changed since and then left alone.
func editedRule(a ages) func(*Input, *fact, int) (bool, Reason) {
	gone := Reason{CodeEdited, "the file was changed since"}
	byEdits := [...][2]int{a.once, a.again}
	var used [len(byEdits)][2]Reason
	for e := range byEdits {
		for i, n := range byEdits[e] {
			used[e][i] = Reason{CodeUsed, fmt.Sprintf("the file was changed since, but used within %d answers", n)}
		}
	}
	return func(_ *Input, f *fact, warm int) (bool, Reason) {
		e := min(f.edits, len(byEdits)) - 1
		switch {
		case f.class != classRead || e < 0:
			return false, Reason{}
		case f.age < 1:
			return false, unanswered()
		case f.touched < byEdits[e][warm]:
			return false, used[e][warm]
		}
		return true, gone
	}
}

// unchangedRule proposes reads of files that were not changed since, by the user
// turn in which the file was last used.
func unchangedRule(a ages) func(*Input, *fact, int) (bool, Reason) {
	byTurn := [...][2]int{a.same, a.previous, a.earlier}
	var gone, used [len(byTurn)][2]Reason
	for t := range byTurn {
		for i, n := range byTurn[t] {
			gone[t][i] = Reason{CodeUnused, fmt.Sprintf("the file was not used for %d answers", n)}
			used[t][i] = Reason{CodeUsed, fmt.Sprintf("the file was used within %d answers", n)}
		}
	}
	return func(_ *Input, f *fact, warm int) (bool, Reason) {
		t := min(f.turns, len(byTurn)-1)
		switch {
		case f.class != classRead || f.edits > 0:
			return false, Reason{}
		case f.age < 1:
			return false, unanswered()
		case f.touched < byTurn[t][warm]:
			return false, used[t][warm]
		}
		return true, gone[t][warm]
	}
}

// commandRule proposes the output of commands, which is read once, and of what
// can be asked again.
func commandRule(a ages, rerun []string) func(*Input, *fact, int) (bool, Reason) {
	gone := Reason{CodeOutput, fmt.Sprintf("its output is %d answers old or older", a.command)}
	young := Reason{CodeYoung, fmt.Sprintf("its output is less than %d answers old", a.command)}
	never := Reason{CodeNotAgain, "nothing says that the tool may be run again"}
	return func(_ *Input, f *fact, _ int) (bool, Reason) {
		switch {
		case f.class == classRead:
			return false, Reason{}
		case f.age < 1:
			return false, unanswered()
		case f.class == classOther && (f.call == nil || !matchAny(rerun, f.call.Name)):
			return false, never
		case f.age < a.command:
			return false, young
		}
		return true, gone
	}
}
