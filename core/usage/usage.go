package usage

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Response is one response of a model.
type Response struct {
	// Session, Project and Agent are where it was given: ids and the working directory.
	Session, Project, Agent string
	// Model is "provider/id".
	Model string
	// Time is in Unix milliseconds.
	Time int64
	message.Usage
	// Dollars is what the session says it cost, 0 when it says nothing.
	Dollars float64
}

// Read returns the response that a message is. body is the message as it is stored. It
// reports false for a message that no usage came with.
func Read(p *message.Parser, h *message.Head, body []byte) (Response, bool) {
	if h.Role != message.RoleAssistant || !h.HasUsage || h.Usage == (message.Usage{}) {
		return Response{}, false
	}
	model := h.Model
	if h.Provider != "" {
		model = h.Provider + "/" + model
	}
	return Response{Model: model, Time: h.Timestamp, Usage: h.Usage, Dollars: dollars(p, body)}, true
}

// dollars is the total that a message says it cost, 0 for none.
func dollars(p *message.Parser, body []byte) float64 {
	at := body
	for _, name := range [...]string{"usage", "cost", "total"} {
		s, err := p.Member(at, name)
		if err != nil || s.End == 0 {
			return 0
		}
		at = s.Of(at)
	}
	v, err := strconv.ParseFloat(string(at), 64)
	if err != nil || v < 0 {
		return 0
	}
	return v
}

// Cost is what a response cost in dollars, and false when that is not known.
func (r *Response) Cost() (float64, bool) {
	if r.Dollars > 0 {
		return r.Dollars, true
	}
	rate := bill.RateOf(r.Model, nil)
	p := token.Profiles()[0]
	tokens := float64(r.Input) + p.Read*float64(r.CacheRead) + p.Write*float64(r.CacheWrite) + p.OutputPrice()*float64(r.Output)
	return rate.Dollars(tokens), rate.Known()
}

// Total is what several responses add up to.
type Total struct {
	// Responses is their number, and Unpriced how many of them have no price.
	Responses, Unpriced int
	message.Usage
	// Dollars is what those with a price cost.
	Dollars float64
}

// Add adds a response.
func (t *Total) Add(r *Response) {
	t.Responses++
	t.Input, t.Output = t.Input+r.Input, t.Output+r.Output
	t.CacheRead, t.CacheWrite = t.CacheRead+r.CacheRead, t.CacheWrite+r.CacheWrite
	cost, known := r.Cost()
	if !known {
		t.Unpriced++
	}
	t.Dollars += cost
}

// Grow gives a response that was added the output that a later part of it has.
func (t *Total) Grow(r *Response, output int64) {
	before, _ := r.Cost()
	t.Output += max(0, output-r.Output)
	r.Output = max(r.Output, output)
	after, _ := r.Cost()
	t.Dollars += after - before
}

// Priced reports whether anything of the total has a price.
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
}

// Kinds are what responses can be grouped by.
func Kinds() []string { return []string{"day", "model", "project", "agent", "session"} }

// Table groups responses as they come.
type Table struct {
	kind  string
	zone  *time.Location
	index map[string]int
	list  []Group
	all   Total
}

// NewTable groups by one of Kinds. Days begin at midnight in zone.
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

// Key is that of the group which a response belongs to.
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
	return time.UnixMilli(r.Time).In(t.zone).Format(time.DateOnly)
}

// Groups returns the groups: days in order, others with the most expensive first.
func (t *Table) Groups() []Group {
	out := slices.Clone(t.list)
	slices.SortFunc(out, func(a, b Group) int {
		if t.kind == "day" {
			return strings.Compare(a.Key, b.Key)
		}
		return cmp.Or(cmp.Compare(b.Dollars, a.Dollars), cmp.Compare(b.Input+b.CacheRead, a.Input+a.CacheRead), strings.Compare(a.Key, b.Key))
	})
	return out
}

// All is the total of all groups.
func (t *Table) All() Total { return t.all }

// Title is how a session is recognised: its name, else the first line of its first
// prompt that says something. A line that ends with a colon only announces: many prompts
// begin with "Implement the following plan:", so the line that it announces follows it.
func Title(name, prompt string) string {
	if name = strings.TrimSpace(name); name != "" {
		return name
	}
	title := ""
	for line := range strings.Lines(prompt) {
		if line = strings.Trim(line, " \t\r\n#>*-`"); line == "" {
			continue
		}
		if title = text.JoinNonEmpty(" ", title, line); !strings.HasSuffix(line, ":") || len(title) > announcing {
			break
		}
	}
	return title
}

// Recognisable reports whether a title tells a session from others. The name of a slash
// command alone does not: the prompt after it does.
func Recognisable(title string) bool {
	return title != "" && (title[0] != '/' || strings.ContainsAny(title[1:], " /"))
}

// announcing is how long a title may be, in bytes, for another line to follow it.
const announcing = 100
