package summary

import (
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
)

// execution adds a command that the user ran.
func (x *extractor) execution(n *message.Node, raw []byte, text string) {
	body := n.Body.Of(raw)
	var p message.Parser
	code := ""
	if at, err := p.Member(body, "exitCode"); err == nil {
		code = string(at.Of(body))
	}
	command := x.b.command(message.Unquote(n.Message.Command.Of(body)))
	x.run(n, commandRun{weight: weightDone, actor: "the user ran", command: command, code: code, failed: code != "0" && code != "", output: text})
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

// run adds a finished command.
func (x *extractor) run(n *message.Node, r commandRun) {
	point := x.outcomeOf(&r)
	failed := point.weight == weightFailed
	x.add(point.weight, n, "%s `%s`: %s", r.actor, r.command, point.text)
	last := len(x.points) - 1
	x.points[last].command, x.points[last].failed = r.command, failed
	x.runs[r.command] = last
	if !r.refused {
		x.resolveFailures(&r, failed)
	}
	if failed {
		x.failing = append(x.failing, last)
	}
}

// outcomeOf describes and weighs how a command ended.
func (x *extractor) outcomeOf(r *commandRun) point {
	s := x.b.signs
	bad := r.code != "" && r.code != "0" && r.code != "null"
	r.refused = r.failed && !bad && !s.fails(r.output)
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
		x.names.mention(line, byError)
		p := point{weight: weightFailed, text: joined(end, line, s.testCounts(r.output))}
		switch {
		case looks:
			p.weight = weightReadOnly
		case line == "": // no output: like a search that found nothing
			p.weight = r.weight
		}
		return p
	case looks && r.weight == weightCommand:
		return point{weight: weightReadOnly, text: "exit 0"}
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

// resolveFailures removes failed commands that a later run supersedes: the same command,
// possibly with another filter behind it or other commands around it.
func (x *extractor) resolveFailures(r *commandRun, failed bool) {
	now := commandsIn(r.command)
	x.failing = slices.DeleteFunc(x.failing, func(i int) bool {
		before := commandsIn(x.points[i].command)
		gone := x.points[i].command == r.command || slices.Contains(now, last(before)) && (!failed || last(now) == last(before))
		if gone {
			x.points[i].failed = false
		}
		return gone
	})
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
