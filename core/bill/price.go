package bill

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// ModelPrice is a user's own price of uncached input of some models.
type ModelPrice struct {
	// Model is a prefix of their ids.
	Model string
	// Input is in dollars per million tokens.
	Input float64
}

// ParseModelPrice parses a price in the form of the settings: a prefix of model ids, an
// equals sign, and dollars per million tokens, such as "claude-opus-4=5".
func ParseModelPrice(text string) (ModelPrice, bool) {
	name, price, ok := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	input, err := strconv.ParseFloat(strings.TrimSpace(price), 64)
	if !ok || name == "" || err != nil || !(input > 0) || math.IsInf(input, 0) {
		return ModelPrice{}, false
	}
	return ModelPrice{name, input}, true
}

// ModelPrices parses a list of prices and skips invalid ones.
func ModelPrices(list []string) []ModelPrice {
	var out []ModelPrice
	for _, text := range list {
		if p, ok := ParseModelPrice(text); ok {
			out = append(out, p)
		}
	}
	return out
}

// Paid is what the requests to a model cost by the records of the agent that made them.
type Paid struct {
	message.Usage
	message.Cost
	// Requests is the number of those with a record.
	Requests int
}

// Add adds the record of a response, if it has one.
func (p *Paid) Add(h *message.Head) {
	if h.Paid == nil {
		return
	}
	p.Requests++
	p.Usage.Input, p.Usage.CacheRead = p.Usage.Input+h.Usage.Input, p.Usage.CacheRead+h.Usage.CacheRead
	p.Usage.CacheWrite, p.Usage.Output = p.Usage.CacheWrite+h.Usage.CacheWrite, p.Usage.Output+h.Usage.Output
	p.Cost.Input, p.Cost.CacheRead = p.Cost.Input+h.Paid.Input, p.Cost.CacheRead+h.Paid.CacheRead
	p.Cost.CacheWrite, p.Cost.Output = p.Cost.CacheWrite+h.Paid.CacheWrite, p.Cost.Output+h.Paid.Output
	p.Total += h.Paid.Total
}

// rates derives what a million tokens cost. A price that no request shows is derived from
// that of input as with most providers.
func (p *Paid) rates() (c token.Cost, ok bool) {
	rate := func(dollars float64, tokens int64, otherwise float64) float64 {
		if tokens <= 0 || dollars <= 0 {
			return otherwise
		}
		return 1e6 * dollars / float64(tokens)
	}
	unknown := token.Unknown()
	written := rate(p.Cost.CacheWrite, p.Usage.CacheWrite, 0)
	c.Input = rate(p.Cost.Input, p.Usage.Input, written/unknown.Write)
	if c.Input <= 0 {
		return c, false
	}
	c.CacheRead = rate(p.Cost.CacheRead, p.Usage.CacheRead, unknown.Read*c.Input)
	c.CacheWrite, c.Output = written, rate(p.Cost.Output, p.Usage.Output, unknown.OutputPrice()*c.Input)
	return c, true
}

// Prices finds the prices of models.
type Prices struct {
	// Own are those that the user set. They win.
	Own []ModelPrice
	// Today prefers the table of models to what sessions record, so that old sessions have
	// the prices of today.
	Today bool
	// Long is set when the user chose the long retention of caches.
	Long bool
}

// Of returns the prices of a model, of which the agent may know the protocol and recorded
// what it cost. A record of 0 dollars is no record when the table has a price: agents whose
// sessions were converted write it for models that they did not price.
func (b *Prices) Of(provider, id, api string, paid *Paid) token.Prices {
	m, listed := token.FindModel(provider, id)
	if !listed {
		m = token.Model{Provider: provider, ID: id, API: api}
	}
	rates, recorded := paid.rates()
	switch {
	case recorded && !(listed && b.Today):
		m.Cost, m.Tiers, listed = rates, nil, true
	case !listed:
		listed = paid.Requests > 0 && !token.Sells(provider) // for nothing
	}
	p := PricesOf(&m, listed, b.Long)
	if input := OwnPrice(id, b.Own); input > 0 {
		p.Input, p.Priced = input, true
	}
	return p
}

// OwnPrice returns the price of the entry with the longest prefix of the model's id, 0
// without one. Some providers put their name and a slash before the id.
func OwnPrice(id string, prices []ModelPrice) float64 {
	if i := strings.LastIndexByte(id, '/'); i >= 0 {
		id = id[i+1:]
	}
	best := ModelPrice{}
	for _, p := range prices {
		if strings.HasPrefix(id, p.Model) && len(p.Model) > len(best.Model) {
			best = p
		}
	}
	return best.Input
}

// usualLife is how long a cache lives where nothing says it, longLife with the long
// retention.
const (
	usualLife = 5 * time.Minute
	longLife  = time.Hour
)

// PricesOf returns the prices of a model whose cost is known or not. long means that the user
// chose the long retention of caches.
func PricesOf(m *token.Model, known, long bool) token.Prices {
	anthropic := m.API == "anthropic-messages" || m.API == "bedrock-converse-stream"
	p := token.Unknown()
	p.Name, p.Priced, p.Input = m.ID, known, m.Cost.Input
	if !known || m.Cost.Input <= 0 || m.Cost.CacheRead <= 0 || m.Cost.CacheRead > m.Cost.Input {
		return p
	}
	p.TTL, p.Prefix, p.Warm, p.Binds = usualLife, !anthropic, m.CacheShort > 0, m.Binding() == token.Drops
	switch {
	case long && m.CacheLong > 0:
		p.TTL = m.CacheLong
	case long:
		p.TTL = longLife
	case m.CacheShort > 0:
		p.TTL = m.CacheShort
	}
	p.Read, p.Write, p.Output = m.Cost.CacheRead/m.Cost.Input, 1, m.Cost.Output/m.Cost.Input
	if m.Cost.CacheWrite > m.Cost.Input {
		p.Write = m.Cost.CacheWrite / m.Cost.Input
	}
	if anthropic && long { // the listed price is that of five minutes
		p.Write = max(p.Write, 2)
	}
	for _, t := range m.Tiers {
		p.Tiers = append(p.Tiers, token.Tier{Above: t.Above, Times: t.Cost.Input / m.Cost.Input})
	}
	return p
}

// CacheTime reads how long a provider caches a prompt. promptCache is what pi says of its
// model: JSON with seconds for the short and the long retention. They are 0 without a usable
// time.
func CacheTime(promptCache []byte) (short, long time.Duration) {
	var c struct {
		Short float64 `json:"short"`
		Long  float64 `json:"long"`
	}
	if json.Unmarshal(promptCache, &c) != nil {
		return 0, 0
	}
	return seconds(c.Short), seconds(c.Long)
}

func seconds(n float64) time.Duration {
	const week = 7 * 24 * 3600
	if n <= 0 || n > week {
		return 0
	}
	return time.Duration(n * float64(time.Second))
}
