package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Extract writes the summary of a task without a model: the most informative lines of the
// source, in chronological order. It has roughly at most budget tokens, and always fewer
// than the source. The same source yields the same text.
func (b *Branch) Extract(t Task, budget token.Count) (string, error) {
	if t.Depth > 0 {
		return b.signs.extractNodes(t, min(2*budget, max(t.Input*3/4, 1))), nil
	}
	budget = min(budget, max(t.Input*3/4, 1))
	x := b.extractor(t.Start, t.End)
	if err := x.read(); err != nil {
		return "", err
	}
	first, last := &b.Units[t.Start], &b.Units[t.End-1]
	return fill(span(first.Time, last.Time), x.latest(), x.footer(), budget), nil
}

// extractor returns an extractor for a span.
func (b *Branch) extractor(start, end int) *extractor {
	return &extractor{
		b: b, start: start, end: end,
		files: make(map[string]string), commands: make(map[string]string), runs: make(map[string]int), ahead: newAnnouncements(),
	}
}

// read collects the points of the span.
func (x *extractor) read() error {
	for i := x.start; i < x.end; i++ {
		if err := x.unit(i); err != nil {
			return err
		}
	}
	return nil
}

// point is a line that may become part of an extract.
type point struct {
	weight    int
	text      string
	command   string // the command that it reports, "" for others
	failed    bool   // the command failed, and no later run succeeded
	fromModel bool   // the model wrote it
	proposal  bool   // a question to the user, before which the turn changed nothing
	reply     string // what the user said to a proposal next
}

// The weights of points. Points with a higher weight are included first.
const (
	weightEnds     = 100 // the first and last message of the user
	weightUser     = 80
	weightDecision = 70
	weightFinding  = 69 // a cause or a fix
	weightFailed   = 65
	weightError    = 62
	weightResult   = 75 // the model's last message before the user's turn
	weightNote     = 76 // a message of an extension, which is not about work
	weightDone     = 52 // a command that saves or publishes work, or that the user ran
	weightEdit     = 50
	weightCommand  = 40
	weightSaid     = 20
	weightNext     = 10 // what the model announced to do
	weightReadOnly = 5  // a successful command without side effects
)

// The lengths of points, in characters.
const (
	promptPoint = 800 // the first and last message of the user
	answerPoint = 480 // the model's last message before the user's turn
	longPoint   = 320
	shortPoint  = 180
	outcome     = 120
	maxPaths    = 700
)

// extractor collects points.
type extractor struct {
	b             *Branch
	start, end    int
	points        []point
	files         map[string]string // path → read, edited or written
	order         []string
	commands      map[string]string // call id → command
	runs          map[string]int    // command → index in points of its last run
	failing       []int             // indexes in points of commands whose last run failed
	prompts       []prompt
	todo          todo
	ahead         *announcements
	promptsAtPlan int    // number of prompts when todo was written last
	names         *names // nil unless names are counted
	changed       bool   // a call since the user's last message may have changed something
}

// minPoints is how many points describe a span well enough without read-only commands and
// announcements.
const minPoints = 6

// latest returns the points, of each command only the last run and any unresolved failure,
// and of remarks that differ only in numbers the last. It includes read-only commands and
// announcements only if there is little else.
func (x *extractor) latest() []point {
	var out []point
	last := make(map[string]int) // by remark without its numbers
	for i, p := range x.points {
		if p.weight == weightSaid {
			last[numberless(p.text)] = i
		}
	}
	for i, p := range x.points {
		if p.weight == weightSaid && last[numberless(p.text)] != i {
			continue
		}
		if p.command == "" || p.failed || x.runs[p.command] == i {
			out = append(out, p)
		}
	}
	passing := func(p point) bool { return p.weight <= weightNext }
	if telling := slices.DeleteFunc(slices.Clone(out), passing); len(telling) >= minPoints {
		return telling
	}
	return out
}

// numberless returns a remark without its digits, so that "step 4" equals "step 12", and
// without the end at which a long one is cut, which is elsewhere for a longer number.
func numberless(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, s)
	const digits = 10
	return s[:min(len(s), shortPoint-digits)]
}

// add adds a point with the time of its message.
func (x *extractor) add(weight int, n *message.Node, format string, args ...any) {
	clock := text.Minute(n.Time)
	if len(clock) > 11 {
		clock = clock[11:]
	}
	x.points = append(x.points, point{weight: weight, text: clock + " " + x.b.relative(fmt.Sprintf(format, args...))})
}

// unit adds the points of a message.
func (x *extractor) unit(i int) error {
	u := &x.b.Units[i]
	raw, err := x.b.line(u.Node)
	if err != nil {
		return fmt.Errorf("read entry %s: %w", u.ID, err)
	}
	text := string(u.AppendBody(nil, raw))
	switch u.Message.Role {
	case message.RoleUser:
		x.user(i, text)
	case message.RoleAssistant:
		x.assistant(u.Node, raw, x.endsTurn(i))
	case message.RoleToolResult:
		x.result(u.Node, text)
	case message.RoleBashExecution:
		x.execution(u.Node, raw, text)
	case message.RoleCustom:
		x.note(u.Node, text)
	case message.RoleBranchSummary:
		x.add(weightResult, u.Node, "%s: %s", speaker(u.Node), fence.OneLine(text, longPoint))
	}
	return nil
}

// ignoreMark begins a message by which an agent tells the model to ignore what a person
// typed to the agent itself.
const ignoreMark = "<local-command-caveat>"

// note adds a message that an extension or the agent itself wrote. It skips notices of
// interruption, which other points mention, and instructions to ignore something.
func (x *extractor) note(n *message.Node, text string) {
	name, args, typed := typedCommand(text)
	switch {
	case x.b.signs.refused(text) || strings.HasPrefix(text, ignoreMark):
	case typed && args == "":
		x.add(weightReadOnly, n, "the user typed %s", fence.OneLine(name, shortPoint))
	case typed:
		x.add(weightUser, n, "user: %s", fence.OneLine(name+" "+args, longPoint))
	default:
		x.add(weightNote, n, "%s: %s", speaker(n), fence.OneLine(inTag(text, "local-command-stdout", text), longPoint))
	}
}

// typedCommand parses a command that a person typed to the agent and the agent recorded in
// tags: "/compact" and its arguments.
func typedCommand(text string) (name, args string, ok bool) {
	name = strings.TrimSpace(inTag(text, "command-name", ""))
	return name, strings.TrimSpace(inTag(text, "command-args", "")), name != ""
}

// inTag returns the content of the first element with a name, otherwise without one.
func inTag(text, name, otherwise string) string {
	_, rest, opened := strings.Cut(text, "<"+name+">")
	inner, _, closed := strings.Cut(rest, "</"+name+">")
	if !opened || !closed {
		return otherwise
	}
	return inner
}

// user adds a message of the user, at greater length for the first and the last one.
func (x *extractor) user(i int, text string) {
	weight, length := weightUser, longPoint
	if i == x.edge(x.start, x.end, 1) || i == x.edge(x.end-1, x.start-1, -1) {
		weight, length = weightEnds, promptPoint
	}
	n := x.b.Units[i].Node
	x.reply(text)
	x.add(weight, n, "user: %s", fence.OneLine(text, length))
	x.prompts = append(x.prompts, prompt{n.ID, strings.TrimSpace(text), n.Time})
	x.names.mention(text, byUser)
}

// reply ends a turn: if it ended with a proposal, this is the user's reply.
func (x *extractor) reply(text string) {
	for i := len(x.points) - 1; i >= 0 && x.points[i].fromModel; i-- {
		if p := &x.points[i]; p.proposal {
			p.reply = fence.OneLine(text, shortPoint)
		}
	}
	x.changed = false
}

// edge returns the first message of the user when going from one unit to another in steps
// of 1 or -1; -1 when there is none.
func (x *extractor) edge(from, to, step int) int {
	for i := from; i != to; i += step {
		if x.b.Units[i].Message.Role == message.RoleUser {
			return i
		}
	}
	return -1
}

// endsTurn reports whether a message has no calls and the user comes next.
func (x *extractor) endsTurn(i int) bool {
	return len(x.b.Units[i].Message.Calls) == 0 && (i+1 == len(x.b.Units) || x.b.Units[i+1].Message.Role == message.RoleUser)
}

// assistant adds decisions and findings, the last message before the user's turn, and what
// the calls touch.
func (x *extractor) assistant(n *message.Node, raw []byte, last bool) {
	h := &n.Message
	text := h.Text(n.Body.Of(raw))
	from := len(x.points)
	x.names.mention(text, byModel)
	x.todo.addFromText(x.b.signs, text)
	x.ahead.say(text, len(x.prompts))
	shown := ""
	if last && text != "" {
		shown = fence.OneLine(text, answerPoint)
		x.add(weightResult, n, "said: %s", shown)
		x.points[from].proposal = !x.changed && strings.HasSuffix(strings.TrimSpace(text), "?")
	}
	found := last
	for _, s := range sentences(text) {
		s = fence.OneLine(s, longPoint)
		if weight := x.b.signs.decides(s); weight > 0 && !repeats(shown, s) && !leadIn(s) {
			x.add(weight, n, "said: %s", s)
			found = true
		}
	}
	if line := firstLine(text, shortPoint); line != "" && !found && !leadIn(line) {
		weight := weightSaid
		if x.b.signs.next.MatchString(line) {
			weight = weightNext
		}
		x.add(weight, n, "said: %s", line)
	}
	for i := range x.points[from:] {
		x.points[from+i].fromModel = true
	}
	for _, c := range h.Calls {
		x.call(n, c)
	}
	if x.todo.changed {
		x.todo.changed, x.promptsAtPlan = false, len(x.prompts)
	}
}

// repeats reports whether a line already contains a sentence, or most of it if either is
// cut off.
func repeats(line, sentence string) bool {
	const cut = "…"
	line, sentence = strings.ReplaceAll(line, "**", ""), strings.TrimSuffix(sentence, cut)
	if strings.Contains(line, sentence) {
		return true
	}
	line, isCut := strings.CutSuffix(line, cut)
	at := strings.LastIndex(line, sentence[:len(sentence)/2])
	return isCut && at >= 0 && strings.HasPrefix(sentence, line[at:])
}

// leadIn reports whether a line only announces what follows it.
func leadIn(line string) bool { return strings.HasSuffix(line, ":") }

// call adds what a tool call touches.
func (x *extractor) call(n *message.Node, c message.Call) {
	x.todo.call(c)
	if x.b.signs.mayChange(c) {
		x.ahead.call(c)
	}
	x.names.call(c)
	x.changed = x.changed || x.b.signs.mayChange(c)
	path := argument(c.Arguments, "path")
	switch {
	case c.Name == "bash":
		x.commands[c.ID] = x.b.command(argument(c.Arguments, "command"))
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

// touch records a file, and whether it was only read.
func (x *extractor) touch(path, how string) {
	if _, known := x.files[path]; !known {
		x.order = append(x.order, path)
		x.files[path] = how
	}
	if how != "read" {
		x.files[path] = how
	}
}

// result adds the outcome of a command or of a failed call.
func (x *extractor) result(n *message.Node, text string) {
	h := &n.Message
	if command, ok := x.commands[h.ToolCallID]; ok {
		code := ""
		if m := x.b.signs.exit.FindAllStringSubmatch(text, -1); m != nil {
			code = m[len(m)-1][1]
		}
		x.run(n, commandRun{weight: weightCommand, actor: "ran", command: command, code: code, failed: h.IsError, output: text})
		return
	}
	switch {
	case asksUser(h.ToolName) && !h.IsError:
		x.add(weightDecision, n, "the user answered: %s", fence.OneLine(text, promptPoint))
	case h.IsError && x.b.signs.refused(text):
		x.add(weightReadOnly, n, "%s was not allowed, or stopped", fence.OneLine(h.ToolName, 40))
	case h.IsError:
		x.add(weightError, n, "%s failed: %s", fence.OneLine(h.ToolName, 40), firstLine(text, shortPoint))
	}
}

// asksUser reports whether a tool asks the user a question, whose answer decides something.
func asksUser(tool string) bool {
	tool = strings.ToLower(tool)
	return strings.Contains(tool, "question") || strings.Contains(tool, "ask_user") || strings.Contains(tool, "askuser")
}

// relative makes the paths in a line relative to the session's directory.
func (b *Branch) relative(line string) string {
	if len(b.dir) < 2 || len(line) <= len(b.dir) { // a hostile file may have a huge directory name
		return line
	}
	return strings.ReplaceAll(line, b.dir+"/", "")
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
		out += "Files changed: " + fence.OneLine(x.b.relative(strings.Join(changed, ", ")), maxPaths) + "\n"
	}
	if len(read) > 0 {
		out += "Files read: " + fence.OneLine(x.b.relative(strings.Join(read, ", ")), maxPaths) + "\n"
	}
	return out
}

// argument returns a string among a call's arguments, "" when it is missing.
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

// minCut is the minimum useful size of a point that is cut.
const minCut token.Count = 20

// fill chooses points by weight until the budget is used up, and writes them in order.
// Messages of the user, decisions and findings are cut if they do not fit; other points are
// left out.
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
	chosen := make([]string, len(points))
	for _, i := range byWeight {
		text := points[i].text
		n := token.OfText("- " + text + "\n")
		if left := budget - room; n > left && points[i].weight >= weightFinding && left >= minCut {
			text = fence.OneLine(text, int(left-2)*charsPerToken)
			n = token.OfText("- " + text + "\n")
		}
		if room+n <= budget {
			chosen[i] = text
			room += n
		}
	}
	var b strings.Builder
	b.WriteString(head)
	for _, text := range chosen {
		if text != "" {
			b.WriteString("- " + text + "\n")
		}
	}
	return strings.TrimSpace(b.String() + footer)
}

// extractNodes combines several summaries into one extract: the lines with the highest
// weight, and a proportional share for each node.
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
				points = append(points, point{weight: s.weight(line), text: line})
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
	case s.decides(line) > 0:
		return s.decides(line)
	case s.isError(line):
		return weightFailed
	case strings.HasPrefix(line, "Files changed"):
		return weightEdit
	}
	return weightCommand
}
