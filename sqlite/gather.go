package sqlite

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"unicode/utf8"
)

// gatherer makes segments of the index of words, as FTS5 would of the same texts. FTS5
// asks for memory for each word of a text and looks all over it for each occurrence;
// that alone was a third of an import. It notes the occurrences one after the other
// and sorts them once.
type gatherer struct {
	runes *runes
	seed  maphash.Seed
	ascii [utf8.RuneSelf]byte // the lower case of letters and digits, 0 for what separates words

	words  []gathered
	spell  []byte   // of all words, one after the other
	slots  []uint32 // words by their hashes, 0 for none
	hashes []uint64
	said   []uint32 // the words of all texts in their order
	order  []sorted
	places []place
	list   []byte // the documents of a word
	at     []byte // the places of a document
	fold   []byte // a word as it is indexed
	pages  pageWriter
}

// gathered is a word.
type gathered struct {
	from, to uint32 // of its spelling
	count    uint32 // how often it was said; then where its next place goes
}

// sorted is a word with how it begins, by which most of them are told apart.
type sorted struct {
	begin uint64
	word  uint32
}

// place is an occurrence: which text, and where in it. Of who said it, the place is
// negative.
type place struct {
	text uint32
	at   int32
}

func newGatherer(r *runes) *gatherer {
	g := &gatherer{runes: r, seed: maphash.MakeSeed()}
	for c := range byte(utf8.RuneSelf) {
		switch {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z':
			g.ascii[c] = c
		case 'A' <= c && c <= 'Z':
			g.ascii[c] = c + 'a' - 'A'
		}
	}
	return g
}

// mainIndex is what each word begins with: FTS5's mark of an index that is not of
// beginnings of words.
const mainIndex = '0'

// make makes a segment of texts, in the order of their ids. It is nil where that is
// left to FTS5: there is a text that is no UTF-8, or a word of extraordinary length.
func (g *gatherer) make(ctx context.Context, texts []indexed) (*madeSegment, error) {
	g.words, g.spell, g.hashes, g.said = g.words[:0], g.spell[:0], g.hashes[:0], g.said[:0]
	clear(g.slots)
	sizes := make([][2]int, len(texts))
	for i, x := range texts {
		for column, text := range [2]string{x.Text, kindText(x.Role, x.Tool)} {
			n := len(g.said)
			if ok, err := g.add(ctx, text); !ok || err != nil {
				return nil, err
			}
			sizes[i][column] = len(g.said) - n
		}
	}
	g.sort()
	g.scatter(sizes)
	g.pages.begin()
	from := 0
	for _, o := range g.order {
		w := g.words[o.word]
		to := int(w.count)
		g.pages.put(g.spell[w.from:w.to], g.documents(texts, g.places[from:to]))
		from = to
	}
	made := g.pages.end()
	if made == nil {
		return nil, nil
	}
	made.totals = []uint64{uint64(len(texts)), 0, 0}
	made.sizes = make([][]byte, len(texts))
	for i, s := range sizes {
		made.sizes[i] = appendNumber(appendNumber(nil, uint64(s[0])), uint64(s[1]))
		made.totals[1] += uint64(s[0])
		made.totals[2] += uint64(s[1])
	}
	return made, nil
}

// add notes the words of a text. It is not ok when the text is left to FTS5.
func (g *gatherer) add(ctx context.Context, text string) (ok bool, err error) {
	g.fold = append(g.fold[:0], mainIndex)
	inWord := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c < utf8.RuneSelf {
			if folded := g.ascii[c]; folded != 0 {
				g.fold = append(g.fold, folded)
				inWord = true
				continue
			}
		} else {
			r, n := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError && n == 1 {
				return false, nil
			}
			class, err := g.runes.class(ctx, r)
			if err != nil || class.odd {
				return false, err
			}
			i += n - 1
			if class.begins || inWord && class.goesOn {
				g.fold = append(g.fold, class.folded...)
				inWord = true
				continue
			}
		}
		if inWord {
			g.say()
			inWord = false
		}
	}
	if inWord {
		g.say()
	}
	return true, nil
}

// say notes an occurrence of the word in fold, and empties it.
func (g *gatherer) say() {
	h := maphash.Bytes(g.seed, g.fold)
	if 2*len(g.words) >= len(g.slots) {
		g.grow()
	}
	mask := uint64(len(g.slots) - 1)
	for at := h & mask; ; at = (at + 1) & mask {
		n := g.slots[at]
		if n == 0 {
			from := uint32(len(g.spell))
			g.spell = append(g.spell, g.fold...)
			g.words = append(g.words, gathered{from: from, to: uint32(len(g.spell)), count: 1})
			g.hashes = append(g.hashes, h)
			g.slots[at] = uint32(len(g.words))
			g.said = append(g.said, uint32(len(g.words)-1))
			break
		}
		if w := &g.words[n-1]; g.hashes[n-1] == h && bytes.Equal(g.spell[w.from:w.to], g.fold) {
			w.count++
			g.said = append(g.said, n-1)
			break
		}
	}
	g.fold = g.fold[:1]
}

// grow makes room for more words.
func (g *gatherer) grow() {
	g.slots = make([]uint32, max(1<<12, 2*len(g.slots)))
	mask := uint64(len(g.slots) - 1)
	for n, h := range g.hashes {
		at := h & mask
		for g.slots[at] != 0 {
			at = (at + 1) & mask
		}
		g.slots[at] = uint32(n + 1)
	}
}

// sort puts the words in order.
func (g *gatherer) sort() {
	g.order = g.order[:0]
	for i, w := range g.words {
		var b [8]byte
		copy(b[:], g.spell[w.from+1:w.to]) // all begin with the same mark
		g.order = append(g.order, sorted{binary.BigEndian.Uint64(b[:]), uint32(i)})
	}
	slices.SortFunc(g.order, func(a, b sorted) int {
		if a.begin != b.begin {
			return cmp.Compare(a.begin, b.begin)
		}
		x, y := g.words[a.word], g.words[b.word]
		return bytes.Compare(g.spell[x.from:x.to], g.spell[y.from:y.to])
	})
}

// scatter puts the places of each word together, in the order of the words; count
// becomes where those of a word end.
func (g *gatherer) scatter(sizes [][2]int) {
	next := uint32(0)
	for _, o := range g.order {
		w := &g.words[o.word]
		next, w.count = next+w.count, next
	}
	g.places = slices.Grow(g.places[:0], len(g.said))[:len(g.said)]
	said := g.said
	for i, s := range sizes {
		for column, n := range s {
			for at, word := range said[:n] {
				p := place{uint32(i), int32(at)}
				if column == 1 {
					p.at = ^p.at
				}
				w := &g.words[word]
				g.places[w.count] = p
				w.count++
			}
			said = said[n:]
		}
	}
}

// documents is the list of the documents that have a word, with its places in each.
func (g *gatherer) documents(texts []indexed, places []place) []byte {
	const nextColumn, first = 1, 2 // what stands before another column, and the least place
	g.list = g.list[:0]
	last := uint64(0)
	for len(places) > 0 {
		text := places[0].text
		id := uint64(texts[text].id)
		g.list = appendNumber(g.list, id-last)
		last = id
		g.at = g.at[:0]
		before, kind := int32(0), false
		for len(places) > 0 && places[0].text == text {
			at := places[0].at
			if places = places[1:]; at < 0 {
				if at = ^at; !kind {
					g.at = append(g.at, nextColumn, 1)
					before, kind = 0, true
				}
			}
			g.at = appendNumber(g.at, uint64(at-before+first))
			before = at
		}
		g.list = appendNumber(g.list, 2*uint64(len(g.at)))
		g.list = append(g.list, g.at...)
	}
	return g.list
}
