package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// maxRows bounds the table of sessions. The page says so when there are more.
const maxRows = 1000

// Replay writes the page of a comparison.
func Replay(w io.Writer, c *replay.Comparison) error {
	return writePage(w, "Replay of "+text.Count(c.Sessions, "session"), "replay.html", "replay.js", newReplayPage(c))
}

// replayPage is a comparison, arranged for its page.
type replayPage struct {
	Result   *replay.Comparison
	Prices   token.Prices // of the page's profile
	Policies []*policy
	Others   []*policy  // all but none
	None     *policy    // nil when it was not run
	Best     *policy    // the cheapest of Others, nil when there is none
	Columns  []*policy  // of the table of sessions: some of Others, the best one first
	Sessions []*session // those first that the best policy saves most of
	Charts   *charts
}

func newReplayPage(c *replay.Comparison) *replayPage {
	p := &replayPage{Result: c, Prices: c.Shown()}
	p.choose()
	for i := range c.PerSession {
		p.Sessions = append(p.Sessions, p.session(&c.PerSession[i]))
	}
	slices.SortStableFunc(p.Sessions, func(a, b *session) int {
		return cmp.Or(cmp.Compare(b.Saved, a.Saved), cmp.Compare(b.Full, a.Full), cmp.Compare(a.File, b.File))
	})
	p.Charts = p.charts()
	return p
}

// choose sorts the policies: which is none, which is the best, and which have
// a column.
func (p *replayPage) choose() {
	const columns = 6
	spare := 0
	for i := range p.Result.Policies {
		own := &policy{PolicyTotal: &p.Result.Policies[i]}
		own.Bill, own.Class = own.Prices[p.Result.Profile], "p-"+own.Name
		if rank(own.Name) == len(ranking) {
			own.Class = fmt.Sprintf("p-x%d", spare%3)
			spare++
		}
		p.Policies = append(p.Policies, own)
		if own.IsNone = own.Name == policyNone; own.IsNone {
			p.None = own
		} else {
			p.Others = append(p.Others, own)
		}
	}
	if len(p.Others) > 0 {
		p.Best = slices.MinFunc(p.Others, cheaper)
		p.Best.IsBest = true
	}
	p.Columns = slices.SortedStableFunc(slices.Values(p.Others), func(a, b *policy) int {
		return cmp.Or(bestFirst(a, b), cmp.Compare(rank(a.Name), rank(b.Name)))
	})
	p.Columns = p.Columns[:min(columns, len(p.Columns))]
}

// Several reports whether figures about more than one session make sense.
func (p *replayPage) Several() bool { return p.Result.Sessions > 1 }

// RunnersUp are the policies besides none and the best one, the cheapest first.
func (p *replayPage) RunnersUp() []*policy {
	if p.Best == nil {
		return nil
	}
	return slices.SortedStableFunc(slices.Values(p.Others), cheaper)[1:]
}

// Pruners are the policies that pruned something, the best one first.
func (p *replayPage) Pruners() []*policy {
	some := slices.DeleteFunc(slices.Clone(p.Others), func(o *policy) bool { return len(o.Pruned) == 0 })
	slices.SortStableFunc(some, bestFirst)
	return some
}

// Listed are the sessions of the table.
func (p *replayPage) Listed() []*session {
	if !p.Several() {
		return nil
	}
	return p.Sessions[:min(maxRows, len(p.Sessions))]
}

// cost writes what something costs: in dollars where the sessions' models have prices.
func (p *replayPage) cost(tokens, dollars float64) string {
	if p.Result.Priced() {
		return text.Dollars(dollars)
	}
	return text.TokensShort(tokens)
}

// Total is what all sessions cost.
func (p *replayPage) Total(b replay.TotalBill) string { return p.cost(b.Bill, b.Dollars) }

// MoneyFrom says where the prices in dollars are from, "" when there are none.
func (p *replayPage) MoneyFrom() string { return MoneyFrom(p.Result) }

// Unlisted counts the sessions that are not in the table for want of room.
func (p *replayPage) Unlisted() int { return max(0, len(p.Sessions)-maxRows) }

// Days is when the sessions started, "" when that is not known.
func (p *replayPage) Days() string {
	var days []string
	for i := range p.Result.PerSession {
		if day, _, ok := strings.Cut(startedAt(p.Result.PerSession[i].Started), " "); ok {
			days = append(days, day)
		}
	}
	if len(days) == 0 {
		return ""
	}
	return between(slices.Min(days), slices.Max(days))
}

// Projects are the directories of the sessions.
func (p *replayPage) Projects() []string {
	var out []string
	for i := range p.Result.PerSession {
		if cwd := p.Result.PerSession[i].CWD; cwd != "" && !slices.Contains(out, cwd) {
			out = append(out, cwd)
		}
	}
	return out
}

// Argument is the main argument of a tool call. A path within the project of one of the
// sessions is shown as it is seen from there, or from the folder around it when there
// are several projects.
func (p *replayPage) Argument(text string) string {
	longest, several := "", false
	for i := range p.Result.PerSession {
		cwd := p.Result.PerSession[i].CWD
		several = several || cwd != p.Result.PerSession[0].CWD
		if dir := strings.TrimRight(cwd, "/") + "/"; len(dir) > max(1, len(longest)) && strings.HasPrefix(text, dir) {
			longest = dir
		}
	}
	if rest := text[len(longest):]; rest != "" && longest != "" {
		text = rest
		if several {
			text = folderName(longest) + "/" + rest
		}
	}
	return fence.OneLine(text, 120)
}

// measure is how the tokens of a model's sessions were measured.
type measure struct {
	Model           string
	Sessions, Calls int
	scales          []float64
	floors          []token.Count
}

// Scale is the smallest and the largest scale.
func (m *measure) Scale() string {
	return between(fmt.Sprintf("×%.2f", slices.Min(m.scales)), fmt.Sprintf("×%.2f", slices.Max(m.scales)))
}

// Floor is the smallest and the largest floor.
func (m *measure) Floor() string {
	return between(text.TokensShort(float64(slices.Min(m.floors))), text.TokensShort(float64(slices.Max(m.floors))))
}

// Measures are the calibrations by model, those of most sessions first.
func (p *replayPage) Measures() []*measure {
	var out []*measure
	for i := range p.Result.PerSession {
		c := &p.Result.PerSession[i].Calibration
		at := slices.IndexFunc(out, func(m *measure) bool { return m.Model == c.Model })
		if at < 0 {
			at, out = len(out), append(out, &measure{Model: c.Model})
		}
		m := out[at]
		m.Sessions++
		m.Calls += c.Calls
		m.scales, m.floors = append(m.scales, c.Scale), append(m.floors, c.Floor)
	}
	slices.SortStableFunc(out, func(a, b *measure) int {
		return cmp.Or(cmp.Compare(b.Sessions, a.Sessions), cmp.Compare(a.Model, b.Model))
	})
	return out
}

// between is a range, or the one value that it comes to.
func between(low, high string) string {
	if low == high {
		return low
	}
	return low + " to " + high
}

// startedAt is the local time a session started at, "" when it is not known.
func startedAt(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return ""
	}
	return text.LocalMinute(t.UnixMilli())
}
