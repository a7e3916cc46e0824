//go:build unix

package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"slices"
	"strings"
	"sync"
	"time"
)

// prefixes checks what the newest models check: that nothing before a thinking block has
// changed since the block was made. A block binds the system prompt, the tools and every
// block before it that is not thinking, as they were sent. By the stricter reading of
// Anthropic's page a block also names the thinking block before it: one that is taken
// out between others, or that is invalid itself, spoils those behind it; the oldest ones
// may go. It also bills what a request has in common with those that a cache still holds.
type prefixes struct {
	life        time.Duration // how long the cache holds what was not used
	read, write float64       // prices in those of an uncached token of input

	mu      sync.Mutex
	made    map[string]binding // by signature
	parsed  map[string][]piece // messages that came before
	cached  map[[32]byte]time.Time
	threads map[string]body // by the id of the response that ends them
	elapsed time.Duration   // what a test added to the clock
	checked []verdict
}

// binding is what a thinking block is bound to.
type binding struct {
	prefix [32]byte
	before string   // the signature of the thinking block before it
	stood  []string // what stood before it: the system prompt, the tools, and labels of blocks
}

// verdict is what was found out about one request.
type verdict struct {
	seq                    int
	summary, refused       bool
	lenient, strict        int // invalid blocks, by each reading
	lenientRunning         int // of those, the ones of the turn that is running
	running                int
	missing                int // responses of the running turn that came without their thinking
	bill                   float64
	read, written          int // tokens
	transformations        []object
	complaint, first, path string
}

// sealed is what the server adds to a response.
type sealed struct {
	signature     string
	dropped       []object
	read, written int
}

// body is a request without what says how to answer it.
type body struct {
	api, model    string
	system, tools json.RawMessage
	messages      []json.RawMessage
	pieces        []piece
	drops         bool // the client asks for invalid blocks to be dropped, or the provider does so by itself
}

// piece is one block of a message, or one item of a response.
type piece struct {
	message, block int // where it stands; block is -1 for an item
	role           string
	raw            []byte
	signature      string // of thinking
	prompt         bool   // begins a turn
	response       bool   // begins a response of the model
}

func newPrefixes() *prefixes {
	return &prefixes{life: 5 * time.Minute, read: 0.05, write: 1.25, made: map[string]binding{}, parsed: map[string][]piece{}, cached: map[[32]byte]time.Time{}, threads: map[string]body{}}
}

// elapse advances the clock of the cache.
func (p *prefixes) elapse(by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.elapsed += by
}

// verdicts are those of all requests so far.
func (p *prefixes) verdicts() []verdict {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]verdict(nil), p.checked...)
}

// plain is JSON without what says where a cache may begin, which is no part of what was said.
func plain(raw []byte) []byte {
	const mark = `"cache_control":{`
	at := bytes.Index(raw, []byte(mark))
	if at < 0 {
		return raw
	}
	end := at + bytes.IndexByte(raw[at:], '}') + 1
	return slices.Concat(bytes.TrimSuffix(raw[:at], []byte(",")), plain(raw[end:]))
}

// thinkingField is what a request says about thinking.
type thinkingField struct {
	Binding struct {
		Behavior string `json:"prefix_mismatch_behavior"`
	} `json:"block_binding"`
}

// drops reports whether the client asks for invalid blocks to be dropped.
func (f thinkingField) drops() bool { return f.Binding.Behavior == "drop_block" }

// bodyOf reads a request of any of the APIs. The caller holds the lock.
func (p *prefixes) bodyOf(path string, raw []byte) body {
	var in struct {
		Model                       string
		System, Tools, Instructions json.RawMessage
		Messages, Input             []json.RawMessage
		Thinking                    thinkingField
		ToolConfig                  json.RawMessage
		More                        struct{ Thinking thinkingField } `json:"additionalModelRequestFields"`
	}
	json.Unmarshal(raw, &in)
	b := body{api: "openai", model: in.Model, system: in.System, tools: in.Tools, messages: in.Messages}
	switch {
	case strings.HasSuffix(path, "/responses"):
		b.api, b.system, b.messages, b.drops = "responses", in.Instructions, in.Input, true
	case strings.HasSuffix(path, "/messages"):
		b.api, b.drops = "anthropic", in.Thinking.drops()
	case strings.HasSuffix(path, "/converse-stream"):
		b.api, b.tools, b.drops = "bedrock", in.ToolConfig, in.More.Thinking.drops()
	}
	for i, m := range b.messages {
		known, ok := p.parsed[string(m)]
		if !ok {
			known = b.read(m)
			p.parsed[string(m)] = known
		}
		for _, one := range known {
			one.message = i
			b.pieces = append(b.pieces, one)
		}
	}
	return b
}

// read reads a message.
func (b body) read(raw []byte) []piece {
	var m struct {
		Type, Role string
		Content    json.RawMessage
		Sealed     string `json:"encrypted_content"`
	}
	json.Unmarshal(raw, &m)
	if m.Type == "configuration_update" {
		return nil // how hard to think
	}
	if b.api == "openai" || b.api == "responses" {
		mine := m.Role == "assistant" || m.Type == "reasoning" || m.Type == "function_call" || m.Type == "custom_tool_call"
		one := piece{block: -1, role: m.Role, raw: raw, prompt: m.Role == "user", response: mine}
		if m.Type == "reasoning" {
			one.signature = m.Sealed
		}
		return []piece{one}
	}
	var blocks []json.RawMessage
	if len(m.Content) > 0 && m.Content[0] == '"' { // what pi sends as text when it is not the newest
		blocks = []json.RawMessage{fmt.Appendf(nil, `{"type":"text","text":%s}`, m.Content)}
	} else {
		json.Unmarshal(m.Content, &blocks)
	}
	if b.api == "bedrock" {
		return bedrockPieces(m.Role, blocks)
	}
	var all []piece
	results := bytes.Contains(m.Content, []byte(`"type":"tool_result"`))
	for j, raw := range blocks {
		var block struct{ Type, Signature, Data string }
		json.Unmarshal(raw, &block)
		one := piece{block: j, role: m.Role, raw: plain(raw), prompt: m.Role == "user" && !results, response: m.Role == "assistant" && j == 0}
		switch block.Type {
		case "thinking":
			one.signature = block.Signature
		case "redacted_thinking":
			one.signature = block.Data
		}
		all = append(all, one)
	}
	return all
}

// path is how the provider names a piece.
func (one piece) path() string {
	if one.block < 0 {
		return fmt.Sprintf("input.%d", one.message)
	}
	return fmt.Sprintf("messages.%d.content.%d", one.message, one.block)
}

// check judges a request and bills it.
func (p *prefixes) check(path string, raw []byte) (body, verdict) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.bodyOf(path, p.whole(raw))
	v := verdict{seq: len(p.checked) + 1, summary: len(b.tools) == 0 && !bytes.Contains(raw, []byte(`"type":"additional_tools"`))}
	p.judge(b, &v)
	if v.complaint == "" && v.strict > 0 && !b.drops {
		v.complaint = v.path + ": Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"."
	}
	v.refused = v.complaint != ""
	if !v.refused {
		p.charge(b, &v)
	}
	p.checked = append(p.checked, v)
	return b, v
}

// judge compares every thinking block with what it is bound to.
func (p *prefixes) judge(b body, v *verdict) {
	begin := 0 // of the running turn
	for i, one := range b.pieces {
		if one.prompt {
			begin = i
		}
	}
	sum, before, spoiled := b.seed(), "", false
	stands := b.head()
	for i, one := range b.pieces {
		if one.response && one.signature == "" && i > begin && !b.pieces[i-1].response && b.api != "openai" {
			v.missing++
		}
		if one.signature == "" {
			stands = append(stands, one.label())
			one.into(sum)
			continue
		}
		bound, known := p.made[one.signature]
		if !known {
			v.complaint = one.path() + ": Invalid `signature` in `thinking` block"
			return
		}
		lenient := bound.prefix != sumOf(sum)
		spoiled = lenient || before != "" && (before != bound.before || spoiled)
		before = one.signature
		if lenient {
			v.lenient++
			v.lenientRunning += count(i > begin)
		}
		if !spoiled {
			continue
		}
		v.strict++
		v.running += count(i > begin)
		if v.path == "" {
			v.path, v.first = one.path(), altered(bound.stood, stands)
		}
		v.transformations = append(v.transformations, b.transformation(one))
	}
}

// transformation is how the provider reports a block that it dropped.
func (b body) transformation(one piece) object {
	if one.block >= 0 {
		return object{"type": "thinking_dropped", "path": one.path(), "reason": "prefix_mismatch"}
	}
	var item struct{ ID string }
	json.Unmarshal(one.raw, &item)
	return object{"type": "reasoning", "id": item.ID, "action": "removed", "reason": "prefix_mismatch"}
}

// head is what stands before all messages.
func (b body) head() []string {
	return []string{string(plain(b.system)), string(plain(b.tools))}
}

// altered is the first thing in which what stood before a block differs from what stands there.
func altered(was, is []string) string {
	names := []string{"the system prompt", "the tools"}
	for i := range max(len(was), len(is)) {
		name := fmt.Sprintf("block %d", i-len(names))
		if i < len(names) {
			name = names[i]
		}
		switch {
		case i >= len(is):
			return name + " is gone: " + was[i]
		case i >= len(was):
			return name + " is new: " + is[i]
		case was[i] != is[i]:
			at := 0
			for at < min(len(was[i]), len(is[i])) && was[i][at] == is[i][at] {
				at++
			}
			from := max(0, at-40)
			return fmt.Sprintf("%s differs from byte %d on: was %.200q, is %.200q", name, at, was[i][min(from, len(was[i])):], is[i][min(from, len(is[i])):])
		}
	}
	return "the thinking before it"
}

func (b body) seed() hash.Hash {
	h := sha256.New()
	h.Write(plain(b.system))
	h.Write([]byte{0})
	h.Write(plain(b.tools))
	return h
}

func (one piece) into(h hash.Hash) {
	h.Write([]byte{0})
	h.Write([]byte(one.role))
	h.Write([]byte{0})
	h.Write(one.raw)
}

func (one piece) label() string {
	sum := sha256.Sum256(one.raw)
	return fmt.Sprintf("%x %s %.160s", sum[:4], one.role, one.raw)
}

func sumOf(h hash.Hash) (sum [32]byte) {
	h.Sum(sum[:0])
	return sum
}

// charge bills a request: what a cache holds of its beginning is read, and the rest written.
func (p *prefixes) charge(b body, v *verdict) {
	now := time.Now().Add(p.elapsed)
	h, size, live := b.seed(), len(b.system)+len(b.tools), 0
	points := [][32]byte{sumOf(h)}
	sizes := []int{size}
	for _, one := range b.pieces {
		one.into(h)
		size += len(one.raw)
		points, sizes = append(points, sumOf(h)), append(sizes, size)
	}
	for i, point := range points {
		if until, ok := p.cached[point]; ok && !now.After(until) {
			live = sizes[i]
		}
		p.cached[point] = now.Add(p.life)
	}
	v.read, v.written = live/4, (size-live)/4
	v.bill = p.read*float64(v.read) + p.write*float64(v.written)
}

// seal binds the thinking of a response to the request that it answers.
func (p *prefixes) seal(b body, v verdict, a turn) *sealed {
	p.mu.Lock()
	defer p.mu.Unlock()
	sum, made := b.seed(), binding{stood: b.head()}
	for _, one := range b.pieces {
		if one.signature != "" {
			made.before = one.signature
			continue
		}
		made.stood = append(made.stood, one.label())
		one.into(sum)
	}
	made.prefix = sumOf(sum)
	signature := fmt.Sprintf("c2VhbGVk%08d", len(p.made)+1)
	p.made[signature] = made
	if b.api == "anthropic" {
		p.threads[fmt.Sprintf("msg_%d", v.seq)] = b.with(a, v.seq, signature)
	}
	return &sealed{signature: signature, dropped: v.transformations, read: v.read, written: v.written}
}

// whole is a request with what the server already holds of its thread. The caller holds the lock.
func (p *prefixes) whole(raw []byte) []byte {
	var in struct {
		Thread struct {
			Type     string
			Previous string `json:"previous_message_id"`
		}
		Messages []json.RawMessage
	}
	json.Unmarshal(raw, &in)
	if in.Thread.Type != "continue" {
		return raw
	}
	// Put together byte by byte: encoding/json would write "<" in another way. Of two members with one name, the last counts.
	before := p.threads[in.Thread.Previous]
	rest := bytes.TrimSuffix(bytes.TrimSpace(raw), []byte("}"))
	messages := joined(append(before.messages[:len(before.messages):len(before.messages)], in.Messages...))
	return fmt.Appendf(nil, `%s,"system":%s,"tools":%s,"messages":%s}`, rest, before.system, before.tools, messages)
}

func joined(items []json.RawMessage) json.RawMessage {
	out := []byte{'['}
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return append(out, ']')
}

// with is what a thread holds after a response, which pi sends again in the same form.
func (b body) with(a turn, seq int, signature string) body {
	var blocks []json.RawMessage
	if a.Thinking != "" {
		blocks = append(blocks, fmt.Appendf(nil, `{"type":"thinking","thinking":%s,"signature":%q}`, asJSON(a.Thinking), signature))
	}
	if a.Text != "" {
		blocks = append(blocks, fmt.Appendf(nil, `{"type":"text","text":%s}`, asJSON(a.Text)))
	}
	for i, c := range a.Tools {
		blocks = append(blocks, fmt.Appendf(nil, `{"type":"tool_use","id":"toolu_%d_%d","name":%q,"input":%s}`, seq, i, c.Name, a.arguments(i)))
	}
	message := fmt.Appendf(nil, `{"role":"assistant","content":%s}`, joined(blocks))
	b.messages = append(b.messages[:len(b.messages):len(b.messages)], message)
	return b
}
