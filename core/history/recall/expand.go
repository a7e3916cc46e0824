package recall

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// ExpandRequest is a call of lcm_expand.
type ExpandRequest struct {
	// ID is the id of an entry or a prefix of it, possibly preceded by its session (or a
	// prefix of that) and a slash, or a text that contains it: a marker, a line of
	// lcm_grep.
	ID string
	// MaxTokens bounds the reply: 4,000 when 0, at least 400, at most MaxReply.
	MaxTokens int
	// Depth is how many levels of a summary to open. An entry has nothing below it.
	Depth int
	// Cursor is the byte of the requested text at which to continue.
	Cursor int
	// Lines requests only these lines.
	Lines *history.LineRange
	// Grep requests only the matching lines, each after its number.
	Grep *regexp.Regexp
	// Around requests the lines around the first one that contains it, or around the line
	// with this number.
	Around string
	// First are the sessions to search before all others.
	First []string
	// Note is added to a reply of "not found".
	Note string
}

// ExpandDetails are the details of ExpandText's answer.
type ExpandDetails struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	Bytes   int    `json:"bytes"` // of the entry's text
	From    int    `json:"from"`  // the part shown of it, or of the requested lines
	To      int    `json:"to"`
	Images  int    `json:"images,omitempty"`
	Cursor  string `json:"cursor,omitempty"` // of the next page
}

const (
	expandHint = `Call it like lcm_expand(id="3f9a2c1b"), with an id that lcm_grep or a marker shows.`

	defaultExpand = 4000 // tokens
	minExpand     = 400  // less would hold only the frame
	expandFrame   = 1200 // UTF-16 units of the frame around the text
)

// ParseExpand parses the arguments of a call of lcm_expand. Its errors are BadCallErrors.
func ParseExpand(raw []byte) (ExpandRequest, error) {
	p := readParams(ExpandTool, expandHint, raw)
	r := ExpandRequest{ID: p.text("id"), MaxTokens: p.number("max_tokens"), Depth: p.number("depth"), Cursor: p.number("cursor")}
	if strings.TrimSpace(r.ID) == "" {
		p.fail("id is missing")
	}
	if s := strings.TrimSpace(p.text("lines")); s != "" {
		lines, err := history.ParseLineRange(strings.NewReplacer(":", "-", "..", "-", ",", "-", " ", "", "L", "").Replace(s))
		if err != nil {
			p.fail("lines must be a range such as 10-40, counted from 1, not %s", quoted(s))
		}
		r.Lines = &lines
	}
	r.Around = strings.TrimSpace(p.text("around"))
	if s := p.text("grep"); strings.TrimSpace(s) != "" {
		re, err := history.CompileRegex(s, false)
		if err != nil {
			p.fail("grep must be a regular expression of Go's syntax: %s", fence.OneLine(err.Error(), maxNote))
		}
		r.Grep = re
	}
	return r, p.err
}

// ExpandText returns the original of an entry to a model, page by page. Together the pages
// are the whole text without overlap. An unknown or ambiguous id is a BadCallError.
func ExpandText(ctx context.Context, st history.Expander, r ExpandRequest) (Answer, error) {
	id, err := parsePointer(r.ID)
	if err != nil {
		return Answer{}, err
	}
	x, err := id.find(ctx, st, r.First)
	if err != nil {
		return Answer{}, r.fault(id, err)
	}
	return r.page(x)
}

// entryPointer is the id of an entry, or a prefix of one.
type entryPointer struct{ session, entry string }

func (p entryPointer) String() string {
	if p.session != "" {
		return p.session + "/" + p.entry
	}
	return p.entry
}

const (
	idPattern      = `(?:([0-9A-Za-z][0-9A-Za-z._-]{0,79})/)?([0-9A-Za-z][0-9A-Za-z_-]{0,63})`
	expandPattern  = `expand(?: |\(\s*(?:id\s*[=:]\s*)?)["'\x60]?` + idPattern
	grepHitPattern = `^\[[0-9]+\] ` + idPattern + ` `
)

// parsePointer finds the id in what a model passes as one: an id, "pictx expand 3f9a2c1b",
// lcm_expand(id="3f9a2c1b"), or a line of lcm_grep. Of several ids in a marker it takes the
// last, because the call that a marker quotes precedes the marker's own id.
func parsePointer(s string) (entryPointer, error) {
	s = strings.TrimSpace(s)
	if all := regexp.MustCompile(expandPattern).FindAllStringSubmatch(s, -1); all != nil {
		last := all[len(all)-1]
		return entryPointer{session: last[1], entry: last[2]}, nil
	}
	if m := regexp.MustCompile(grepHitPattern).FindStringSubmatch(s); m != nil {
		return entryPointer{session: m[1], entry: m[2]}, nil
	}
	bare := strings.Trim(s, "[](){}<>#,;:.'\"`… ")
	if m := regexp.MustCompile(`^` + idPattern + `$`).FindStringSubmatch(bare); m != nil {
		return entryPointer{session: m[1], entry: m[2]}, nil
	}
	return entryPointer{}, &BadCallError{
		Tool: ExpandTool, Problem: "there is no id in " + quoted(s),
		Hint: expandHint + ` To find one: lcm_grep(query="words of the text").`,
	}
}

// find looks the entry up, first in the given sessions, then in all.
func (p entryPointer) find(ctx context.Context, st history.Expander, first []string) (*history.Expanded, error) {
	if p.session != "" {
		return p.findIn(ctx, st)
	}
	if len(first) > 0 {
		x, err := history.Expand(ctx, st, p.entry, first)
		if !errors.Is(err, history.ErrNotFound) {
			return x, err
		}
	}
	return history.Expand(ctx, st, p.entry, nil)
}

// findIn looks the entry up in the sessions whose id begins with the pointer's.
func (p entryPointer) findIn(ctx context.Context, st history.Expander) (*history.Expanded, error) {
	rows, err := st.Find(ctx, p.entry, nil, maxCandidates)
	if err != nil {
		return nil, err
	}
	var sessions []string
	for _, r := range rows {
		if strings.HasPrefix(r.Session, p.session) {
			sessions = append(sessions, r.Session)
		}
	}
	if len(sessions) == 0 {
		return nil, history.ErrNotFound
	}
	return history.Expand(ctx, st, p.entry, sessions)
}

// maxCandidates bounds the entries among which a session is searched.
const maxCandidates = 1000

// fault converts an error of looking up an id into one that tells the model what to do.
func (r ExpandRequest) fault(id entryPointer, err error) error {
	var many *history.AmbiguousError
	switch {
	case errors.As(err, &many):
		return &BadCallError{Tool: ExpandTool, Problem: "several entries have an id that begins with " + id.String(), Hint: candidates(many.Candidates), Cause: err}
	case errors.Is(err, history.ErrNotFound):
		problem := "no entry has the id " + id.String() + ", or one that begins so, in any stored session of this project"
		if r.Note != "" {
			problem += " (" + fence.OneLine(r.Note, maxNote) + ")"
		}
		return &BadCallError{Tool: ExpandTool, Problem: problem, Hint: `To find the right id: lcm_grep(query="words of the text", scope="project").`, Cause: err}
	}
	return err
}

// candidates lists the entries that an ambiguous id may mean, each with a unique id.
func candidates(rows []history.Row) string {
	const most = 8
	seen := make(map[string]int)
	for _, r := range rows {
		seen[r.EntryID]++
	}
	var b strings.Builder
	b.WriteString("Call lcm_expand with one of these:")
	for i, r := range rows {
		if i == most {
			b.WriteString("\n  and others: give more of the id")
			break
		}
		id := r.EntryID
		if seen[id] > 1 {
			id = r.Session + "/" + id
		}
		fmt.Fprintf(&b, "\n  %s %s %s", fence.OneLine(id, 2*maxName), speaker(r), text.ZonedMinute(r.Time))
	}
	return b.String()
}

// page returns the requested part of an entry.
func (r ExpandRequest) page(x *history.Expanded) (Answer, error) {
	text := x.Text()
	r, err := r.resolveAround(text)
	if err != nil {
		return Answer{}, err
	}
	chosen, skipped := history.Slice{Lines: r.Lines}.Of(text)
	part := string(chosen)
	if err := r.outside(text, part); err != nil {
		return Answer{}, err
	}
	if r.Grep != nil {
		if part = r.matching(part); part == "" {
			return Answer{}, &BadCallError{Tool: ExpandTool, Problem: "no line matches " + quoted(r.pattern()), Hint: "Call it without grep for all of the text, or with another expression."}
		}
		skipped = len(text)
	}
	from := fence.RuneStart(part, r.Cursor)
	to := from + fence.Fit(part[from:], r.units())
	d := ExpandDetails{ID: x.EntryID, Session: x.Session, Bytes: len(text), From: from, To: to, Images: x.Entry.Message.Content.Images}
	head := header(x, text)
	if len(text) == 0 {
		return Answer{Text: head + "\nIt holds no text.", Details: d}, nil
	}
	if from > 0 || to < len(part) || skipped > 0 {
		head += "\nShown: " + r.shown(part, from, to)
	}
	reply := head + "\n" + fence.Block(part[from:to])
	if to < len(part) {
		d.Cursor = strconv.Itoa(to)
		reply += "\nNext part: " + r.next(x.EntryID, d)
	} else if from > 0 {
		reply += "\nThis is the end."
	}
	return Answer{Text: reply, Details: d}, nil
}

// resolveAround converts Around into Lines.
func (r ExpandRequest) resolveAround(body []byte) (ExpandRequest, error) {
	if r.Around == "" || r.Lines != nil {
		return r, nil
	}
	line, err := strconv.Atoi(r.Around)
	if err != nil {
		at := strings.Index(text.FoldLetters(string(body)), text.FoldLetters(r.Around))
		if at < 0 {
			return r, &BadCallError{Tool: ExpandTool, Problem: "the text does not hold " + quoted(r.Around), Hint: `Call it without around, or find other words with grep="words".`}
		}
		line = 1 + strings.Count(text.FoldLetters(string(body))[:at], "\n")
	}
	around := history.LinesAround(line)
	r.Lines = &around
	return r, nil
}

// matching returns the matching lines of a text, each after its number.
func (r ExpandRequest) matching(part string) string {
	n := 1
	if r.Lines != nil {
		n = r.Lines.From
	}
	var b strings.Builder
	for line := range strings.Lines(part) {
		if r.Grep.MatchString(strings.TrimRight(line, "\r\n")) {
			fmt.Fprintf(&b, "%d: %s", n, line)
		}
		n++
	}
	return b.String()
}

// pattern is the expression of Grep as the model wrote it.
func (r ExpandRequest) pattern() string { return strings.TrimPrefix(r.Grep.String(), "(?mi)") }

// units is how many UTF-16 units of text a reply may have.
func (r ExpandRequest) units() int {
	tokens := r.MaxTokens
	if tokens <= 0 {
		tokens = defaultExpand
	}
	return min(max(tokens, minExpand), int(MaxReply))*unitsPerToken - expandFrame
}

// outside returns an error when Lines or Cursor are beyond the text; part is what the lines
// select.
func (r ExpandRequest) outside(body []byte, part string) error {
	problem := ""
	switch {
	case r.Lines != nil && part == "" && len(body) > 0:
		problem = fmt.Sprintf("there is no line %d: the text has %s", r.Lines.From, text.Count(lineCount(string(body)), "line"))
	case r.Cursor != 0 && (r.Cursor < 0 || r.Cursor >= len(part)):
		problem = fmt.Sprintf("there is nothing at cursor %d: the text has %s", r.Cursor, text.Count(len(part), "byte"))
	default:
		return nil
	}
	return &BadCallError{Tool: ExpandTool, Problem: problem, Hint: "Call it without cursor and lines for the beginning; every part names the call for the next."}
}

// header describes the text that follows it.
func header(x *history.Expanded, body []byte) string {
	command := ""
	if x.Role == message.RoleBashExecution {
		command = "$ " + fence.OneLine(message.Unquote(x.Entry.Message.Command.Of(x.Entry.Body.Of(x.Raw))), maxWords)
	}
	size := fmt.Sprintf("%s (~%s tokens)", text.Count(len(body), "byte"), token.OfText(string(body)))
	session := "" // a blob belongs to none
	if x.Session != "" {
		session = "session " + fence.OneLine(history.ShortSession(x.Session), maxName)
	}
	head := text.JoinNonEmpty(", ", fence.OneLine(x.EntryID, maxName)+" "+speaker(x.Row), command, session, text.ZonedMinute(x.Time),
		size, text.Count(lineCount(string(body)), "line"))
	if n := x.Entry.Message.Content.Images; n > 0 {
		head += ", " + text.Count(n, "image") + " named, not sent"
	}
	return head
}

// shown describes the part of the text that is shown.
func (r ExpandRequest) shown(part string, from, to int) string {
	first, suffix := 1, ""
	if r.Grep != nil {
		return fmt.Sprintf("lines that match, bytes %d-%d of %d", from, to, len(part))
	}
	if r.Lines != nil {
		first, suffix = r.Lines.From, " of these lines"
	}
	first += strings.Count(part[:from], "\n")
	last := first + max(0, lineCount(part[from:to])-1)
	return fmt.Sprintf("lines %d-%d, bytes %d-%d of %d%s", first, last, from, to, len(part), suffix)
}

// lineCount counts lines like history.ParseLineRange: text after the last line break is a
// line too.
func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// next is the call for the next page.
func (r ExpandRequest) next(id string, d ExpandDetails) string {
	if p, err := parsePointer(r.ID); err == nil && p.session != "" {
		id = d.Session + "/" + id // the id alone may be ambiguous
	}
	call := fmt.Sprintf(`lcm_expand(id="%s", cursor="%s"`, fence.OneLine(id, 2*maxName), d.Cursor)
	if r.Lines != nil {
		call += `, lines="` + r.Lines.String() + `"`
	}
	if r.Grep != nil {
		call += ", grep=" + string(message.AppendQuote(nil, r.pattern()))
	}
	if r.MaxTokens > 0 {
		call += fmt.Sprintf(`, max_tokens=%d`, min(r.MaxTokens, int(MaxReply)))
	}
	return call + ")"
}
