package policy

import (
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Fold replaces the beginning of a conversation by an extract of it, as a compaction does, but
// without a request to a model.
type Fold struct {
	// Keep is the position of the first message that stays, EntryID its entry.
	Keep    int
	EntryID string
	// Tokens is the size of what goes, Summary that of the extract, as it is assumed before
	// there is one.
	Tokens, Summary token.Count
}

const (
	// foldFrom is the size of a conversation from which on it is folded.
	foldFrom token.Count = 30_000
	// foldKeeps is how many of the newest responses stay.
	foldKeeps = 20
	// FoldSummary is the most that an extract has.
	FoldSummary token.Count = 3000
	// foldLeast is how much has to go.
	foldLeast = 3 * FoldSummary
)

// writes reports whether what a fold leaves has to be written to the cache anyway. A provider
// without a cache loses none, and after a compaction there is nothing to fold.
func (f *Fold) writes(a *Account) bool {
	switch a.Cold {
	case ColdIdle, ColdModel, ColdBranch:
		return true
	case "": // or the cache holds no more than what goes
		return a.Plain().Read <= a.Peek(0, 0).Read+a.Scaled(f.Tokens)
	}
	return false
}

// fold returns what can be folded before the coming request, nil for nothing.
func (in *Input) fold() *Fold {
	if in.account().Scaled(in.total) < foldFrom {
		return nil
	}
	f := &Fold{Keep: -1, Summary: FoldSummary}
	responses := 0
	var last *message.Head
	for i := len(in.Messages) - 1; i >= 0; i-- {
		h := in.Messages[i].Head
		if h == nil || h.Role != message.RoleAssistant || message.Voided(h) {
			continue
		}
		if last == nil || !message.SameAnswer(h, last) {
			if responses++; responses > foldKeeps {
				break
			}
		}
		last, f.Keep = h, i
	}
	if responses <= foldKeeps || in.Messages[f.Keep].EntryID == "" {
		return nil
	}
	f.EntryID = in.Messages[f.Keep].EntryID
	for i := range in.Messages[:f.Keep] {
		f.Tokens += in.Sizes[i]
	}
	if f.Tokens < foldLeast {
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
