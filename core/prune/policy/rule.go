package policy

import (
	"slices"

	"github.com/coctostan/pictx/core/prune/marker"
)

// rule is one reason for tool results to leave a context, with all texts about it. To add a
// rule, write a value and put it into autoRules; no other place changes.
type rule struct {
	// name identifies the rule in plans, settings and replay; code is that of its reasons
	// for pruning.
	name, code string
	words      words
	// judge makes the function that judges one result at a time. A rule that has to see all
	// results together has a source instead.
	judge  func(s AutoSettings) judge
	source Source
}

// words are what users read about a result that a rule has pruned. An explanation that
// depends on the settings is in Reason.Text instead.
type words struct {
	// marker follows the size of the result in its marker; "" adds nothing.
	marker string
	// report says in a report why results were pruned; "" shows the code instead.
	report string
}

// judge returns whether a result may be pruned and why, or why it must stay. An empty
// reason leaves it to the other rules. cold reports whether pruning is free: nothing of the
// prompt is cached.
type judge func(in *Input, f *fact, cold bool) (prune bool, why Reason)

// rules are asked in order; the first that proposes or refuses a result gives the reason.
type rules []rule

// autoRules are the rules of the policy "auto".
var autoRules = rules{editedRule, unchangedRule, reportRule, commandRule, replacedRule}

// otherRules are the rules of other policies.
var otherRules = rules{deactivateRule, clearedRule, oldRule}

// ReportWords returns, for a report, why results with this reason code were pruned; ""
// means that the code says it all.
func ReportWords(code string) string { return allRules().words(code).report }

// allRules are the rules by which a result may have been pruned.
func allRules() rules { return slices.Concat(autoRules, otherRules, birthRules()) }

// words returns those of the rule with a reason code.
func (rs rules) words(code string) words {
	for i := range rs {
		if rs[i].code == code {
			return rs[i].words
		}
	}
	return words{}
}

// marker writes the marker of the policy "auto".
func (rs rules) marker(in *Input, c Candidate) string {
	r := in.marked(c)
	r.Class = in.fact(c.Result).class
	text := ""
	if in.Situation.Text != nil && r.NeedsText() {
		text = string(in.Situation.Text(c.Index))
	}
	return marker.Line(r, rs.words(c.Reason.Code).marker, text)
}

// marked returns what the marker of a candidate stands for.
func (in *Input) marked(c Candidate) marker.Result {
	h := c.Message.Head
	return marker.Result{
		Entry: c.Message.EntryID, Tool: h.ToolName, Call: in.Call(c.Index), Tokens: c.Tokens, Images: h.Content.Images,
	}
}

// sources returns the sources that settings select.
func (rs rules) sources(s AutoSettings) []Source {
	var out []Source
	for _, r := range rs {
		switch {
		case slices.Contains(s.Without, r.name):
		case r.judge != nil:
			out = append(out, judgeSource{r.name, r.judge(s)})
		default:
			out = append(out, r.source)
		}
	}
	return out
}

// judgeSource is the Source of a rule that judges one result at a time.
type judgeSource struct {
	name  string
	judge judge
}

// Name implements Source.
func (j judgeSource) Name() string { return j.name }

// Propose implements Source.
func (j judgeSource) Propose(in *Input) Proposals {
	cold := in.Situation.Forced || in.account().Cold != ""
	var out Proposals
	for i := range in.results {
		f := in.factAt(i)
		prune, reason := false, Reason{CodeAborted, "its call was aborted"}
		if !f.void {
			prune, reason = j.judge(in, f, cold)
		}
		switch index := in.results[i].Index; {
		case prune:
			out.Prune = append(out.Prune, Proposal{Index: index, Reason: reason})
		case reason.Code != "":
			out.Keep = append(out.Keep, Refusal{index, reason})
		}
	}
	return out
}

// unansweredReason is why a result stays that the model has not seen.
func unansweredReason() Reason {
	return Reason{CodeUnanswered, "the model has not answered it yet"}
}
