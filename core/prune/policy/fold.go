package policy

import (
	"cmp"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Fold replaces the beginning of a conversation by an extract of it, as a compaction does, but
// without a request to a model.
type Fold struct {
	// Keep is the position of the first message that stays, EntryID its entry.
	Keep    int
	EntryID string
	// Tokens is the size of what goes, Summary the most that the extract has.
	Tokens, Summary token.Count
	// Why is why it pays, for a person.
	Why string
}

const (
	// foldFrom is the size of a conversation from which on it is folded.
	foldFrom token.Count = 30_000
	// FoldKeeps is how many of the newest responses a fold keeps, FreshKeeps how many one that
	// starts afresh.
	FoldKeeps, FreshKeeps = 20, 1
	// foldSummary and freshSummary are the most that their extracts have.
	foldSummary, freshSummary token.Count = 3000, 8000
	// foldLeast is how many times that has to be left after pruning.
	foldLeast = 3
)

// Folding returns the planner that folds all but so many responses of a conversation whose cache
// is lost; 0 folds nothing.
func (p *Planner) Folding(responses int) *Planner {
	q := *p
	q.folds = responses
	return &q
}

// pays reports whether a fold costs nothing, or less than it saves, and sets Why.
func (f *Fold) pays(in *Input) bool {
	switch a := in.account(); {
	case f.writes(a):
		f.Why = cmp.Or(WhyCold(a.Cold), "the cache is lost")
	case f.crosses(in):
		f.Why = "coming requests would cross a step of the price"
	}
	return f.Why != ""
}

// writes reports whether what a fold leaves has to be written to the cache anyway. A provider
// without a cache loses none, and after a compaction there is nothing to fold.
func (f *Fold) writes(a *account) bool {
	switch a.Cold {
	case ColdIdle, ColdModel, ColdBranch:
		return true
	case "": // or the cache holds no more than what goes
		return a.plain().Read <= a.peek(0, 0).Read+a.Scaled(f.Tokens)
	}
	return false
}

// crosses reports whether coming requests are above a step of the price that they stay below after
// a fold, and that saves several times what writing the rest again costs.
func (f *Fold) crosses(in *Input) bool {
	a := in.account()
	p, gone := &a.Prices, a.Scaled(f.Tokens)-f.Summary
	requests := in.callsLeft(a, gone)
	if p.TimesAt(a.after(requests)) <= p.TimesAt(a.size()-gone) {
		return false
	}
	saved := 0.0
	for i := range requests {
		with := a.after(i)
		without := with - gone
		saved += p.Read * (p.TimesAt(with)*float64(with) - p.TimesAt(without)*float64(without))
	}
	return saved >= margin*p.TimesAt(a.size()-gone)*(p.Write-p.Read)*float64(a.size()-a.Floor-gone)
}

// fold returns what can be folded before the coming request when so many responses are kept, nil
// for nothing, or when pruning the candidates leaves little more than the extract.
func (in *Input) fold(keeps int, candidates []*Candidate) *Fold {
	if in.account().Scaled(in.total) < foldFrom {
		return nil
	}
	f := &Fold{Keep: -1, Summary: foldSummary}
	if keeps < FoldKeeps {
		f.Summary = freshSummary
	}
	responses := 0
	var last *message.Head
	for i := len(in.Messages) - 1; i >= 0; i-- {
		h := in.Messages[i].Head
		if h == nil || h.Role != message.RoleAssistant || message.Voided(h) {
			continue
		}
		if last == nil || !message.SameAnswer(h, last) {
			if responses++; responses > keeps {
				break
			}
		}
		last, f.Keep = h, i
	}
	if responses <= keeps || in.Messages[f.Keep].EntryID == "" {
		return nil
	}
	f.EntryID = in.Messages[f.Keep].EntryID
	for i := range in.Messages[:f.Keep] {
		f.Tokens += in.Sizes[i]
	}
	left := in.account().Scaled(f.Tokens)
	for _, c := range candidates {
		if c.Index < f.Keep {
			left -= removable(in.account(), c)
		}
	}
	if left < foldLeast*f.Summary {
		return nil
	}
	return f
}

// behind returns the candidates that a fold leaves, with all thinking that it makes invalid.
func (in *Input) behind(f *Fold, candidates []*Candidate) []*Candidate {
	var out []*Candidate
	for _, c := range candidates {
		if c.Index >= f.Keep {
			out = append(out, c)
		}
	}
	return in.withClearedFrom(f.Keep, out)
}
