package summary

import (
	"regexp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
)

// signs are the expressions by which lines of a session are classified.
type signs struct {
	decision, contrast, hedge, finding, failure, fine, counts, exit, noise, kept, item, plan, place, look, next, commit, refusal, late, writes *regexp.Regexp
}

// newSigns compiles the expressions.
func newSigns() *signs {
	return &signs{
		decision: regexp.MustCompile(`(?i)\b((decided|agreed) (to|on|that|against|not|with)|(we|i|you|they|user)(['’]ve| have)? (decided|agreed|settled|rejected)|was (decided|agreed|rejected|ruled out)|chose|go(ing)? with|must not|must never|never use|will use|(i|we) (keep|kept)|we (won['’]t|will not|do not|don['’]t)|let['’]s (just|keep|use|leave|drop|not)|not kept|does not change)\b|\b(decision|decided|agreed|rejected|ruled out):`),
		contrast: regexp.MustCompile(`(?i)\b(instead of|rather than)\b`),
		hedge:    regexp.MustCompile(`(?i)\b(might|may|could|should|would|seems?|if)\b|\b(is|has|was) (an? |the )?old\b`),
		finding:  regexp.MustCompile(`(?i)\b(because|root cause|the cause|turns out|conclusion|the problem (is|was)|the reason|the fix (is|was) to|fixed by)\b`),
		failure:  regexp.MustCompile(`(?i)(^|\W)(error|exception|panic|fatal|traceback|assert\w*error|segfault|not ok|failed|failure|cannot|undefined|no such file|denied|expected .* (got|to)|✖|FAIL)(\W|$)`),
		fine:     regexp.MustCompile(`(?i)\b(0|no) (errors?|failures?|failed)\b|^\W*(fail|errors?)\s*:?\s*0\b`),
		counts:   regexp.MustCompile(`(?im)^\W*((tests?|pass(ed)?|fail(ed|ures)?) \d+)\s*$`),
		place:    regexp.MustCompile(`^\s*[\w./-]+\.\w+[:(]\d+[:,)]`),
		kept:     regexp.MustCompile(`\bgit (commit|push|merge|rebase|tag)\b|\b(pr|mr) create\b|\b(publish|deploy|release)\b`),
		item:     regexp.MustCompile(`^(?:[-*]|\d+[.)])\s+(?:\[([ xX])\]\s+)?(.+)`),
		plan:     regexp.MustCompile(`(?i)\b(next steps?|to-?do|remaining|still open|left to do|the plan)\b.{0,40}$`),
		exit:     regexp.MustCompile(`(?i)exit(?:ed with)? code (\d+)`),
		noise:    regexp.MustCompile(`^(\[|\(no output\)|Shell cwd was reset|\W*(duration|todo|skipped|cancelled))`),
		look:     regexp.MustCompile(`^(\w+=\S* )*(ls|cat|head|tail|nl|less|grep|rg|ag|find|fd|tree|which|type|file|pwd|sed -n|git (-C \S+ )?(diff|show|log|blame|grep|ls-\w+|rev-parse))\b`),
		writes:   regexp.MustCompile(`[^2&]>|-delete\b|-exec\b|\btee\b|\bxargs\b`),
		next:     regexp.MustCompile(`(?i)^((now|good|great|perfect|ok(ay)?|excellent|first|next|next up|actually)\b[^.:]{0,40}?[ ,.!-]+)*(let me|let's|let us|i'll (now )?(start|begin|read|check|look|see|run)|i need to (read|check|look|see|understand)|now i)\b`),
		commit:   regexp.MustCompile(`(?m)^\[[^\]\n]* ([0-9a-f]{7,40})\] `),
		refusal:  regexp.MustCompile(`(?i)(user (doesn['’]t|does not) want to (proceed|take this action)|tool use was rejected|request interrupted|(command|operation|request) (was )?aborted|(cancelled|canceled|interrupted|denied|rejected) by (the )?user)`),
		late:     regexp.MustCompile(`(?i)\b(timed out|timeout|killed|signal)\b`),
	}
}

// decides weighs a sentence that states a decision or a finding: "We keep the old format",
// "it failed because the lock was stale". Other sentences, and questions, weigh 0.
func (s *signs) decides(sentence string) int {
	switch {
	case strings.HasSuffix(sentence, "?"):
	case s.decision.MatchString(sentence), s.contrast.MatchString(sentence) && !s.hedge.MatchString(sentence):
		return weightDecision
	case s.finding.MatchString(sentence) && strings.Count(sentence, " ") > 3: // more than the bare mention of a cause
		return weightFinding
	}
	return 0
}

// refused reports whether a text says that the user denied or interrupted something.
func (s *signs) refused(text string) bool { return s.refusal.MatchString(text) }

// fails reports whether output without an exit status is that of a failed command: it has
// an error or a timeout. Other text comes from a user who interrupted the command.
func (s *signs) fails(output string) bool {
	return !s.refused(output) && (s.errorAt(output) >= 0 || s.late.MatchString(output))
}

// readOnly reports whether a command has no side effects, judging by its words.
func (s *signs) readOnly(command string) bool {
	all := commandsIn(command)
	return len(all) > 0 && !s.writes.MatchString(command) && !slices.ContainsFunc(all, func(part string) bool { return !s.look.MatchString(part) })
}

// mayChange reports whether a call may change something, as an unknown tool may.
func (s *signs) mayChange(c message.Call) bool {
	switch c.Name {
	case "read", "grep", "find", "ls":
		return false
	case "bash":
		return !s.readOnly(argument(c.Arguments, "command"))
	}
	return true
}

// isError reports whether a line reports an error.
func (s *signs) isError(line string) bool {
	return s.failure.MatchString(line) && !s.fine.MatchString(line)
}

// errorAt returns the offset of the first line that reports an error, -1 without one.
func (s *signs) errorAt(text string) int {
	at := 0
	for line := range strings.Lines(text) {
		if s.isError(line) {
			return at
		}
		at += len(line)
	}
	return -1
}

// sentences splits a text at line ends and full stops.
func sentences(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		rest := strings.TrimSpace(line)
		for rest != "" {
			end := strings.Index(rest, ". ")
			if end < 0 {
				end = len(rest) - 1
			}
			if s := strings.TrimLeft(strings.ReplaceAll(rest[:end+1], "**", ""), "#*->= "); len(s) > 12 {
				out = append(out, s)
			}
			rest = strings.TrimSpace(rest[end+1:])
		}
	}
	return out
}

// maxErrors is how many lines of an output describe its error.
const maxErrors = 3

// errorLines returns the first lines of an output that describe the error, or its last
// line.
func (s *signs) errorLines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if s.isError(line) || s.place.MatchString(line) {
			out = append(out, firstLine(line, outcome))
		}
		if len(out) == maxErrors {
			return out
		}
	}
	if len(out) == 0 {
		out = append(out, s.lastLine(text))
	}
	return out
}

// testCounts returns the totals that a test run printed, "" without any.
func (s *signs) testCounts(text string) string {
	var out []string
	for _, m := range s.counts.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return fence.OneLine(strings.Join(out[max(0, len(out)-3):], ", "), outcome)
}

// lastLine returns the last line of an output, ignoring what the tool appends.
func (s *signs) lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		if len(line) > 3 && !strings.HasPrefix(line, "Command exited") && !s.noise.MatchString(line) {
			return fence.OneLine(line, outcome)
		}
	}
	return ""
}
