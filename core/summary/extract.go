package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// extract writes the summary of a task without a model: the most informative lines of the
// source, in chronological order. It has roughly at most budget tokens, and always fewer
// than the source. The same source yields the same text.
func (b *Branch) extract(t Task, budget token.Count) (string, error) {
	if t.Depth > 0 {
		budget *= 2
	}
	x := b.extractor(t.Start, t.End)
	if err := x.read(); err != nil {
		return "", err
	}
	budget = min(budget, max(t.Input*3/4, 1))
	head, footer := extractNote+". "+span(b.Units[t.Start].Time, b.Units[t.End-1].Time)+"\n", x.footer()
	room := token.OfText(head + footer)
	if room > budget/2 {
		footer, room = "", token.OfText(head)
	}
	return strings.TrimSpace(head + x.lines(choose(x.latest(), budget-room)) + footer), nil
}

// point is a line that may become part of an extract.
type point struct {
	unit    int
	weight  int
	text    string
	command string // the command that it reports, "" for others
	failed  bool   // the command failed, and no later run succeeded
	asks    bool   // a question to the user at the end of a turn
	reply   string // what the user said to it
}

// The weights of points. Points with a higher weight are included first.
const (
	weightEnds     = 100 // the first and last message of the user
	weightUser     = 80
	weightNote     = 76 // a message of an extension, which is not about work
	weightReport   = 75 // the model's last message before the user's turn
	weightDecision = 70
	weightFailed   = 65
	weightError    = 62
	weightDone     = 52 // a command that saves or publishes work, or that the user ran
	weightFinding  = 45 // a sentence that says why, or with a name or number
	weightCommand  = 40
	weightSaid     = 20
	weightLooked   = 5 // a successful command without side effects: left out
)

// The lengths of points, in characters.
const (
	promptPoint = 800 // the first and last message of the user
	reportPoint = 480
	longPoint   = 320
	shortPoint  = 180
	outcome     = 120
	maxPaths    = 700
)

// extractor collects points of a span of a branch.
type extractor struct {
	b          *Branch
	start, end int
	points     []point
	commands   map[string]string // call id → command
	failing    []int             // indexes in points of commands whose last run failed
	prompts    []prompt
	todo       []todoItem
	atPlan     int // number of prompts when todo was written last
	asked      int // number of points when the model had asked the user something, 0 for nothing
}

// extractor returns an extractor for a span, which may reach into what is kept.
func (b *Branch) extractor(start, end int) *extractor {
	return &extractor{b: b, start: start, end: end, commands: make(map[string]string)}
}

// read collects the points of the span.
func (x *extractor) read() error {
	for i := x.start; i < x.end; i++ {
		n := x.b.at(i)
		raw, err := x.b.line(n)
		if err != nil {
			return fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		if !history.IsEmptied(raw) {
			x.unit(i, n, raw)
		}
	}
	for i, p := range x.prompts { // the first and the last message of the user are longer
		if i == 0 || i == len(x.prompts)-1 {
			at := &x.points[p.point]
			at.weight, at.text = weightEnds, x.b.relative("user: "+fence.OneLine(p.text, promptPoint))
		}
	}
	return nil
}

// add adds a point.
func (x *extractor) add(i, weight int, format string, args ...any) {
	x.points = append(x.points, point{unit: i, weight: weight, text: x.b.relative(fmt.Sprintf(format, args...))})
}

// unit adds the points of a message.
func (x *extractor) unit(i int, n *message.Node, raw []byte) {
	text := string(n.AppendBody(nil, raw))
	switch n.Message.Role {
	case message.RoleUser:
		x.user(i, n, spoken(text))
	case message.RoleAssistant:
		x.assistant(i, n, raw)
	case message.RoleToolResult:
		x.result(i, n, text)
	case message.RoleBashExecution:
		x.execution(i, n, raw, text)
	case message.RoleCustom:
		x.note(i, n, text)
	case message.RoleBranchSummary:
		x.add(i, weightReport, "%s: %s", speaker(n), fence.OneLine(text, longPoint))
	}
}

// ignoreMark begins a message by which an agent tells the model to ignore what a person
// typed to the agent itself.
const ignoreMark = "<local-command-caveat>"

// note adds a message that an extension or the agent itself wrote. It skips notices of
// interruption, which other points mention, and instructions to ignore something. What a
// person typed after the name of a command is a prompt.
func (x *extractor) note(i int, n *message.Node, text string) {
	name := strings.TrimSpace(inTag(text, "command-name", ""))
	args := strings.TrimSpace(inTag(text, "command-args", ""))
	switch {
	case x.b.signs.refused(text) || strings.HasPrefix(text, ignoreMark):
	case name != "" && args == "":
		x.add(i, weightLooked, "the user typed %s", fence.OneLine(name, shortPoint))
	case name != "":
		x.user(i, n, name+" "+args)
	default:
		x.add(i, weightNote, "%s: %s", speaker(n), fence.OneLine(inTag(text, "local-command-stdout", text), longPoint))
	}
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

// spoken returns what a user wrote, without the skills and files that the agent put before
// it: of these only the names.
func spoken(prompt string) string {
	names, text := message.Spoken(prompt)
	for i, name := range names {
		names[i] = fence.OneLine(name, shortPoint)
	}
	return strings.TrimSpace(strings.Join(append(names, text), " "))
}

// user adds a message of the user, which replies to what the model asked last.
func (x *extractor) user(i int, n *message.Node, text string) {
	if x.asked > 0 {
		x.points[x.asked-1].reply = fence.OneLine(text, shortPoint)
	}
	x.asked = 0
	x.prompts = append(x.prompts, prompt{i, n.ID, strings.TrimSpace(text), n.Time, len(x.points)})
	x.add(i, weightUser, "user: %s", fence.OneLine(text, longPoint))
}

// assistant adds what the model said, as a whole in its last message before the user's turn,
// and notes its calls.
func (x *extractor) assistant(i int, n *message.Node, raw []byte) {
	text := n.Message.Text(n.Body.Of(raw))
	x.plan(saidTodo(text))
	report := ""
	if x.endsTurn(i) && text != "" {
		report = fence.OneLine(text, reportPoint)
		x.add(i, weightReport, "said: %s", report)
		if strings.HasSuffix(strings.TrimSpace(text), "?") {
			x.asked = len(x.points)
			x.points[x.asked-1].asks = true
		}
	}
	for _, t := range sentences(text) {
		t.text = fence.OneLine(t.text, longPoint)
		if !repeats(report, t.text) {
			x.add(i, x.b.signs.weigh(t), "said: %s", t.text)
		}
	}
	for _, block := range n.Message.Content.Blocks {
		if block.Kind == message.BlockToolCall {
			x.call(i, n.Message.Calls[block.Call], block.Text.Of(n.Body.Of(raw)))
		}
	}
}

// endsTurn reports whether a message has no calls and the user comes next.
func (x *extractor) endsTurn(i int) bool {
	if len(x.b.at(i).Message.Calls) > 0 {
		return false
	}
	next := x.b.at(i + 1)
	return next == nil || next.Message.Role == message.RoleUser
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

// call adds what a tool call touches. args are its whole arguments.
func (x *extractor) call(i int, c message.Call, args []byte) {
	x.plan(calledTodo(c.Name, args))
	if c.Name == "bash" {
		x.commands[c.ID] = x.b.command(argument(args, "command"))
	}
}

// result adds the outcome of a command or of a failed call.
func (x *extractor) result(i int, n *message.Node, text string) {
	h := &n.Message
	if command, ok := x.commands[h.ToolCallID]; ok {
		code := ""
		if m := x.b.signs.exit.FindAllStringSubmatch(text, -1); m != nil {
			code = m[len(m)-1][1]
		}
		x.run(i, "ran", commandRun{weight: weightCommand, command: command, code: code, failed: h.IsError, output: text})
		return
	}
	switch {
	case asksUser(h.ToolName) && !h.IsError:
		x.add(i, weightDecision, "the user answered: %s", fence.OneLine(text, promptPoint))
	case h.IsError && x.b.signs.refused(text):
		if _, said, ok := strings.Cut(text, "the user said:"); ok {
			x.add(i, weightDecision, "the user answered: %s", fence.OneLine(said, promptPoint))
		}
		x.add(i, weightLooked, "%s was not allowed, or stopped", fence.OneLine(h.ToolName, 40))
	case h.IsError:
		x.points = append(x.points, point{unit: i, weight: weightError, text: fence.OneLine(h.ToolName, 40) + " failed: " + firstLine(text, shortPoint)})
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
func (x *extractor) footer() (out string) {
	f := x.b.files(x.start, x.end)
	for i, paths := range [][]string{f.Modified, f.Read} {
		if len(paths) > 0 {
			out += []string{"Files changed: ", "Files read: "}[i] + fence.OneLine(x.b.relative(strings.Join(paths, ", ")), maxPaths) + "\n"
		}
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

// latest returns the points: of each command only the last run and any unresolved failure, and
// no commands that only look.
func (x *extractor) latest() (out []point) {
	seen := make(map[string]bool)
	for _, p := range slices.Backward(x.points) {
		again := p.command != "" && seen[p.command]
		seen[p.command] = true
		if p.failed || !again && p.weight > weightLooked {
			out = append(out, p)
		}
	}
	slices.Reverse(out)
	return out
}

// extractNote begins every extract, so that it is not mistaken for a model's summary.
const extractNote = "Extract, not written by a model"

// minCut is the minimum useful size of a point that is cut.
const minCut token.Count = 20

// choose returns the heaviest points that fit into a budget, in their order. Messages of
// the user, decisions and reports are cut if they do not fit; others are left out.
func choose(points []point, budget token.Count) []point {
	order := make([]int, len(points))
	for i := range points {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, z int) int { return cmp.Compare(points[z].weight, points[a].weight) })
	fits := make([]bool, len(points))
	for _, i := range order {
		p := &points[i]
		n := p.size()
		if n > budget && p.weight >= weightDecision && budget >= minCut {
			p.text = fence.OneLine(p.text, int(budget-4)*charsPerToken)
			n = p.size()
		}
		if n <= budget {
			fits[i] = true
			budget -= n
		}
	}
	var out []point
	for i, p := range points {
		if fits[i] {
			out = append(out, p)
		}
	}
	return out
}

// chooseLast is choose with priority for the later of points of one weight.
func chooseLast(points []point, budget token.Count) []point {
	slices.Reverse(points)
	out := choose(points, budget)
	slices.Reverse(out)
	return out
}

// size is the size of a point as a line.
func (p *point) size() token.Count { return token.OfText("- 10:00 " + p.text + "\n") }

// lines writes points as lines with the time of their messages. What a model said in one
// message is one line.
func (x *extractor) lines(points []point) string {
	var b strings.Builder
	for i, p := range points {
		said, ok := strings.CutPrefix(p.text, "said: ")
		if ok && i > 0 && points[i-1].unit == p.unit && strings.HasPrefix(points[i-1].text, "said: ") {
			b.WriteString(" " + said)
			continue
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		clock := text.Minute(x.b.at(p.unit).Time)
		if len(clock) > 11 {
			clock = clock[11:]
		}
		b.WriteString("- " + clock + " " + p.text)
	}
	if len(points) > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}
