package usage

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Response is what one request to a model cost: the response of a model, a summary, or a
// request besides the conversation.
type Response struct {
	// Session, Project and Agent are its origin: ids and the working directory.
	Session, Project, Agent string
	// Kind is what the request was for.
	Kind Kind
	// Model is "provider/id".
	Model string
	// Began is when the work on a summary of pictx began, in Unix milliseconds; 0 is unknown.
	Began int64
	// Time is in Unix milliseconds.
	Time int64
	message.Usage
	// Dollars is the cost, valid when Priced is set.
	Dollars float64
	Priced  bool

	recorded bool // by the agent
}

// Kind is what a request was for.
type Kind string

// The kinds of requests.
const (
	Answer  Kind = ""        // the response of the agent's model
	Summary Kind = "summary" // of a compaction, or of a branch
	Aside   Kind = "aside"   // to keep the cache warm, and whatever else the agent notes
)

// kindOf returns what a request of an entry was for.
func kindOf(e *message.Entry) Kind {
	switch e.Type {
	case message.EntryMessage:
		return Answer
	case message.EntryCompaction, message.EntryBranchSummary:
		return Summary
	}
	return Aside
}

// OfCompaction is Of for the entry of a compaction, raw being its bytes. Where the agent notes no
// usage, pictx does. It reports false when there was no request.
func OfCompaction(e *message.Entry, raw []byte) (Response, bool) {
	var own struct {
		Details struct {
			Pictx *struct {
				Began    int64
				Requests *int
				Usage    json.RawMessage
			}
		}
	}
	h := *e
	if json.Unmarshal(raw, &own) == nil && own.Details.Pictx != nil && own.Details.Pictx.Requests != nil {
		var p message.Parser
		m, err := p.ParseMessage([]byte(`{"usage":` + string(own.Details.Pictx.Usage) + `}`))
		if err != nil || *own.Details.Pictx.Requests == 0 {
			return Response{}, false
		}
		h.Message.Usage, h.Message.Paid, h.Message.HasUsage = m.Usage, m.Paid, m.HasUsage
	}
	r, ok := Of(&h)
	if own.Details.Pictx != nil {
		r.Began = own.Details.Pictx.Began
	}
	return r, ok
}

// Written returns what a summary cost of which only the size is known.
func Written(model string, input, output, at int64) Response {
	r := Response{Kind: Summary, Model: model, Time: at, Usage: message.Usage{Input: input, Output: output}}
	provider, id, _ := strings.Cut(model, "/")
	r.price(provider, id, nil)
	return r
}

// Of returns what an entry records that its request cost. It reports false for an entry
// without usage.
func Of(e *message.Entry) (Response, bool) {
	h := &e.Message
	if !h.HasUsage || h.Usage == (message.Usage{}) && (h.Paid == nil || h.Paid.Total == 0) {
		return Response{}, false
	}
	r := Response{Kind: kindOf(e), Model: h.Model, Time: h.Timestamp, Usage: h.Usage}
	if h.Provider != "" {
		r.Model = h.Provider + "/" + h.Model
	}
	if r.Time == 0 {
		r.Time = e.Time
	}
	r.price(h.Provider, h.Model, h.Paid)
	return r, true
}

// price sets the cost: what the agent recorded, else what the table says. A record of 0 counts,
// but where the provider sells the model.
func (r *Response) price(provider, id string, paid *message.Cost) {
	m, listed := token.FindModel(provider, id)
	switch {
	case paid != nil && (paid.Total > 0 || listed && m.Free() || !listed && !token.Sells(provider)):
		r.Dollars, r.Priced, r.recorded = paid.Total, true, true
	case listed:
		u := &r.Usage
		cost := m.CostAt(token.Count(u.Input + u.CacheRead + u.CacheWrite))
		if cost.CacheWrite == 0 {
			cost.CacheWrite = cost.Input
		}
		r.Dollars, r.Priced = cost.Dollars(u.Input, u.Output, u.CacheRead, u.CacheWrite), true
	}
}

// Grow sets the output of a response of which a later part says more.
func (r *Response) Grow(output int64) {
	if output <= r.Output {
		return
	}
	provider, id, _ := strings.Cut(r.Model, "/")
	if m, ok := token.FindModel(provider, id); ok && !r.recorded {
		u := &r.Usage
		r.Dollars += m.CostAt(token.Count(u.Input+u.CacheRead+u.CacheWrite)).Dollars(0, output-r.Output, 0, 0)
	}
	r.Output = output
}

// Total is the sum of several responses.
type Total struct {
	// Responses is their number, Unpriced how many of them have no price.
	Responses, Unpriced int
	message.Usage
	// Dollars is the cost of those with a price, and of requests besides them.
	Dollars float64
}

// Add adds a response.
func (t *Total) Add(r *Response) {
	if r.Kind == Answer {
		t.Responses++
	}
	t.Input, t.Output = t.Input+r.Input, t.Output+r.Output
	t.CacheRead, t.CacheWrite = t.CacheRead+r.CacheRead, t.CacheWrite+r.CacheWrite
	if !r.Priced && r.Kind == Answer {
		t.Unpriced++
	}
	t.Dollars += r.Dollars
}

// Grow adds the output of a later part of a response that was added before.
func (t *Total) Grow(r *Response, output int64) {
	before := *r
	r.Grow(output)
	t.Output += r.Output - before.Output
	t.Dollars += r.Dollars - before.Dollars
}

// Priced reports whether any response has a price.
func (t *Total) Priced() bool { return t.Unpriced < t.Responses }

// Cached is the share of the input that was read from the provider's cache, 0 to 1.
func (t *Total) Cached() float64 {
	input := t.Input + t.CacheRead + t.CacheWrite
	if input == 0 {
		return 0
	}
	return float64(t.CacheRead) / float64(input)
}

// Group is the total of the responses that share a key.
type Group struct {
	Key string
	Total
	// Saved is how many dollars less they cost than with plain pi.
	Saved float64
}

// Kinds are what responses can be grouped by.
func Kinds() []string { return []string{"day", "week", "model", "project", "agent", "session"} }

// Table groups responses.
type Table struct {
	kind  string
	zone  *time.Location
	index map[string]int
	list  []Group
	all   Total
	saved float64
}

// NewTable returns a table that groups by one of Kinds. Days begin at midnight in zone.
func NewTable(kind string, zone *time.Location) *Table {
	return &Table{kind: kind, zone: zone, index: make(map[string]int)}
}

// Add adds a response to its group.
func (t *Table) Add(r *Response) {
	key := t.Key(r)
	i, ok := t.index[key]
	if !ok {
		i = len(t.list)
		t.index[key] = i
		t.list = append(t.list, Group{Key: key})
	}
	t.list[i].Add(r)
	t.all.Add(r)
}

// Save adds what a response cost less than with plain pi to its group, if it has one.
func (t *Table) Save(r *Response, dollars float64) {
	if i, ok := t.index[t.Key(r)]; ok {
		t.list[i].Saved += dollars
	}
	t.saved += dollars
}

// Saved is the sum over all groups.
func (t *Table) Saved() float64 { return t.saved }

// Key returns the key of a response's group.
func (t *Table) Key(r *Response) string {
	switch t.kind {
	case "model":
		return r.Model
	case "project":
		return r.Project
	case "agent":
		return r.Agent
	case "session":
		return r.Session
	}
	if r.Time == 0 {
		return "unknown"
	}
	day := time.UnixMilli(r.Time).In(t.zone)
	if t.kind == "week" { // by its Monday
		day = day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	}
	return day.Format(time.DateOnly)
}

// Groups returns the groups: days and weeks in order, others with the most expensive first.
func (t *Table) Groups() []Group {
	out := slices.Clone(t.list)
	slices.SortFunc(out, func(a, b Group) int {
		if t.kind == "day" || t.kind == "week" {
			return strings.Compare(a.Key, b.Key)
		}
		return cmp.Or(cmp.Compare(b.Dollars, a.Dollars), cmp.Compare(b.Input+b.CacheRead, a.Input+a.CacheRead), strings.Compare(a.Key, b.Key))
	})
	return out
}

// All returns the total of all groups.
func (t *Table) All() Total { return t.all }

// Title returns a title for a session: its name, else the first meaningful line that its user
// wrote in the first prompt. A line that ends with a colon is followed by the next one,
// because many prompts begin with "Implement the following plan:".
func Title(name, prompt string) string {
	if name = strings.TrimSpace(name); name != "" {
		return name
	}
	title := ""
	for line := range strings.Lines(written(prompt)) {
		if line = strings.Trim(line, " \t\r\n#>*-`"); line == "" {
			continue
		}
		if title = text.JoinNonEmpty(" ", title, line); !strings.HasSuffix(line, ":") || len(title) > announcing {
			break
		}
	}
	return title
}

// written returns what the user wrote in a prompt, without pictures, code at its start and what
// agents put before it: skills, files, reminders. When nothing is left it is the names of the
// first two, or what the others say.
func written(prompt string) string {
	said := ""
	if strings.Contains(prompt, "![") {
		picture := regexp.MustCompile(`!\[([^\]]*)\]\([^)]*\)`)
		said, prompt = picture.ReplaceAllString(prompt, "$1"), picture.ReplaceAllString(prompt, "")
	}
	names, body := message.Spoken(strings.TrimSpace(prompt))
	for {
		head, content, rest := message.Element(body)
		if head == "" {
			break
		}
		said, body = text.JoinNonEmpty(" ", said, strings.TrimSpace(content)), rest
	}
	if body != "" && strings.Contains("[`~", body[:1]) { // a pasted picture, or code: the question comes after it
		pasted := regexp.MustCompile("(?s)^(?:\\s*(?:\\[Image\\b[^\\]]*\\]|(?:```|~~~)`*[^\n`]*\n(.*?)\n(?:```|~~~)[`~]*))+")
		said = text.JoinNonEmpty(" ", said, cmp.Or(strings.TrimSpace(pasted.ReplaceAllString(body, "$1")), body))
		body = strings.TrimSpace(pasted.ReplaceAllString(body, ""))
	}
	return cmp.Or(body, strings.Join(names, " "), said)
}

// Recognisable reports whether a title identifies a session. The name of a slash command
// alone does not; the prompt after it does.
func Recognisable(title string) bool {
	return title != "" && (title[0] != '/' || strings.ContainsAny(title[1:], " /"))
}

// announcing is the length in bytes up to which another line may be added to a title.
const announcing = 100
