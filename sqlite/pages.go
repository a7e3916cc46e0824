package sqlite

import "encoding/binary"

// The sizes of FTS5: of a page, of the list of documents that is written beside the
// pages of a word when so many of them begin with no word, and of the longest word.
const (
	pageSize    = 4050
	pageHeader  = 4 // where the first document begins, and where the footer does
	listFrom    = 4
	longestWord = 1 << 15
)

// pageWriter writes the pages of a segment as FTS5 does when it writes what it
// gathered: byte for byte, which a test holds.
type pageWriter struct {
	made *madeSegment
	out  []byte // all pages

	page    []byte // the page that is being written
	footer  []byte // where its words begin
	number  int64  // of the page
	last    int    // where the last word begins
	word    []byte // the last one
	noWord  bool   // the page has none yet
	noEntry bool   // nor the beginning of a document

	startPage int64  // the last page that has words, 0 for none
	start     []byte // what it begins with
	empty     int    // pages since that have none
	list      []byte // the documents that these begin with
	listPage  int64
	listLast  int64
	unfit     bool // there is something here that is left to FTS5
}

// begin starts a segment.
func (w *pageWriter) begin() {
	*w = pageWriter{
		made: &madeSegment{}, out: w.out[:0], page: append(w.page[:0], 0, 0, 0, 0), footer: w.footer[:0], number: 1,
		word: w.word[:0], noWord: true, noEntry: true, startPage: 1, start: w.start[:0], list: w.list[:0],
	}
}

// put adds a word and its documents. Words come in their order.
func (w *pageWriter) put(word, documents []byte) {
	if len(word) > longestWord {
		w.unfit = true
		return
	}
	w.putWord(word)
	if pageSize >= len(w.page)+len(w.footer)+len(documents)+1 {
		w.page = append(w.page, documents...)
		return
	}
	var id, last uint64
	for len(documents) > 0 {
		id += number(&documents)
		if w.noEntry {
			binary.BigEndian.PutUint16(w.page, uint16(len(w.page)))
			w.page = appendNumber(w.page, id)
			w.noEntry = false
			w.putList(int64(id))
		} else {
			w.page = appendNumber(w.page, id-last)
		}
		last = id
		rest := documents
		size := number(&rest) / 2
		places := len(documents) - len(rest) + int(size)
		w.putPlaces(documents[:places])
		documents = documents[places:]
	}
}

// putWord begins a word.
func (w *pageWriter) putWord(word []byte) {
	if len(w.page)+len(w.footer)+len(word)+2 >= pageSize && len(w.page) > pageHeader {
		w.flush()
	}
	w.footer = appendNumber(w.footer, uint64(len(w.page)-w.last))
	w.last = len(w.page)
	shared := 0
	for shared < min(len(w.word), len(word)) && w.word[shared] == word[shared] {
		shared++
	}
	if w.noWord {
		if w.number != 1 {
			w.flushStart()
			n := len(word)
			if len(w.word) > 0 {
				n = shared + 1
			}
			w.start = append(w.start[:0], word[:n]...)
			w.startPage = w.number
		}
		shared = 0
	} else {
		w.page = appendNumber(w.page, uint64(shared))
	}
	w.page = appendNumber(w.page, uint64(len(word)-shared))
	w.page = append(w.page, word[shared:]...)
	w.word = append(w.word[:0], word...)
	w.noWord, w.noEntry = false, false
	w.listPage = w.number
}

// putPlaces adds the places of a document, over pages where they have no room.
func (w *pageWriter) putPlaces(places []byte) {
	if len(w.page)+len(w.footer)+len(places) <= pageSize {
		w.page = append(w.page, places...)
		return
	}
	for {
		room := pageSize - len(w.page) - len(w.footer)
		n := len(places)
		if n > room {
			n = wholeNumbers(places, room)
		}
		w.page = append(w.page, places[:n]...)
		places = places[n:]
		if len(w.page)+len(w.footer) >= pageSize {
			w.flush()
		}
		if len(places) == 0 {
			return
		}
	}
}

// wholeNumbers is how many bytes the numbers take that fit into some room, at least
// one number.
func wholeNumbers(b []byte, room int) int {
	rest := b
	number(&rest)
	n := len(b) - len(rest)
	for n < room {
		number(&rest)
		if len(b)-len(rest) > room {
			break
		}
		n = len(b) - len(rest)
	}
	return n
}

// putList notes that a page begins with a document.
func (w *pageWriter) putList(id int64) {
	switch {
	case len(w.list) >= pageSize:
		w.unfit = true
		return
	case len(w.list) == 0:
		w.list = append(w.list, 0)
		w.list = appendNumber(w.list, uint64(w.number))
		w.list = appendNumber(w.list, uint64(id))
	default:
		w.list = appendNumber(w.list, uint64(id-w.listLast))
	}
	w.listLast = id
}

// flush ends a page.
func (w *pageWriter) flush() {
	binary.BigEndian.PutUint16(w.page[2:], uint16(len(w.page)))
	if w.noWord {
		if w.noEntry && len(w.list) > 0 {
			w.list = append(w.list, 0)
		}
		w.empty++
	} else {
		w.page = append(w.page, w.footer...)
	}
	w.keep(w.number, w.page)
	w.page, w.footer, w.last = append(w.page[:0], 0, 0, 0, 0), w.footer[:0], 0
	w.number++
	w.noWord, w.noEntry = true, true
}

// keep keeps a page.
func (w *pageWriter) keep(id int64, page []byte) {
	from := len(w.out)
	w.out = append(w.out, page...)
	w.made.pages = append(w.made.pages, segmentPage{ID: id, Block: w.out[from:len(w.out):len(w.out)]})
}

// flushStart notes with what the last page that has words begins, and the list of
// documents beside those after it.
func (w *pageWriter) flushStart() {
	if w.startPage == 0 {
		return
	}
	has := int64(0)
	if len(w.list) > 0 && w.empty >= listFrom {
		has = 1
		w.keep(listBit|w.listPage, w.list)
	}
	w.list, w.empty = w.list[:0], 0
	w.made.starts = append(w.made.starts, pageStart{Term: append([]byte{}, w.start...), Page: has + w.startPage<<1})
	w.startPage = 0
}

// end ends the segment, which is nil when it is left to FTS5.
func (w *pageWriter) end() *madeSegment {
	if len(w.page) > pageHeader {
		w.flush()
	}
	if w.number > 1 {
		w.flushStart()
	}
	if w.unfit {
		return nil
	}
	return w.made
}
