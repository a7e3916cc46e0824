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
	// marker follows the size of a result in its marker, and report says in a report why results
	// were pruned; "" shows the code instead. An explanation that depends on the settings is in
	// Reason.Text.
	marker, report string

	// judge makes the function that judges one result at a time. A rule that has to see all
	// messages together proposes instead. A rule for results that the model has not seen shortens:
	// it returns what is to replace a result, "" when it stays whole.
	judge   func(s AutoSettings) judge
	propose func(in *Input, say *Opinions)
	shorten func(in *Input, r *Result, text string) string
}

// judge returns whether a result may be pruned and why, or why it must stay. An empty
// reason leaves it to the other rules. cold reports whether pruning is free: nothing of the
// prompt is cached.
type judge func(r *Result, cold bool) (prune bool, why Reason)

// rules are asked in order; the first that proposes or refuses a result gives the reason.
type rules []rule

// autoRules are the rules of the policy "auto", births those about results that the model has not
// seen. otherRules are those of other policies.
var (
	autoRules  = rules{editedRule, unchangedRule, reportRule, commandRule, replacedRule}
	births     = rules{againRule, outputRule}
	otherRules = rules{deactivateRule, clearedRule, oldRule}
)

// ReportWords returns, for a report, why results with this reason code were pruned; ""
// means that the code says it all.
func ReportWords(code string) string { return allRules().of(code).report }

// allRules are the rules by which a result may have been pruned.
func allRules() rules { return slices.Concat(autoRules, otherRules, births) }

// of returns the rule with a reason code.
func (rs rules) of(code string) rule {
	i := slices.IndexFunc(rs, func(r rule) bool { return r.code == code })
	if i < 0 {
		return rule{}
	}
	return rs[i]
}

// chosen returns the rules that settings select.
func (rs rules) chosen(s AutoSettings) rules {
	return slices.DeleteFunc(slices.Clone(rs), func(r rule) bool { return slices.Contains(s.Without, r.name) })
}

// marker writes the marker of the policy "auto".
func (rs rules) marker(in *Input, c *Candidate) string {
	in.learn()
	r := in.marked(c)
	r.Class = in.results[c.order].class
	text := ""
	if in.Situation.Text != nil && r.NeedsText() {
		text = string(in.Situation.Text(c.Index))
	}
	return marker.Line(r, rs.of(c.Reason.Code).marker, text)
}

// marked returns what the marker of a candidate stands for.
func (in *Input) marked(c *Candidate) marker.Result {
	h := c.Message.Head
	return marker.Result{Entry: c.Message.EntryID, Tool: h.ToolName, Call: c.Call, Tokens: c.Tokens, Images: h.Content.Images}
}

// sources returns the sources that settings select.
func (rs rules) sources(s AutoSettings) []Source {
	var out []Source
	for _, r := range rs.chosen(s) {
		if r.judge != nil {
			r.propose = r.judge(s).propose
		}
		out = append(out, Source{r.name, r.propose})
	}
	return out
}

// propose judges all results.
func (j judge) propose(in *Input, say *Opinions) {
	in.learn()
	cold := in.Situation.Forced || in.account().Cold != ""
	for i := range in.results {
		r := &in.results[i]
		prune, why := false, aborted
		if !r.void {
			prune, why = j(r, cold)
		}
		switch {
		case prune:
			say.Prune(r, why)
		case why.Code != "":
			say.Keep(r, why)
		}
	}
}
