// Package corpus writes session files of any size for benchmarks and tests, the
// same bytes for the same seed. It must not be used by anything that ships.
package corpus

import (
	"bufio"
	"fmt"
	"io"
	"math/rand"
	"time"

	"github.com/coctostan/pictx/core/message"
)

// Session describes a generated session.
type Session struct {
	ID       string
	CWD      string
	Messages int // user, assistant and tool result messages in turn
	Size     int // bytes of text in each message, about
	Seed     int64
}

// Write writes a session file of pi's format, version 3.
func Write(w io.Writer, s Session) error {
	b := bufio.NewWriterSize(w, 1<<16)
	g := &generator{rng: rand.New(rand.NewSource(s.Seed)), at: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	fmt.Fprintf(b, `{"type":"session","version":3,"id":%q,"timestamp":%q,"cwd":%q}`+"\n", s.ID, g.now(), s.CWD)
	parent := "null"
	for i := range s.Messages {
		id := fmt.Sprintf("%08x", g.rng.Uint32())
		fmt.Fprintf(b, `{"type":"message","id":"%s","parentId":%s,"timestamp":"%s","message":`, id, parent, g.now())
		g.message(b, i, s.Size)
		b.WriteString("}\n")
		parent = `"` + id + `"`
		g.at = g.at.Add(2 * time.Second)
	}
	return b.Flush()
}

type generator struct {
	rng *rand.Rand
	at  time.Time
	buf []byte
}

func (g *generator) now() string { return g.at.Format("2006-01-02T15:04:05.000Z") }

// message writes the i-th message: a question, an answer with a call, a result.
func (g *generator) message(b *bufio.Writer, i, size int) {
	text := g.text(size)
	switch i % 3 {
	case 0:
		fmt.Fprintf(b, `{"role":"user","content":[{"type":"text","text":%s}],"timestamp":%d}`, text, g.at.UnixMilli())
	case 1:
		fmt.Fprintf(b, `{"role":"assistant","content":[{"type":"text","text":%s},{"type":"toolCall","id":"call_%d","name":"read","arguments":{"path":"src/%s.ts"}}],"api":"anthropic-messages","provider":"anthropic","model":"claude","usage":{"input":10,"output":200,"cacheRead":9000,"cacheWrite":300,"totalTokens":9510,"cost":{"total":0.01}},"stopReason":"toolUse","timestamp":%d}`,
			text, i, g.word(), g.at.UnixMilli())
	default:
		fmt.Fprintf(b, `{"role":"toolResult","toolCallId":"call_%d","toolName":"read","content":[{"type":"text","text":%s}],"isError":false,"timestamp":%d}`,
			i-1, text, g.at.UnixMilli())
	}
}

// text returns a JSON string literal of about size bytes, of code-like words.
func (g *generator) text(size int) []byte {
	g.buf = g.buf[:0]
	for len(g.buf) < size {
		g.buf = append(g.buf, g.word()...)
		switch g.rng.Intn(12) {
		case 0:
			g.buf = append(g.buf, '\n')
		case 1:
			g.buf = append(g.buf, "; "...)
		default:
			g.buf = append(g.buf, ' ')
		}
	}
	return message.AppendQuote(nil, string(g.buf))
}

// word draws from a vocabulary with few common and many rare words.
func (g *generator) word() string {
	common := []string{"the", "const", "return", "function", "if", "await", "order", "total", "price", "cart", "test", "error", "import", "from", "to", "of", "a", "is"}
	if g.rng.Intn(3) > 0 {
		return common[g.rng.Intn(len(common))]
	}
	stem := []string{"apply", "round", "parse", "fetch", "retry", "merge", "split", "index", "count", "store"}[g.rng.Intn(10)]
	return fmt.Sprintf("%s%d", stem, g.rng.Intn(5000))
}
