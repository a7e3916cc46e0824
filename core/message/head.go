package message

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Role is the role of a message as pi names it.
type Role string

// The roles of pi's AgentMessage. Unknown roles are passed through unchanged.
const (
	RoleSystem            Role = "system"
	RoleUser              Role = "user"
	RoleAssistant         Role = "assistant"
	RoleToolResult        Role = "toolResult"
	RoleBashExecution     Role = "bashExecution" // a "!" command of the user
	RoleCustom            Role = "custom"
	RoleBranchSummary     Role = "branchSummary"
	RoleCompactionSummary Role = "compactionSummary"
)

// Span is a half-open byte range [Start, End) in the bytes that a value was parsed from.
// The zero Span means that the value was absent.
type Span struct{ Start, End int }

// Of returns the bytes of s in data, nil when the value was absent.
func (s Span) Of(data []byte) []byte {
	if s.End == 0 || s.End > len(data) {
		return nil
	}
	return data[s.Start:s.End]
}

// Usage is what a provider billed for one request, in tokens.
type Usage struct {
	Input      int64 // tokens neither read from nor written to the prompt cache
	Output     int64
	CacheRead  int64
	CacheWrite int64
}

// Cost is what an agent recorded of the price of a request, in dollars.
type Cost struct {
	Input, Output, CacheRead, CacheWrite, Total float64
}

// Call is a tool call inside an assistant message.
type Call struct {
	ID   string
	Name string
	// Arguments is the raw JSON object of the call. In an object over 1 KiB, strings over
	// 512 bytes are shortened and other members over 512 bytes left out, so that heads stay
	// small.
	Arguments jsontext.Value
}

const (
	maxArguments = 1 << 10
	maxArgument  = 512
)

// ContentKind is the kind of JSON value of a message's content. pi writes arrays; strings
// are valid too, and broken files may hold anything.
type ContentKind uint8

// The kinds of content.
const (
	ContentMissing ContentKind = iota // absent or null
	ContentText                       // a string
	ContentBlocks                     // an array of blocks
	ContentOther                      // anything else: left alone everywhere
)

// Content measures the content of a message.
type Content struct {
	Kind ContentKind
	// Chars is the length of all text blocks in UTF-16 units, which pi's own estimate is
	// based on. Thinking is not included.
	Chars int
	// Images is the number of image blocks.
	Images int
	// Thinking is the length of the thinking blocks in UTF-16 units.
	Thinking int
	// Span is the location of the content in the message's bytes.
	Span Span
	// Blocks are the blocks of ContentBlocks, in order.
	Blocks []Block
}

// BlockKind is the kind of a content block.
type BlockKind uint8

// The kinds of content blocks. A kind that pi does not have is BlockOther.
const (
	BlockOther BlockKind = iota
	BlockText
	BlockImage
	BlockThinking
	BlockToolCall
)

// Block is one content block.
type Block struct {
	Kind BlockKind
	// Text is the string literal of a text or thinking block, the arguments of a tool call,
	// or the base64 data of an image.
	Text Span
	// Call is the index of a tool call in Head.Calls.
	Call int
	// Signed is set on a text or tool call with a signature of the provider, which ties it
	// to the thinking before it.
	Signed bool
}

// Head is what policies and indexes read of a message. It excludes the text, so that the
// heads of a session of any size fit in memory.
type Head struct {
	Role      Role
	Timestamp int64 // Unix milliseconds, 0 when absent
	Content   Content

	// Of a tool result:
	ToolCallID string
	ToolName   string
	IsError    bool

	// Of an assistant message:
	Provider   string
	Model      string
	StopReason string
	ResponseID string // the provider's, "" when it gave none
	Usage      Usage
	HasUsage   bool
	Calls      []Call
	// API is the protocol of the request as pi names it.
	API string
	// Paid is the recorded price of the request, nil without a record. A price of 0 is a
	// record, too.
	Paid *Cost
	// Dropped names the thinking blocks that the provider left out of the request because
	// what stood before them had changed, by their places or ids.
	Dropped []string

	// CustomType is the type of a RoleCustom message.
	CustomType string
	// Excluded is set on a "!!" command, which the model never sees.
	Excluded bool
	// Body is the location of text outside Content: the output of a bash execution, or the
	// text of a summary.
	Body Span
	// Command is the location of a bash execution's command.
	Command Span
}

// ThinkingBlocks returns how many blocks of thinking there are.
func (c *Content) ThinkingBlocks() int {
	n := 0
	for i := range c.Blocks {
		if c.Blocks[i].Kind == BlockThinking {
			n++
		}
	}
	return n
}

// ParseMessage reads the head of one message. raw must be one JSON object.
func (p *Parser) ParseMessage(raw []byte) (h Head, err error) {
	err = p.whole(raw, jsontext.KindBeginObject, func() error {
		return p.members(func(name string) error { return p.field(&h, name, 0) })
	})
	if err != nil {
		return Head{}, fmt.Errorf("parse message: %w", err)
	}
	return h, nil
}

// field reads one member of a message into h.
func (p *Parser) field(h *Head, name string, base int) (err error) {
	switch name {
	case "role":
		var w string
		w, err = p.word()
		h.Role = Role(w)
	case "timestamp":
		h.Timestamp, err = p.integer()
	case "content":
		h.Calls = nil
		h.Content, err = p.content(&h.Calls, base)
	case "toolCallId":
		h.ToolCallID, err = p.text()
	case "toolName":
		h.ToolName, err = p.word()
	case "isError":
		h.IsError, err = p.boolean()
	case "provider":
		h.Provider, err = p.word()
	case "model":
		h.Model, err = p.word()
	case "responseId":
		h.ResponseID, err = p.text()
	case "stopReason":
		h.StopReason, err = p.word()
	case "customType":
		h.CustomType, err = p.word()
	case "excludeFromContext":
		h.Excluded, err = p.boolean()
	case "api":
		h.API, err = p.word()
	case "diagnostics":
		h.Dropped, err = p.diagnostics()
	case "usage":
		err = p.usage(h)
	case "output", "summary":
		h.Body, err = p.relSpan(base)
	case "command":
		h.Command, err = p.relSpan(base)
	default:
		err = p.dec.SkipValue()
	}
	return err
}

func (p *Parser) relSpan(base int) (Span, error) {
	s, err := p.span()
	return Span{s.Start - base, s.End - base}, err
}

// content measures the content at the decoder's position and collects calls.
func (p *Parser) content(calls *[]Call, base int) (Content, error) {
	var c Content
	switch p.dec.PeekKind() {
	case jsontext.KindString:
		s, err := p.span()
		c.Kind, c.Span, c.Chars = ContentText, Span{s.Start - base, s.End - base}, utf16Len(s.Of(p.data))
		return c, err
	case jsontext.KindBeginArray:
	case jsontext.KindNull:
		s, err := p.relSpan(base)
		c.Span = s
		return c, err
	default:
		s, err := p.relSpan(base)
		c.Kind, c.Span = ContentOther, s
		return c, err
	}
	start, err := p.open(jsontext.KindBeginArray)
	if err != nil {
		return c, err
	}
	c.Kind = ContentBlocks
	err = p.elements(func() error { return p.block(&c, calls, base) })
	c.Span = Span{start - base, int(p.dec.InputOffset()) - base}
	return c, err
}

// block reads one content block into c. A value that is not an object is kept as an
// unknown block.
func (p *Parser) block(c *Content, calls *[]Call, base int) error {
	var typ, id, name string
	var text, thinking, args, data, signature Span
	if p.dec.PeekKind() != jsontext.KindBeginObject {
		c.Blocks = append(c.Blocks, Block{})
		return p.dec.SkipValue()
	}
	err := p.object(func(field string) (err error) {
		switch field {
		case "type":
			typ, err = p.word()
		case "text":
			text, err = p.span()
		case "thinking":
			thinking, err = p.span()
		case "id":
			id, err = p.text()
		case "name":
			name, err = p.word()
		case "arguments":
			args, err = p.span()
		case "data":
			data, err = p.span()
		case "textSignature", "thoughtSignature":
			signature, err = p.span()
		default:
			err = p.dec.SkipValue()
		}
		return err
	})
	if err != nil {
		return err
	}
	b := Block{}
	switch typ {
	case "text":
		b = Block{Kind: BlockText, Text: text}
		c.Chars += utf16Len(text.Of(p.data))
	case "image":
		b = Block{Kind: BlockImage, Text: data}
		c.Images++
	case "thinking":
		b = Block{Kind: BlockThinking, Text: thinking}
		c.Thinking += utf16Len(thinking.Of(p.data))
	case "toolCall":
		b = Block{Kind: BlockToolCall, Text: args, Call: len(*calls)}
		*calls = append(*calls, Call{ID: id, Name: name, Arguments: keepArguments(args.Of(p.data))})
	}
	if b.Text.End > 0 {
		b.Text = Span{b.Text.Start - base, b.Text.End - base}
	}
	const empty = len(`""`)
	b.Signed = b.Kind != BlockThinking && signature.End-signature.Start > empty
	c.Blocks = append(c.Blocks, b)
	return nil
}

// keepArguments copies a call's arguments, shortened as Call.Arguments says.
func keepArguments(args []byte) jsontext.Value {
	if len(args) <= maxArguments {
		return append(jsontext.Value(nil), args...)
	}
	out := jsontext.Value{'{'}
	var p Parser
	p.reset(args)
	err := p.object(func(name string) error {
		v, err := p.dec.ReadValue()
		if err != nil || len(name) > maxArgument || len(out) > 4*maxArguments {
			return err
		}
		if len(v) > maxArgument {
			if v.Kind() != jsontext.KindString {
				return nil
			}
			v = cutLiteral(v, maxArgument)
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(AppendQuote(out, name), ':'), v...)
		return nil
	})
	if err != nil {
		return jsontext.Value("{}")
	}
	return append(out, '}')
}

// cutLiteral returns a new string literal with roughly the first n bytes of another. It
// splits neither characters, escapes nor surrogate pairs of escapes.
func cutLiteral(literal []byte, n int) jsontext.Value {
	end := 1
	for end < n && end < len(literal)-1 {
		switch c := literal[end]; {
		case highSurrogate(literal[end:]) && bytes.HasPrefix(literal[end+6:], []byte(`\u`)):
			end += 12
		case c == '\\' && literal[end+1] == 'u':
			end += 6
		case c == '\\':
			end += 2
		default:
			_, size := utf8.DecodeRune(literal[end:])
			end += size
		}
	}
	return append(append(jsontext.Value(nil), literal[:end]...), '"')
}

// highSurrogate reports whether text starts with the escape of a high surrogate.
func highSurrogate(text []byte) bool {
	return len(text) > 6 && text[0] == '\\' && text[1] == 'u' && text[2]|0x20 == 'd' && bytes.IndexByte([]byte("89abAB"), text[3]) >= 0
}

// usage reads a usage object.
func (p *Parser) usage(h *Head) error {
	h.HasUsage = p.dec.PeekKind() == jsontext.KindBeginObject
	h.Usage, h.Paid = Usage{}, nil
	u := &h.Usage
	return p.object(func(name string) (err error) {
		switch name {
		case "input":
			u.Input, err = p.integer()
		case "output":
			u.Output, err = p.integer()
		case "cacheRead":
			u.CacheRead, err = p.integer()
		case "cacheWrite":
			u.CacheWrite, err = p.integer()
		case "cost":
			h.Paid, err = p.cost()
		default:
			err = p.dec.SkipValue()
		}
		return err
	})
}

// cost reads what a request cost. One without a total, or with less than nothing, is no
// record.
func (p *Parser) cost() (*Cost, error) {
	c := Cost{Total: -1}
	err := p.object(func(name string) (err error) {
		switch name {
		case "input":
			c.Input, err = p.number()
		case "output":
			c.Output, err = p.number()
		case "cacheRead":
			c.CacheRead, err = p.number()
		case "cacheWrite":
			c.CacheWrite, err = p.number()
		case "total":
			c.Total, err = p.number()
		default:
			err = p.dec.SkipValue()
		}
		return err
	})
	if err != nil || min(c.Total, c.Input, c.Output, c.CacheRead, c.CacheWrite) < 0 {
		return nil, err
	}
	return &c, nil
}

// diagnostics reads which thinking blocks the provider left out, from what pi notes of a
// response: Anthropic names places, OpenAI ids.
func (p *Parser) diagnostics() (dropped []string, err error) {
	transformation := func() error {
		var kind, place, reason string
		err := p.object(func(name string) (err error) {
			switch name {
			case "type", "action":
				var w string
				if w, err = p.word(); w == "thinking_dropped" || w == "removed" {
					kind = w
				}
			case "path", "id":
				place, err = p.text()
			case "reason":
				reason, err = p.word()
			default:
				err = p.dec.SkipValue()
			}
			return err
		})
		if kind != "" && reason == "prefix_mismatch" {
			dropped = append(dropped, place)
		}
		return err
	}
	err = p.array(func() error {
		return p.object(func(name string) error {
			if name != "details" {
				return p.dec.SkipValue()
			}
			return p.object(func(name string) error {
				if name != "transformations" {
					return p.dec.SkipValue()
				}
				return p.array(transformation)
			})
		})
	})
	return dropped, err
}
