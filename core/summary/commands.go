package summary

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

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
