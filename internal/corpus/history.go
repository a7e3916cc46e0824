package corpus

import (
	"bufio"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/message"
)

// History describes the sessions of a project, with needles to find in them.
type History struct {
	CWD      string
	Messages int // in all sessions together
	Sessions int
	Size     int // bytes of text in each message, about
	Needles  int // of each kind
	Twins    int // pairs of messages of the same role, time and beginning
	Seed     int64
}

// Needle is something that one message holds and no other.
type Needle struct {
	Kind  string
	Query string
	Regex bool
	Entry string // the id of the message that holds it
	// Shows is what a snippet must show, one of them.
	Shows []string
}

// Kinds are the kinds of needles.
func Kinds() []string {
	return []string{"token", "camel", "camel-part", "snake-part", "file", "words", "far", "ticket", "cjk", "regex", "question"}
}

// WriteFiles writes the session files into a directory and returns the needles.
func (h History) WriteFiles(dir string) ([]Needle, error) {
	w := h.writer()
	per := (h.Messages + h.Sessions - 1) / h.Sessions
	written := 0
	for s := 0; written < h.Messages; s++ {
		n := min(per, h.Messages-written)
		w.at = w.at.Add(7 * time.Minute)
		name := fmt.Sprintf("%s_%08x.jsonl", w.at.Format("2006-01-02T15-04-05-000Z"), s)
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		err = w.session(f, s, written, n)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return nil, err
		}
		written += n
	}
	return w.needles, nil
}

// historyWriter writes one history.
type historyWriter struct {
	History
	generator
	zipf    *rand.Zipf
	words   []string
	place   map[int]planted // message → what is put into it
	twins   map[int]bool
	needles []Needle
	ids     int
	tail    string // of the last message, for a twin
}

// planted is a needle before its message has an id.
type planted struct {
	Needle
	pieces []string // put into the text, far from each other
}

func (h History) writer() *historyWriter {
	rng := rand.New(rand.NewSource(h.Seed))
	w := &historyWriter{
		History: h, generator: generator{rng: rng, at: time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)},
		place: make(map[int]planted), twins: make(map[int]bool),
	}
	w.vocabulary()
	all := Kinds()
	for i := range h.Needles * len(all) {
		at := (i*h.Messages)/(h.Needles*len(all)) + rng.Intn(max(1, h.Messages/(h.Needles*len(all))))
		w.place[at] = w.needle(all[i%len(all)], i)
	}
	for i := range h.Twins {
		w.twins[(i+1)*h.Messages/(h.Twins+1)] = true
	}
	return w
}

// vocabulary makes words that are as often as those of a text are: a few in every
// message, most of them rarely. Every fifth is the name of something in code.
func (w *historyWriter) vocabulary() {
	const size = 40_000
	onsets := strings.Fields("b bl br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sc sh sp st t th tr v w")
	rimes := strings.Fields("a act ade ain al an ar ate e ead eal ect el en er est i ice id ile in ing ion it o ock old on or ore ound u ub ule un ure us")
	syllables := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(onsets[w.rng.Intn(len(onsets))])
			b.WriteString(rimes[w.rng.Intn(len(rimes))])
		}
		return b.String()
	}
	capital := func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
	w.words = strings.Fields("the to of a is in and for that it error return const with file test function this import if from await value string null")
	for len(w.words) < size {
		word := syllables(2 + w.rng.Intn(3))
		switch w.rng.Intn(15) {
		case 0:
			word = syllables(2) + capital(syllables(2)) + capital(syllables(1))
		case 1:
			word = syllables(2) + "_" + syllables(2)
		case 2:
			word = "src/" + syllables(2) + "/" + syllables(2) + ".ts"
		}
		w.words = append(w.words, word)
	}
	w.zipf = rand.NewZipf(w.rng, 1.07, 8, size-1)
}

// text returns about size bytes of words.
func (w *historyWriter) prose(size int) string {
	var b strings.Builder
	for b.Len() < size {
		b.WriteString(w.words[w.zipf.Uint64()])
		switch w.rng.Intn(16) {
		case 0:
			b.WriteByte('\n')
		case 1:
			b.WriteString(", ")
		case 2:
			fmt.Fprintf(&b, " %d ", w.rng.Intn(100_000))
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// needle makes the i-th needle.
func (w *historyWriter) needle(kind string, i int) planted {
	// Letters only, and no word of the vocabulary.
	mark := "zx" + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676%26)) + "qv"
	upper := strings.ToUpper(mark[:1]) + mark[1:]
	p := planted{Needle: Needle{Kind: kind}}
	set := func(query string, shows []string, pieces ...string) planted {
		p.Query, p.Shows, p.pieces = query, shows, pieces
		return p
	}
	switch kind {
	case "token":
		return set(mark, []string{mark}, mark)
	case "camel":
		return set("resolve"+upper+"Owner", []string{"resolve" + upper + "Owner"}, "resolve"+upper+"Owner()")
	case "camel-part":
		return set(upper+"Lease", []string{upper + "Lease"}, "acquire"+upper+"LeaseTimeout(ms)")
	case "snake-part":
		return set(mark+"_count", []string{mark + "_count"}, "max_"+mark+"_count = 3")
	case "file":
		return set(mark+"Parser.ts", []string{mark + "Parser.ts"}, "packages/core/src/"+mark+"Parser.ts:42")
	case "words":
		return set("gizmo "+mark+" wobble", []string{mark, "gizmo", "wobble"}, "gizmo "+mark+" wobble")
	case "far":
		return set(mark+"one "+mark+"two", []string{mark + "one", mark + "two"}, mark+"one", mark+"two")
	case "ticket":
		id := fmt.Sprintf("OPS-%d", 400_000+i)
		return set(id, []string{id}, "see "+id+" for why")
	case "cjk":
		pair := string([]rune{rune(0x4e00 + 37*i%6000), rune(0x5000 + 53*i%6000)})
		return set(pair, []string{pair}, "我们决定"+pair+"的超时时间")
	case "regex":
		p.Regex = true
		return set(mark+`: code \d{3}, took \d+ms`, []string{mark + ": code"}, mark+": code 504, took 1200ms")
	default:
		return set("what did we decide about "+mark+"lease, and why?", []string{mark + "lease"}, "The "+mark+"lease stays at 30 seconds.")
	}
}

// session writes messages from one number on.
func (w *historyWriter) session(out io.Writer, number, from, n int) error {
	b := bufio.NewWriterSize(out, 1<<16)
	fmt.Fprintf(b, `{"type":"session","version":3,"id":"%08x-0000-7000-8000-000000000000","timestamp":%q,"cwd":%q}`+"\n", number, w.now(), w.CWD)
	parent := "null"
	for i := from; i < from+n; i++ {
		if !w.twins[i] {
			w.at = w.at.Add(time.Duration(500+w.rng.Intn(6000)) * time.Millisecond)
		}
		w.ids++
		id := fmt.Sprintf("%08x", w.ids*0x9e3779b1&0xffffffff)
		fmt.Fprintf(b, `{"type":"message","id":"%s","parentId":%s,"timestamp":"%s","message":`, id, parent, w.now())
		w.line(b, i, id)
		b.WriteString("}\n")
		parent = `"` + id + `"`
	}
	return b.Flush()
}

// line writes the i-th message.
func (w *historyWriter) line(b *bufio.Writer, i int, id string) {
	text := w.prose(w.Size)
	if w.twins[i] { // as the one before, to the byte, but for the end
		text = w.tail + "!"
	}
	if p, ok := w.place[i]; ok {
		text = planting(text, p.pieces)
		p.Entry = id
		w.needles = append(w.needles, p.Needle)
	}
	w.tail = text
	quoted := message.AppendQuote(nil, text)
	tools := []string{"read", "bash", "edit", "grep", "read", "bash", "read", "web_fetch"}
	switch tool := tools[w.rng.Intn(len(tools))]; {
	case w.twins[i]:
		fmt.Fprintf(b, `{"role":"user","content":%s,"timestamp":%d}`, quoted, w.at.UnixMilli())
	case i%10 == 0:
		fmt.Fprintf(b, `{"role":"user","content":%s,"timestamp":%d}`, quoted, w.at.UnixMilli())
	case i%10 < 5:
		fmt.Fprintf(b, `{"role":"assistant","content":[{"type":"text","text":%s},{"type":"toolCall","id":"call_%d","name":%q,"arguments":{"path":"src/%d.ts"}}],"api":"anthropic-messages","provider":"anthropic","model":"claude","usage":{"input":10,"output":200,"cacheRead":9000,"cacheWrite":300,"totalTokens":9510,"cost":{"total":0.01}},"stopReason":"toolUse","timestamp":%d}`,
			quoted, i, tool, i, w.at.UnixMilli())
	default:
		fmt.Fprintf(b, `{"role":"toolResult","toolCallId":"call_%d","toolName":%q,"content":[{"type":"text","text":%s}],"isError":false,"timestamp":%d}`,
			i-1, tool, quoted, w.at.UnixMilli())
	}
}

// planting puts pieces into a text, at its words, the first near the beginning and
// the last near the end.
func planting(text string, pieces []string) string {
	for i, p := range pieces {
		at := len(text) * (2*i + 1) / (2 * len(pieces))
		if n := strings.IndexByte(text[at:], ' '); n >= 0 {
			at += n
		} else {
			at = len(text)
		}
		text = text[:at] + " " + p + text[at:]
	}
	return text
}
