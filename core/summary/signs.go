package summary

import (
	"regexp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// signs are the expressions by which lines of a session are classified.
type signs struct {
	decision, failure, exit, noise, kept, place, look, commit, refusal, writes, finding *regexp.Regexp
}

// newSigns compiles the expressions.
func newSigns() *signs {
	return &signs{
		decision: regexp.MustCompile(`(?i)\b((decided|agreed) (to|on|that|against|not|with)|(we|i|you|they|user)(['’]ve| have)? (decided|agreed|settled|rejected)|was (decided|agreed|rejected|ruled out)|chose|go(ing)? with|must not|must never|never use|(we|i) (keep|kept)|we (won['’]t|will not|do not|don['’]t)|let['’]s (just|keep|use|leave|drop|not))\b|\b(decision|decided|agreed|rejected|ruled out):`),
		failure:  regexp.MustCompile(`(?i)(^|\W)(\w*error|exception|panic|fatal|traceback|segfault|not ok|failed|failure|cannot|undefined|no such file|not found|denied|timed out|timeout|killed|expected .* (got|to)|✖|FAIL)(\W|$)`),
		place:    regexp.MustCompile(`^\s*[\w./-]+\.\w+[:(]\d+[:,)]`),
		kept:     regexp.MustCompile(`\bgit (commit|push|merge|rebase|tag)\b|\b(pr|mr) create\b|\b(publish|deploy|release)\b`),
		exit:     regexp.MustCompile(`(?i)exit(?:ed with)? code:? (\d+)`),
		noise:    regexp.MustCompile(`(?i)^(\[|\(no output\)|Shell cwd was reset|(command )?exit(ed with)? code|=== RUN|\W*(duration|todo|skipped|cancelled))`),
		look:     regexp.MustCompile(`^(\w+=\S* )*(ls|cat|head|tail|nl|less|grep|rg|ag|find|fd|tree|which|type|file|pwd|sed -n|git (-C \S+ )?(diff|show|log|blame|grep|ls-\w+|rev-parse))\b`),
		writes:   regexp.MustCompile(`[^2&]>|-delete\b|-exec\b|\btee\b|\bxargs\b`),
		commit:   regexp.MustCompile(`(?m)^\[[^\]\n]* ([0-9a-f]{7,40})\] `),
		refusal:  regexp.MustCompile(`(?i)(user (doesn['’]t|does not) want to (proceed|take this action)|tool use was rejected|request interrupted|(command|operation|request) (was )?aborted|(cancelled|canceled|interrupted|denied|rejected) by (the )?user)`),
		// a reason, `x`, 42, parseHeader, max_tokens, a.go, src/a, --flag:
		finding: regexp.MustCompile("(?i:\\b(because|root cause|the (cause|reason)|turns out|instead of|rather than)\\b)|[`0-9]|[a-z][A-Z]|\\w_\\w|\\w/\\w+[./]\\w|\\w\\.[a-z]{1,4}\\b|(^|\\s)--?[a-z]"),
	}
}

// weigh weighs a sentence of a model: a decision, a finding with a reason, name or number,
// or a remark. Questions are remarks. An item of a list decides nothing unless it says so by a colon.
func (s *signs) weigh(t sentence) int {
	decision := s.decision.FindString(t.text)
	switch {
	case strings.HasSuffix(t.text, "?"):
		return weightSaid
	case decision != "" && (!t.item || strings.HasSuffix(decision, ":")):
		return weightDecision
	case s.finding.MatchString(t.text):
		return weightFinding
	}
	return weightSaid
}

// sentence is a sentence that a model wrote.
type sentence struct {
	text string
	item bool // of a list, a table or a heading
}

// sentences splits a text at line ends and full stops. It leaves out code and quotations.
func sentences(text string) []sentence {
	var out []sentence
	code := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if code || strings.HasPrefix(line, "```") || strings.HasPrefix(line, ">") || strings.HasPrefix(line, "//") {
			continue
		}
		rest := strings.TrimLeft(line, "#*->=|+0123456789.) ")
		if !strings.ContainsAny(line[:len(line)-len(rest)], "#*->=|+.)") { // no mark of a list, but perhaps a number
			rest = line
		}
		item := rest != line && !strings.HasPrefix(line, "**")
		for rest != "" {
			end := strings.Index(rest, ". ")
			if end < 0 {
				end = len(rest) - 1
			}
			if s := strings.TrimSpace(strings.ReplaceAll(rest[:end+1], "**", "")); len(s) > 12 {
				out = append(out, sentence{s, item})
			}
			rest = strings.TrimSpace(rest[end+1:])
		}
	}
	return out
}

// refused reports whether a text says that the user denied or interrupted something.
func (s *signs) refused(text string) bool { return s.refusal.MatchString(text) }

// readOnly reports whether a command has no side effects, judging by its words.
func (s *signs) readOnly(command string) bool {
	all := commandsIn(command)
	return len(all) > 0 && !s.writes.MatchString(command) && !slices.ContainsFunc(all, func(part string) bool { return !s.look.MatchString(part) })
}

// isError reports whether a line reports an error.
func (s *signs) isError(line string) bool { return s.failure.MatchString(line) }

// maxErrors is how many lines of an output describe its error.
const maxErrors = 4

// errorLines returns the first line of the output of something that failed, and the next
// lines that describe the error.
func (s *signs) errorLines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if len(line) <= 3 || s.noise.MatchString(line) {
			continue
		}
		if len(out) == 0 || s.isError(line) || s.place.MatchString(line) {
			out = append(out, firstLine(line, outcome))
		}
		if len(out) == maxErrors {
			break
		}
	}
	return out
}

// lastLine returns the last line of an output, ignoring what the tool appends.
func (s *signs) lastLine(text string) string {
	for _, line := range slices.Backward(strings.Split(strings.TrimSpace(text), "\n")) {
		if line = strings.TrimSpace(line); len(line) > 3 && !s.noise.MatchString(line) {
			return fence.OneLine(line, outcome)
		}
	}
	return ""
}

// execution adds a command that the user ran.
func (x *extractor) execution(i int, n *message.Node, raw []byte, text string) {
	body := n.Body.Of(raw)
	var p message.Parser
	code := ""
	if at, err := p.Member(body, "exitCode"); err == nil {
		code = string(at.Of(body))
	}
	command := x.b.command(message.Unquote(n.Message.Command.Of(body)))
	x.run(i, "the user ran", commandRun{weight: weightDone, command: command, code: code, output: text})
}

// commandRun is a finished command.
type commandRun struct {
	weight  int // if it succeeded
	command string
	code    string // the exit status, "" or "null" when unknown
	failed  bool   // by what the tool says
	output  string
}

// run adds a finished command, and drops failed ones that it supersedes: the same command,
// possibly with another filter behind it or other commands around it.
func (x *extractor) run(i int, actor string, r commandRun) {
	weight, outcome := x.b.signs.outcome(&r)
	failed := weight == weightFailed
	if outcome != notAllowed {
		now := commandsIn(r.command)
		x.failing = slices.DeleteFunc(x.failing, func(at int) bool {
			p := &x.points[at]
			before := last(commandsIn(p.command))
			p.failed = p.command != r.command && (!slices.Contains(now, before) || failed && last(now) != before)
			return !p.failed
		})
	}
	if failed {
		x.failing = append(x.failing, len(x.points))
	}
	text := actor + " `" + r.command + "`: " + outcome // word for word, with the paths that the command printed
	x.points = append(x.points, point{unit: i, weight: weight, text: text, command: r.command, failed: failed})
}

// notAllowed is the outcome of a command that the user denied or interrupted.
const notAllowed = "not allowed, or stopped"

// outcome weighs and describes how a command ended, with the most informative lines of its
// output.
func (s *signs) outcome(r *commandRun) (weight int, end string) {
	bad := r.code != "" && r.code != "0" && r.code != "null"
	switch looks := s.readOnly(r.command); {
	case r.failed && !bad && (s.refused(r.output) || !slices.ContainsFunc(strings.Split(r.output, "\n"), s.isError)):
		return weightCommand, notAllowed
	case r.failed || bad:
		end, weight = "failed", weightFailed
		if bad {
			end = "exit " + r.code
		}
		lines := s.errorLines(r.output)
		switch {
		case len(lines) == 0: // like a search that found nothing
			weight = weightLooked
		case looks:
			weight = weightError
		}
		return weight, text.JoinNonEmpty(": ", end, strings.Join(lines, "; "))
	case looks && r.weight == weightCommand:
		return weightLooked, "exit 0"
	case s.kept.MatchString(r.command):
		if m := s.commit.FindStringSubmatch(r.output); m != nil {
			return weightDone, "exit 0: commit " + m[1]
		}
		r.weight = weightDone
	}
	return r.weight, text.JoinNonEmpty(": ", "exit 0", s.lastLine(r.output))
}

// commandsIn lists the commands of a line without the filters of their output: "cd src &&
// go test ./... | tail -3; git status" yields "go test ./..." and "git status".
func commandsIn(line string) []string {
	var out []string
	for part := range strings.SplitSeq(strings.NewReplacer("&&", ";", "||", ";").Replace(line), ";") {
		part, _, _ = strings.Cut(part, "|")
		part, _, _ = strings.Cut(part, "2>&1")
		if part = strings.TrimSpace(part); part != "" && !strings.HasPrefix(part, "cd ") && !strings.HasPrefix(part, "echo ") {
			out = append(out, part)
		}
	}
	return out
}

// last returns the last command, "" without any.
func last(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return parts[len(parts)-1]
}

// command formats a command on one line, without a leading cd into the session's directory.
func (b *Branch) command(line string) string {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "cd "+b.dir); ok && b.dir != "" {
		rest = strings.TrimLeft(rest, " /;")
		if after, ok := strings.CutPrefix(rest, "&&"); ok {
			line = after
		}
	}
	return fence.OneLine(b.relative(strings.TrimSpace(line)), shortPoint)
}
