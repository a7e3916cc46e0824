package recall

import (
	"cmp"
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

// Text is a text of which pages are shown.
type Text struct {
	ID, Session string
	Call        string // the id to call for more, if ID is ambiguous
	Head        string // describes it
	Body        string
	Images      int
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
	body := string(x.Text())
	t := Text{ID: x.EntryID, Session: x.Session, Head: header(x, body), Body: body, Images: x.Entry.Message.Content.Images}
	if id.session != "" {
		t.Call = x.Session + "/" + x.EntryID
	}
	return r.Page(t)
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
	bare := strings.Trim(s, "[](){}<>#,;:.'\"`… ")
	for _, form := range []struct{ pattern, in string }{{expandPattern, s}, {grepHitPattern, s}, {`^` + idPattern + `$`, bare}} {
		if all := regexp.MustCompile(form.pattern).FindAllStringSubmatch(form.in, -1); all != nil {
			last := all[len(all)-1]
			return entryPointer{session: last[1], entry: last[2]}, nil
		}
	}
	return entryPointer{}, badExpand(expandHint+` To find one: lcm_grep(query="words of the text").`, "there is no id in %s", quoted(s))
}

// find looks the entry up, first in the given sessions or those whose id begins with the
// pointer's, then in all.
func (p entryPointer) find(ctx context.Context, st history.Expander, first []string) (*history.Expanded, error) {
	if p.session != "" {
		rows, err := st.Find(ctx, p.entry, nil, maxCandidates)
		if err != nil {
			return nil, err
		}
		first = nil
		for _, r := range rows {
			if strings.HasPrefix(r.Session, p.session) {
				first = append(first, r.Session)
			}
		}
		if len(first) == 0 {
			return nil, history.ErrNotFound
		}
	}
	if len(first) > 0 {
		x, err := history.Expand(ctx, st, p.entry, first)
		if p.session != "" || !errors.Is(err, history.ErrNotFound) {
			return x, err
		}
	}
	return history.Expand(ctx, st, p.entry, nil)
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

// badExpand is a call that a model can correct.
func badExpand(hint, format string, args ...any) error {
	return &BadCallError{Tool: ExpandTool, Problem: fmt.Sprintf(format, args...), Hint: hint}
}

// Page returns the requested part of a text.
func (r ExpandRequest) Page(t Text) (Answer, error) {
	d := ExpandDetails{ID: t.ID, Session: t.Session, Bytes: len(t.Body), Images: t.Images}
	r, part, err := r.choose(t.Body)
	switch {
	case err != nil:
		return Answer{}, err
	case t.Body == "":
		return Answer{Text: t.Head + "\nIt holds no text.", Details: d}, nil
	}
	d.From = fence.RuneStart(part, r.Cursor)
	d.To = d.From + fence.Fit(part[d.From:], r.units())
	head := t.Head
	if d.From > 0 || d.To < len(part) || part != t.Body {
		head += "\nShown: " + r.shown(part, d.From, d.To)
	}
	reply := head + "\n" + fence.Block(part[d.From:d.To])
	if d.To < len(part) {
		d.Cursor = strconv.Itoa(d.To)
		reply += "\nNext part: " + r.next(cmp.Or(t.Call, t.ID), d.Cursor)
	} else if d.From > 0 {
		reply += "\nThis is the end."
	}
	return Answer{Text: reply, Details: d}, nil
}

// choose returns the lines that are asked for, with Around resolved to Lines.
func (r ExpandRequest) choose(body string) (ExpandRequest, string, error) {
	if r.Around != "" && r.Lines == nil {
		line, err := strconv.Atoi(r.Around)
		if err != nil {
			folded := text.FoldLetters(body)
			at := strings.Index(folded, text.FoldLetters(r.Around))
			if at < 0 {
				return r, "", badExpand(`Call it without around, or find other words with grep="words".`, "the text does not hold %s", quoted(r.Around))
			}
			line = 1 + strings.Count(folded[:at], "\n")
		}
		around := history.LinesAround(line)
		r.Lines = &around
	}
	chosen, _ := history.Slice{Lines: r.Lines}.Of([]byte(body))
	part := string(chosen)
	const hint = "Call it without cursor and lines for the beginning; every part names the call for the next."
	if r.Lines != nil && part == "" && body != "" {
		return r, "", badExpand(hint, "there is no line %d: the text has %s", r.Lines.From, text.Count(lineCount(body), "line"))
	}
	if r.Grep != nil {
		if part = r.matching(part); part == "" {
			return r, "", badExpand("Call it without grep for all of the text, or with another expression.", "no line matches %s", quoted(r.pattern()))
		}
	}
	if r.Cursor != 0 && (r.Cursor < 0 || r.Cursor >= len(part)) {
		return r, "", badExpand(hint, "there is nothing at cursor %d: the text has %s", r.Cursor, text.Count(len(part), "byte"))
	}
	return r, part, nil
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

// header describes the text that follows it.
func header(x *history.Expanded, body string) string {
	command, session := "", "" // a blob belongs to no session
	if x.Role == message.RoleBashExecution {
		command = "$ " + fence.OneLine(message.Unquote(x.Entry.Message.Command.Of(x.Entry.Body.Of(x.Raw))), maxWords)
	}
	if x.Session != "" {
		session = "session " + fence.OneLine(history.ShortSession(x.Session), maxName)
	}
	head := text.JoinNonEmpty(", ", fence.OneLine(x.EntryID, maxName)+" "+speaker(x.Row), command, session, text.ZonedMinute(x.Time), Size(body))
	if n := x.Entry.Message.Content.Images; n > 0 {
		head += ", " + text.Count(n, "image") + " named, not sent"
	}
	return head
}

// Size describes the size of a text.
func Size(body string) string {
	return fmt.Sprintf("%s (~%s tokens), %s", text.Count(len(body), "byte"), token.OfText(body), text.Count(lineCount(body), "line"))
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
func (r ExpandRequest) next(id, cursor string) string {
	call := fmt.Sprintf(`lcm_expand(id="%s", cursor="%s"`, fence.OneLine(id, 2*maxName), cursor)
	if r.Depth > 1 {
		call += fmt.Sprintf(", depth=%d", r.Depth)
	}
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
