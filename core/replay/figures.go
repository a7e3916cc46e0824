package replay

import (
	"context"
	"hash/fnv"
	"slices"
	"sort"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/token"
)

// Sum adds up sessions under one policy and one price profile.
type Sum struct {
	// Sessions is their number, Worse that of those over 1 % more expensive than plain pi,
	// and WorseAlone that of those over 1 % more expensive by pruning alone.
	Sessions, Worse, WorseAlone int
	// Worst is the highest ratio to plain pi of any session.
	Worst float64
	// Edits and EditsMissing are those of Run.
	Edits, EditsMissing int

	// Losses are the sessions that cost more than plain pi, the worst first.
	Losses []Loss

	plain, billed, alone, noneAlone float64
	ratios                          []float64
}

// Loss is a session, or a prefix of one, that costs more than plain pi.
type Loss struct {
	Session string
	// Requests is the number of its requests.
	Requests int
	// Whole is its bill relative to plain pi's, Alone the same by pruning alone.
	Whole, Alone float64
	// Bill is the whole bill.
	Bill bill.Bill
}

// Share is what a part of the bill costs beyond what plain pi pays for it, relative to
// plain pi's bill.
func (l *Loss) Share(p bill.Part) float64 {
	cost := l.Bill.Parts[p].Cost
	if p == bill.Summaries {
		cost -= l.Bill.PlainSummaries
	}
	return cost / max(1, l.Bill.Plain)
}

// Add adds a session, or a prefix of one, by its run and that of the policy "none".
func (s *Sum) Add(session string, r, none *Run) {
	one := billOf(r, none, bill.Rate{})
	s.addLoss(Loss{session, r.Calls, one.BillVsNone, one.PruningVsNone, r.Whole})
	s.Sessions++
	s.Worst = max(s.Worst, one.BillVsNone)
	s.plain, s.billed = s.plain+none.Whole.Billed, s.billed+one.Bill
	s.alone, s.noneAlone = s.alone+r.Bill, s.noneAlone+none.Bill
	s.ratios = append(s.ratios, one.BillVsNone)
	s.Edits, s.EditsMissing = s.Edits+r.Edits, s.EditsMissing+r.EditsMissing
	if TrendOf(one.BillVsNone) == CostsMore {
		s.Worse++
	}
	if TrendOf(one.PruningVsNone) == CostsMore {
		s.WorseAlone++
	}
}

// addLoss inserts a session into Losses if it is one.
func (s *Sum) addLoss(l Loss) {
	if l.Whole <= 1 && l.Alone <= 1 {
		return
	}
	i := sort.Search(len(s.Losses), func(i int) bool { return s.Losses[i].Whole < l.Whole })
	s.Losses = slices.Insert(s.Losses, i, l)
}

// AddPrefixes adds the recorded prefixes of a session that are of one of these lengths.
func (s *Sum) AddPrefixes(session string, lengths []int, r, none *Run) {
	for i := range min(len(r.Prefixes), len(none.Prefixes)) {
		p, q := &r.Prefixes[i], &none.Prefixes[i]
		if !slices.Contains(lengths, p.Calls) {
			continue
		}
		s.Add(session, &Run{Calls: p.Calls, Bill: p.Bill, Whole: p.Whole}, &Run{Bill: q.Bill, Whole: q.Whole})
	}
}

// Ratio is the whole bill of all sessions relative to plain pi's.
func (s *Sum) Ratio() float64 { return ratio(s.billed, s.plain) }

// Alone is Ratio by pruning alone.
func (s *Sum) Alone() float64 { return ratio(s.alone, s.noneAlone) }

// Median is the median ratio of the sessions.
func (s *Sum) Median() float64 {
	if len(s.ratios) == 0 {
		return 1
	}
	return median(slices.Clone(s.ratios))
}

// SecondHalf reports, by a hash of its id, whether a session belongs to the half on which
// settings are reported but not chosen.
func SecondHalf(session string) bool {
	h := fnv.New32a()
	h.Write([]byte(session))
	return h.Sum32()%2 == 1
}

// Idles reports whether a cache of five minutes ever expired between two calls.
func (r *Recording) Idles() bool {
	const ttl = 5 * 60 * 1000
	for i := 1; i < len(r.calls); i++ {
		if r.calls[i].time-r.calls[i-1].time > ttl {
			return true
		}
	}
	return false
}

// Case is one set of assumptions behind the figures.
type Case struct {
	Name string
	// Floor is the size of the system prompt and the tools, 0 for the recorded one.
	Floor token.Count
	// Reread is Options.Reread.
	Reread bool
}

// Cases are the assumptions of the published figures, the default first.
func Cases() []Case {
	return []Case{
		{Name: "as replay bills it"},
		{Name: "system prompt and tools 3,000 tokens", Floor: 3000},
		{Name: "system prompt and tools 15,000 tokens", Floor: 15_000},
		{Name: "every miss read again in full", Reread: true},
	}
}

// ShortStarts are the numbers of requests after which the figures cut sessions off, to stand
// for short sessions.
func ShortStarts() []int { return []int{3, 5, 10, 15, 20, 30} }

// LongStarts are the same for longer sessions: a rewrite that would have paid later is a loss
// for a session that ends, whatever its length.
func LongStarts() []int { return []int{40, 50, 60, 80, 100, 150} }

// Sample is one session under all Cases.
type Sample struct {
	Session string
	Calls   int
	// Idles is the result of Recording.Idles.
	Idles bool
	// Runs are by case, policy and prices.
	Runs [][][]Run
}

// Sample runs the recording under every case. It overwrites the recording's floors. The
// only error is that of ctx.
func (r *Recording) Sample(ctx context.Context, policies []Policy, prices []token.Prices) (*Sample, error) {
	s := &Sample{Session: r.Session, Calls: len(r.calls), Idles: r.Idles()}
	usual := slices.Clone(r.calibrations)
	for _, c := range Cases() {
		copy(r.calibrations, usual)
		if c.Floor > 0 {
			r.AssumeFloor(c.Floor)
		}
		var byPolicy [][]Run
		for _, p := range policies {
			runs, err := r.Run(ctx, p, prices, Options{Prefixes: slices.Concat(ShortStarts(), LongStarts()), Reread: c.Reread})
			if err != nil {
				return nil, err
			}
			byPolicy = append(byPolicy, runs)
		}
		s.Runs = append(s.Runs, byPolicy)
	}
	return s, nil
}
