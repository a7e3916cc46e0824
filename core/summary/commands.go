package summary

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
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
	x.run(i, commandRun{weight: weightDone, actor: "the user ran", command: command, code: code, failed: code != "0" && code != "", output: text})
}

// commandRun is a finished command.
type commandRun struct {
	weight         int
	actor, command string
	code           string // the exit status, "" or "null" when unknown
	failed         bool
	refused        bool // denied by the user, or interrupted
	output         string
}

// run adds a finished command, and drops failed ones that it supersedes: the same command,
// possibly with another filter behind it or other commands around it.
func (x *extractor) run(i int, r commandRun) {
	point := x.outcomeOf(&r)
	point.unit, point.command, point.failed = i, r.command, point.weight == weightFailed
	point.text = r.actor + " `" + r.command + "`: " + point.text // word for word, with the paths that the command printed
	if at, known := x.runs[r.command]; known {
		x.points[at].old = true
	}
	x.runs[r.command] = len(x.points)
	x.points = append(x.points, point)
	now := commandsIn(r.command)
	x.failing = slices.DeleteFunc(x.failing, func(at int) bool {
		p := &x.points[at]
		before := last(commandsIn(p.command))
		if r.refused || p.command != r.command && (!slices.Contains(now, before) || point.failed && last(now) != before) {
			return false
		}
		p.failed = false
		return true
	})
	if point.failed {
		x.failing = append(x.failing, x.runs[r.command])
	}
}

// outcomeOf describes and weighs how a command ended.
func (x *extractor) outcomeOf(r *commandRun) point {
	s := x.b.signs
	bad := r.code != "" && r.code != "0" && r.code != "null"
	r.refused = r.failed && !bad && (s.refused(r.output) || !slices.ContainsFunc(strings.Split(r.output, "\n"), s.isError))
	looks := s.readOnly(r.command)
	switch {
	case r.refused:
		return point{weight: weightCommand, text: "not allowed, or stopped"}
	case r.failed || bad:
		end := "failed"
		if bad {
			end = "exit " + r.code
		}
		line := strings.Join(s.errorLines(r.output), "; ")
		p := point{weight: weightFailed, text: joined(end, line, s.testCounts(r.output))}
		switch {
		case line == "": // like a search that found nothing
			p.weight = weightLooked
		case looks:
			p.weight = weightError
		}
		return p
	case looks && r.weight == weightCommand:
		return point{weight: weightLooked, text: "exit 0"}
	}
	p := point{weight: r.weight, text: joined("exit 0", s.lastLine(r.output), s.testCounts(r.output))}
	if s.kept.MatchString(r.command) {
		p.weight = weightDone
		if m := s.commit.FindStringSubmatch(r.output); m != nil {
			p.text = "exit 0: commit " + m[1]
		}
	}
	return p
}

// joined combines how a command ended, the most informative line of its output, and the
// totals of a test run.
func joined(end, line, counts string) string {
	if line != "" {
		end += ": " + line
	}
	if counts != "" {
		end += " (" + counts + ")"
	}
	return end
}

// commandsIn lists the commands of a line without the filters of their output: "cd src &&
// go test ./... | tail -3; git status" yields "go test ./..." and "git status".
func commandsIn(line string) []string {
	var out []string
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(strings.ReplaceAll(line, "&&", ";"), "||", ";"), func(r rune) bool { return r == ';' }) {
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
