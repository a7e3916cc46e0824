package summary

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Extract writes the summary of a task without a model: the most informative lines of the
// source, in the order of time. It takes at most about budget tokens, and always
// fewer than the source. The same source gives the same text.
func (b *Branch) Extract(t Task, budget token.Count) (string, error) {
	if t.Depth > 0 {
		return b.signs.extractNodes(t, min(2*budget, max(t.Input*3/4, 1))), nil
	}
	budget = min(budget, max(t.Input*3/4, 1))
	x := extractor{b: b, files: make(map[string]string)}
	for i := t.Start; i < t.End; i++ {
		if err := x.unit(i, t); err != nil {
			return "", err
		}
	}
	first, last := &b.Units[t.Start], &b.Units[t.End-1]
	return fill(span(first.Time, last.Time), x.points, x.footer(), budget), nil
}

// point is a line that may become part of an extract.
type point struct {
	weight int
	text   string
}

// The weights of points: those with a higher weight go in first.
const (
	weightEnds     = 100 // the first and the last thing that the user said
	weightUser     = 80
	weightDecision = 70
	weightFailed   = 65
	weightError    = 62
	weightResult   = 75 // what the model said at the end of its work
	weightEdit     = 50
	weightCommand  = 40
	weightSaid     = 20
)

// The lengths of points, in characters.
const (
	answerPoint = 480 // what the model said at the end of its work
	longPoint   = 320
	shortPoint  = 180
	outcome     = 120
	maxPaths    = 700
)

// extractor gathers points.
type extractor struct {
	b        *Branch
	points   []point
	files    map[string]string // path → read, edited or written
	order    []string
	commands map[string]string // call id → command
}

// add adds a point with the time of its message.
func (x *extractor) add(weight int, n *message.Node, format string, args ...any) {
	clock := text.Minute(n.Time)
	if len(clock) > 11 {
		clock = clock[11:]
	}
	x.points = append(x.points, point{weight, clock + " " + fmt.Sprintf(format, args...)})
}

// unit adds the points of a message.
func (x *extractor) unit(i int, t Task) error {
	u := &x.b.Units[i]
	raw, err := x.b.line(u.Node)
	if err != nil {
		return fmt.Errorf("read entry %s: %w", u.ID, err)
	}
	text := string(u.AppendBody(nil, raw))
	switch u.Message.Role {
	case message.RoleUser:
		x.user(i, t, text)
	case message.RoleAssistant:
		x.assistant(u.Node, raw, x.endsTurn(i))
	case message.RoleToolResult:
		x.result(u.Node, text)
	case message.RoleBashExecution:
		x.execution(u.Node, raw, text)
	case message.RoleCustom, message.RoleBranchSummary:
		x.add(weightResult, u.Node, "%s: %s", speaker(u.Node), fence.OneLine(text, longPoint))
	}
	return nil
}

// user adds a message of the user, at more length when it is the first or last one.
func (x *extractor) user(i int, t Task, text string) {
	weight, length := weightUser, shortPoint
	if i == x.edge(t.Start, t.End, 1) || i == x.edge(t.End-1, t.Start-1, -1) {
		weight, length = weightEnds, longPoint
	}
	x.add(weight, x.b.Units[i].Node, "user: %s", fence.OneLine(text, length))
}

// edge finds the first message of the user from one unit to another, forwards or
// backwards; -1 when there is none.
func (x *extractor) edge(from, to, step int) int {
	for i := from; i != to; i += step {
		if x.b.Units[i].Message.Role == message.RoleUser {
			return i
		}
	}
	return -1
}

// endsTurn reports whether a message makes no calls and the user comes next.
func (x *extractor) endsTurn(i int) bool {
	return len(x.b.Units[i].Message.Calls) == 0 && (i+1 == len(x.b.Units) || x.b.Units[i+1].Message.Role == message.RoleUser)
}

// assistant adds decisions, what was said last before the user's turn, and what the
// calls touch.
func (x *extractor) assistant(n *message.Node, raw []byte, last bool) {
	h := &n.Message
	body := n.Body.Of(raw)
	var said []string
	for _, b := range h.Content.Blocks {
		if b.Kind == message.BlockText {
			said = append(said, message.Unquote(b.Text.Of(body)))
		}
	}
	text := strings.Join(said, "\n")
	shown := ""
	if last && text != "" {
		shown = fence.OneLine(text, answerPoint)
		x.add(weightResult, n, "said: %s", shown)
	}
	found := last
	for _, s := range sentences(text) {
		s = fence.OneLine(s, longPoint)
		if x.b.signs.decision.MatchString(s) && !strings.Contains(shown, s) {
			x.add(weightDecision, n, "said: %s", s)
			found = true
		}
	}
	if line := firstLine(text, shortPoint); line != "" && !found {
		x.add(weightSaid, n, "said: %s", line)
	}
	for _, c := range h.Calls {
		x.call(n, c)
	}
}

// call adds what a tool call touches.
func (x *extractor) call(n *message.Node, c message.Call) {
	path := argument(c.Arguments, "path")
	switch {
	case c.Name == "bash":
		if x.commands == nil {
			x.commands = make(map[string]string)
		}
		x.commands[c.ID] = fence.OneLine(argument(c.Arguments, "command"), shortPoint)
	case path == "":
	case c.Name == "edit" || c.Name == "write":
		if x.files[path] != c.Name {
			x.add(weightEdit, n, "%s %s", map[string]string{"edit": "edited", "write": "wrote"}[c.Name], fence.OneLine(path, shortPoint))
		}
		x.touch(path, c.Name)
	case c.Name == "read":
		x.touch(path, c.Name)
	}
}

// touch notes a file, and whether it was only read.
func (x *extractor) touch(path, how string) {
	if _, known := x.files[path]; !known {
		x.order = append(x.order, path)
		x.files[path] = how
	}
	if how != "read" {
		x.files[path] = how
	}
}

// result adds how a command or a failed call ended.
func (x *extractor) result(n *message.Node, text string) {
	h := &n.Message
	if command, ok := x.commands[h.ToolCallID]; ok {
		code := ""
		if m := x.b.signs.exit.FindAllStringSubmatch(text, -1); m != nil {
			code = m[len(m)-1][1]
		}
		x.run(n, commandRun{who: "ran", command: command, code: code, failed: h.IsError, output: text})
		return
	}
	if h.IsError {
		x.add(weightError, n, "%s failed: %s", fence.OneLine(h.ToolName, 40), firstLine(text, shortPoint))
	}
}

// execution adds a command of the user.
func (x *extractor) execution(n *message.Node, raw []byte, text string) {
	body := n.Body.Of(raw)
	var p message.Parser
	code := ""
	if at, err := p.Member(body, "exitCode"); err == nil {
		code = string(at.Of(body))
	}
	command := fence.OneLine(message.Unquote(n.Message.Command.Of(body)), shortPoint)
	x.run(n, commandRun{who: "the user ran", command: command, code: code, failed: code != "0" && code != "", output: text})
}

// commandRun is a command and how it ended.
type commandRun struct {
	who, command string
	code         string // the exit status as far as it is known, "" or "null" when not
	failed       bool
	output       string
}

// run adds a command and how it ended.
func (x *extractor) run(n *message.Node, r commandRun) {
	weight, end := weightCommand, "exit 0"
	switch {
	case r.code != "" && r.code != "null":
		end = "exit " + r.code
	case r.failed:
		end = "failed"
	}
	line := ""
	if r.failed || r.code != "" && r.code != "0" {
		weight = weightFailed
		line = x.b.signs.errorLine(r.output)
	} else {
		line = x.b.signs.lastLine(r.output)
	}
	if line != "" {
		end += ": " + line
	}
	if counts := x.b.signs.testCounts(r.output); counts != "" {
		end += " (" + counts + ")"
	}
	x.add(weight, n, "%s `%s`: %s", r.who, r.command, end)
}

// errorLine is the line of an output that best describes the error.
func (s *signs) errorLine(text string) string {
	at := s.errorAt(text)
	if at < 0 {
		return s.lastLine(text)
	}
	return firstLine(text[at:], outcome)
}

// testCounts are the totals that a test run printed, "" when it printed none.
func (s *signs) testCounts(text string) string {
	var out []string
	for _, m := range s.counts.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return fence.OneLine(strings.Join(out[max(0, len(out)-3):], ", "), outcome)
}

// lastLine is the last line of an output, without what the tool adds to it.
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

// footer lists the files that were touched.
func (x *extractor) footer() string {
	var changed, read []string
	for _, path := range x.order {
		if x.files[path] == "read" {
			read = append(read, path)
		} else {
			changed = append(changed, path)
		}
	}
	var out string
	if len(changed) > 0 {
		out += "Files changed: " + fence.OneLine(strings.Join(changed, ", "), maxPaths) + "\n"
	}
	if len(read) > 0 {
		out += "Files read: " + fence.OneLine(strings.Join(read, ", "), maxPaths) + "\n"
	}
	return out
}

// signs are the expressions by which lines of a session are judged.
type signs struct {
	decision, failure, fine, counts, exit, noise *regexp.Regexp
}

// newSigns compiles the expressions.
func newSigns() *signs {
	return &signs{
		decision: regexp.MustCompile(`(?i)\b(decid|decision|chose|choose|instead of|because|root cause|the cause|turns out|conclusion|agreed|must not|never use|will use|use .* rather than|we keep|i keep|the fix|fixed by|the problem (is|was)|the reason|not kept|does not change)`),
		failure:  regexp.MustCompile(`(?i)(^|\W)(error|exception|panic|fatal|traceback|assert\w*error|segfault|not ok|failed|failure|cannot|undefined|no such file|denied|expected .* (got|to)|✖|FAIL)(\W|$)`),
		fine:     regexp.MustCompile(`(?i)\b(0|no) (errors?|failures?|failed)\b|^\W*(fail|errors?)\s*:?\s*0\b`),
		counts:   regexp.MustCompile(`(?im)^\W*((tests?|pass(ed)?|fail(ed|ures)?) \d+)\s*$`),
		exit:     regexp.MustCompile(`(?i)exited with code (\d+)`),
		noise:    regexp.MustCompile(`^(\[|\W*(duration|todo|skipped|cancelled))`),
	}
}

// isError reports whether a line reports an error.
func (s *signs) isError(line string) bool {
	return s.failure.MatchString(line) && !s.fine.MatchString(line)
}

// errorAt finds the first line that reports an error, -1 when there is none.
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

// sentences cuts a text at line ends and full stops.
func sentences(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		rest := strings.TrimSpace(line)
		for rest != "" {
			end := strings.Index(rest, ". ")
			if end < 0 {
				end = len(rest) - 1
			}
			if s := strings.TrimLeft(rest[:end+1], "#*->= "); len(s) > 12 {
				out = append(out, s)
			}
			rest = strings.TrimSpace(rest[end+1:])
		}
	}
	return out
}

// argument is a text among a call's arguments, "" when it is missing.
func argument(args []byte, name string) string {
	var p message.Parser
	at, err := p.Member(args, name)
	if err != nil {
		return ""
	}
	return message.Unquote(at.Of(args))
}

// extractNote begins every extract, so that it is not mistaken for a model's summary.
const extractNote = "Extract, not written by a model"

// fill chooses points by weight until the budget is used, and writes them in
// their order.
func fill(when string, points []point, footer string, budget token.Count) string {
	head := extractNote + ". " + when + "\n"
	room := token.OfText(head + footer)
	if room > budget/2 {
		footer, room = "", token.OfText(head)
	}
	byWeight := make([]int, len(points))
	for i := range points {
		byWeight[i] = i
	}
	slices.SortStableFunc(byWeight, func(a, z int) int { return cmp.Compare(points[z].weight, points[a].weight) })
	chosen := make([]bool, len(points))
	for _, i := range byWeight {
		if n := token.OfText("- " + points[i].text + "\n"); room+n <= budget {
			chosen[i] = true
			room += n
		}
	}
	var b strings.Builder
	b.WriteString(head)
	for i, p := range points {
		if chosen[i] {
			b.WriteString("- " + p.text + "\n")
		}
	}
	return strings.TrimSpace(b.String() + footer)
}

// extractNodes makes one extract of several summaries: the lines with the most weight,
// and a fair share for each node.
func (s *signs) extractNodes(t Task, budget token.Count) string {
	head := extractNote + ". " + span(t.Nodes[0].From, t.Nodes[len(t.Nodes)-1].To) + "\n"
	room, total := budget-token.OfText(head)-token.Count(len(t.Nodes))*headTokens, max(t.Input, 1)
	var b strings.Builder
	b.WriteString(head)
	for _, n := range t.Nodes {
		var points []point
		for line := range strings.Lines(n.Text) {
			line = fence.OneLine(strings.TrimLeft(line, "#*- "), longPoint)
			if line != "" && !strings.HasPrefix(line, extractNote) {
				points = append(points, point{s.weight(line), line})
			}
		}
		part := fill(span(n.From, n.To), points, "", room*n.Tokens/total+headTokens)
		_, part, _ = strings.Cut(part, "\n")
		fmt.Fprintf(&b, "%s %s\n", n.Key, span(n.From, n.To))
		if part != "" {
			b.WriteString(part + "\n")
		}
	}
	return strings.TrimSpace(b.String())
}

// weight weighs a line of a summary.
func (s *signs) weight(line string) int {
	switch {
	case strings.Contains(line, "Decision: "):
		return weightEnds
	case strings.Contains(line, "user: "):
		return weightUser
	case s.decision.MatchString(line):
		return weightDecision
	case s.isError(line):
		return weightFailed
	case strings.HasPrefix(line, "Files changed"):
		return weightEdit
	}
	return weightCommand
}
