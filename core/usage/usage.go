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
	// Session, Project and Agent are its origin: ids and the working directory.
	Session, Project, Agent string
	// Model is "provider/id".
	Model string
	// Time is in Unix milliseconds.
	Time int64
	message.Usage
	// Dollars is the cost that the session records, 0 without a record.
	Dollars float64
}

// Read returns the response in a message. body is the stored message. It reports false for
// a message without usage.
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

// dollars returns the total cost that a message records, 0 for none.
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

// Cost returns the cost of a response in dollars, false when it is unknown.
func (r *Response) Cost() (float64, bool) {
	if r.Dollars > 0 {
		return r.Dollars, true
	}
	rate := bill.RateOf(r.Model, nil)
	p := token.Profiles()[0]
	tokens := float64(r.Input) + p.Read*float64(r.CacheRead) + p.Write*float64(r.CacheWrite) + p.OutputPrice()*float64(r.Output)
	return rate.Dollars(tokens), rate.Known()
}

// Total is the sum of several responses.
type Total struct {
	// Responses is their number, Unpriced how many of them have no price.
	Responses, Unpriced int
	message.Usage
	// Dollars is the cost of those with a price.
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

// Grow adds the output of a later part of a response that was added before.
func (t *Total) Grow(r *Response, output int64) {
	before, _ := r.Cost()
	t.Output += max(0, output-r.Output)
	r.Output = max(r.Output, output)
	after, _ := r.Cost()
	t.Dollars += after - before
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
}

// Kinds are what responses can be grouped by.
func Kinds() []string { return []string{"day", "model", "project", "agent", "session"} }

// Table groups responses.
type Table struct {
	kind  string
	zone  *time.Location
	index map[string]int
	list  []Group
	all   Total
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

// All returns the total of all groups.
func (t *Table) All() Total { return t.all }

// Title returns a title for a session: its name, else the first meaningful line of its
// first prompt. A line that ends with a colon is followed by the next one, because many
// prompts begin with "Implement the following plan:".
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

// Recognisable reports whether a title identifies a session. The name of a slash command
// alone does not; the prompt after it does.
func Recognisable(title string) bool {
	return title != "" && (title[0] != '/' || strings.ContainsAny(title[1:], " /"))
}

// announcing is the length in bytes up to which another line may be added to a title.
const announcing = 100
