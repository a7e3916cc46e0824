package search

import (
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
)

// parsers parse the lines that a search reads, on several goroutines. To parse a line
// without what earlier lines left behind takes twice as long, so those that are idle are kept.
type parsers chan *lineParser

// keptParsers is how many parsers are kept.
const keptParsers = 16

// lineParser is a parser with a buffer for the text of a line.
type lineParser struct {
	message.Parser
	text []byte
}

// keptText is the maximum size in bytes of a buffer that is kept for other lines.
const keptText = 1 << 20

// read calls fn with the entry in a stored line and its searchable text, unless the line
// cannot be parsed. Both are valid only during the call: the next line overwrites them.
func (ps parsers) read(raw []byte, fn func(e *message.Entry, text []byte)) {
	var p *lineParser
	select {
	case p = <-ps:
	default:
		p = &lineParser{}
	}
	if e, err := p.ParseEntry(raw); err == nil {
		p.text = history.AppendSearchText(p.text[:0], &e, raw)
		fn(&e, p.text)
	}
	if cap(p.text) > keptText {
		p.text = nil
	}
	select {
	case ps <- p:
	default:
	}
}
