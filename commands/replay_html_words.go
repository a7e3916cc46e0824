package commands

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// shown makes a name or a path from a session ready for the page.
func shown(s string) string { return fence.OneLine(s, 160) }

// change formats a ratio as the difference to 1: −28.8%.
func change(ratio float64) string {
	d := (ratio - 1) * 100
	switch {
	case math.IsNaN(d) || math.IsInf(d, 0):
		return "–"
	case math.Abs(d) < 0.05:
		return "±0%"
	case math.Abs(d) >= 999.5:
		return fmt.Sprintf("×%.1f", ratio)
	case d < 0:
		return fmt.Sprintf("−%.1f%%", -d)
	}
	return fmt.Sprintf("+%.1f%%", d)
}

// trend is the class of a ratio: sessions within one percent count as the same.
func trend(ratio float64) string {
	switch {
	case ratio < 0.99:
		return "good"
	case ratio > 1.01:
		return "bad"
	}
	return "same"
}

// share formats a part of a whole, "–" of nothing.
func share(part, whole float64) string {
	if whole <= 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f%%", 100*part/whole)
}

// inWords says a ratio within a sentence.
func inWords(ratio float64) string {
	d := math.Abs(ratio-1) * 100
	switch {
	case math.IsNaN(d) || math.IsInf(d, 0):
		return "not known"
	case d < 0.5:
		return "about the same"
	case ratio < 1:
		return fmt.Sprintf("%.0f%% less", d)
	}
	return fmt.Sprintf("%.0f%% more", d)
}

// policyWords says what a policy does, "" when the name must do.
func policyWords(name string) string {
	switch name {
	case policyNone:
		return "nothing is pruned"
	case "seed":
		return "the rules of pi-context-pruning"
	case "kota":
		return "the rules of pi-kota"
	case "cold":
		return "prunes only when the cache has forgotten anyway"
	case "auto":
		return "prunes when it pays, cold or warm"
	case "inline":
		return "objects in their place: what leaves the window goes when it pays"
	case "pools":
		return "self-context-manager's layout"
	}
	switch policy, rule, _ := strings.Cut(name, "+"); {
	case strings.HasPrefix(rule, agentIdeal):
		return policy + ", and a rule for an agent that deactivates and knows what comes"
	case rule != "":
		return policy + ", and a rule for an agent that deactivates"
	}
	if slices.Contains(prune.SourceNames(), name) {
		return "one rule of auto, alone"
	}
	return ""
}

// profileName is a price profile for a person.
func profileName(name string) string {
	switch name {
	case "anthropic-5m":
		return "Anthropic, 5 minutes"
	case "anthropic-1h":
		return "Anthropic, 1 hour"
	case "openai":
		return "OpenAI"
	case "deepseek":
		return "DeepSeek"
	case "none":
		return "No cache"
	}
	return shown(name)
}

// profileWords says what a profile charges, and how long its cache lasts.
func profileWords(p token.Prices) string {
	if !p.Caches() {
		return fmt.Sprintf("every token ×%.4g", p.Write)
	}
	return fmt.Sprintf("read ×%.4g · write ×%.4g · kept %s", p.Read, p.Write, lifetime(p.TTL))
}

// lifetime says how long a cache keeps what is not used.
func lifetime(ttl time.Duration) string {
	switch {
	case ttl <= 0:
		return "for ever"
	case ttl%time.Hour == 0:
		return text.Count(int64(ttl/time.Hour), "hour")
	case ttl%time.Minute == 0:
		return text.Count(int64(ttl/time.Minute), "minute")
	}
	return ttl.String()
}

// under says which prices hold.
func (h *htmlReport) under() string {
	switch {
	case h.Profile == "none":
		return "without any cache"
	case strings.HasPrefix(h.Profile, "anthropic-"):
		return "at the prices of Anthropic and with its cache of " + lifetime(h.prices.TTL)
	}
	return "at the prices of " + profileName(h.Profile)
}

// reasonWords says why results went. It knows the codes of this version's rules;
// any other code must say it itself.
func reasonWords(code string) string {
	switch code {
	case prune.CodeOld:
		return "old"
	case prune.CodeCovered:
		return "read again later"
	case prune.CodeEdited:
		return "the file was changed since"
	case prune.CodeUnused:
		return "the file was not used for long"
	case prune.CodeOutput:
		return "the answer to it was read"
	case prune.CodeRepeat:
		return "a later call returned the same"
	}
	return shown(strings.NewReplacer("-", " ", "_", " ").Replace(code))
}

// these names the sessions in a sentence.
func (h *htmlReport) these() string {
	if h.replayResult.Sessions == 1 {
		return "this session"
	}
	return "these " + text.Count(h.replayResult.Sessions, "session")
}

// headline says the most important thing.
func (h *htmlReport) headline() string {
	switch {
	case h.Calls == 0:
		return "There was no model call to replay."
	case h.best == nil || h.none == nil:
		return fmt.Sprintf("What %s cost.", h.these())
	}
	ratio := h.best.Prices[h.Profile].BillVsNone
	if trend(ratio) != "good" {
		return fmt.Sprintf("No policy makes %s clearly cheaper.", h.these())
	}
	return fmt.Sprintf("Pruning with %s makes the input of %s %.0f%% cheaper.", shown(h.best.Name), h.these(), 100*(1-ratio))
}

// lead are the sentences after the headline.
func (h *htmlReport) lead() []string {
	if h.Calls == 0 {
		return nil
	}
	var out []string
	if h.none != nil {
		out = append(out, fmt.Sprintf("Without pruning %s sent %s tokens and cost as much as %s plain input tokens, %s.",
			text.Count(h.Calls, "model call"), text.TokensShort(float64(h.none.TokensSent)), text.TokensShort(h.none.Prices[h.Profile].Bill), h.under()))
	}
	if h.best != nil {
		b := h.best.Prices[h.Profile]
		out = append(out, fmt.Sprintf("With %s it is %s (%s), or %s if every text that was missed is fetched again once.%s",
			shown(h.best.Name), text.TokensShort(b.Bill), change(b.BillVsNone), change(b.NetVsNone), h.sides(b)))
	}
	return append(out, h.rest()...)
}

// rest says what the policies besides the best one would cost.
func (h *htmlReport) rest() []string {
	var parts []string
	for _, p := range slices.SortedStableFunc(slices.Values(h.others), h.cheaper) {
		if p != h.best {
			parts = append(parts, fmt.Sprintf("%s %s", shown(p.Name), inWords(p.Prices[h.Profile].BillVsNone)))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"What the others would cost: " + strings.Join(parts, ", ") + "."}
}

// sides says how many sessions a policy made cheaper and dearer, when there are
// several.
func (h *htmlReport) sides(b replayBill) string {
	cheaper := " " + text.Count(b.Better, "session") + " got cheaper"
	switch {
	case h.replayResult.Sessions < 2:
		return ""
	case b.Better == h.replayResult.Sessions:
		return " All of them got cheaper."
	case b.Better == 0:
		cheaper = " No session got cheaper"
	}
	if b.Worse == 0 {
		return cheaper + ", none dearer."
	}
	return fmt.Sprintf("%s, %d dearer (the worst %s).", cheaper, b.Worse, change(b.WorstVsNone))
}

// scope says what was replayed.
func (h *htmlReport) scope() string {
	parts := []string{text.Count(h.replayResult.Sessions, "session"), text.Count(h.Calls, "model call")}
	var days, projects []string
	for i := range h.PerSession {
		s := &h.PerSession[i]
		if day, _, ok := strings.Cut(startedAt(s.Started), " "); ok {
			days = append(days, day)
		}
		if s.CWD != "" && !slices.Contains(projects, s.CWD) {
			projects = append(projects, s.CWD)
		}
	}
	if len(days) > 0 {
		first, last := slices.Min(days), slices.Max(days)
		if first != last {
			first += " to " + last
		}
		parts = append(parts, first)
	}
	switch len(projects) {
	case 0:
	case 1:
		parts = append(parts, shown(projects[0]))
	default:
		parts = append(parts, text.Count(len(projects), "project"))
	}
	return strings.Join(parts, " · ")
}

// startedAt is the time a session started at, in UTC, "" when it is not known.
func startedAt(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// sessionName is what a session is called: its project, or its file.
func sessionName(s *replaySession) string {
	return fence.OneLine(cmp.Or(folderName(s.CWD), folderName(s.File), "session"), 48)
}

// folderName is the last part of a path. A folder with a name like "2" says
// little without the one it is in.
func folderName(dir string) string {
	const telling = 4
	parts := strings.FieldsFunc(dir, func(r rune) bool { return r == '/' || r == '\\' })
	n := len(parts)
	switch {
	case n == 0:
		return ""
	case n > 1 && len(parts[n-1]) < telling:
		return parts[n-2] + "/" + parts[n-1]
	}
	return parts[n-1]
}

// shortID is enough of a session's id to tell it from the others by eye. Ids
// that begin with the time are alike for longer than others.
func (h *htmlReport) shortID(s *replaySession) string {
	const usual, long = 8, 13
	n := usual
	for i := range h.PerSession {
		other := h.PerSession[i].Session
		if len(s.Session) > usual && other != s.Session && strings.HasPrefix(other, s.Session[:usual]) {
			n = long
		}
	}
	return strings.TrimSuffix(fence.OneLine(s.Session, n+1), "…")
}

// argument is what a tool was called with; a path within the project of one of
// the sessions is shown as it is seen from there, or from the folder around it
// when there are several projects.
func (h *htmlReport) argument(text string) string {
	longest, several := "", false
	for i := range h.PerSession {
		cwd := h.PerSession[i].CWD
		several = several || cwd != h.PerSession[0].CWD
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

// notes say what is not in the report.
func (h *htmlReport) notes() []string {
	var out []string
	if h.Interrupted {
		out = append(out, "The replay was interrupted: not all sessions are in this report.")
	}
	if n := len(h.replayResult.Problems); n > 0 {
		out = append(out, text.Count(n, "session")+" could not be read; see the end of this page.")
	}
	if h.none == nil {
		out = append(out, "The policy none was not run, so there is nothing to draw the others against.")
	}
	return out
}
