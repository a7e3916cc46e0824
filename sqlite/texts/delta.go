package texts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/coctostan/pictx/sqlite"
)

// Delta is the codec of a text stored as a delta: zstd with the text of base as dictionary.
const Delta = 3

// maxChain is the maximum length of a chain of deltas, the whole text at its end included.
const maxChain = 32

// deltaID is the dictionary number in the zstd frames of deltas.
const deltaID = 2

// maxDelta is the maximum size in bytes of a text stored as a delta: a larger one does not
// fit into zstd's window together with its base.
const maxDelta = 3 << 20

// PackAfter returns the stored form of a text, and the id of the text that it is a delta
// to, nil for none. base is a candidate for that.
func (s *Store) PackAfter(ctx context.Context, q Queryer, hash [sha256.Size]byte, raw []byte, base *int64) (kind int, data []byte, on *int64, err error) {
	if base != nil && len(raw) >= minCompressed && len(raw) <= maxDelta && !likeLine(raw) {
		if data, err = s.difference(ctx, q, raw, *base); err != nil {
			return 0, nil, nil, err
		}
		if data != nil && len(data) < len(raw)/4 {
			s.last.keep(hash[:], bytes.Clone(raw))
			return Delta, data, base, nil
		}
	}
	kind, data, err = s.Pack(raw)
	return kind, data, nil, err
}

// likeLine reports whether a text may be a line of a session. Lines are read by the
// thousand, so they are never stored as deltas.
func likeLine(raw []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r"), []byte("{")) && bytes.IndexByte(raw, '\n') < 0
}

// difference compresses a text as a delta, nil when it should be stored whole.
func (s *Store) difference(ctx context.Context, q Queryer, raw []byte, base int64) ([]byte, error) {
	var depth, kind int
	err := q.QueryRowxContext(ctx, `WITH RECURSIVE chain (base, n) AS (
		SELECT base, 1 FROM content WHERE id = ?
		UNION ALL SELECT t.base, n + 1 FROM chain JOIN content t ON t.id = chain.base WHERE n < 100)
		SELECT max(n), (SELECT codec FROM content WHERE id = ?) FROM chain`, base, base).Scan(&depth, &kind)
	if err != nil || depth >= maxChain {
		return nil, err
	}
	from, err := s.Get(ctx, q, base)
	if errors.Is(err, sqlite.ErrDamaged) { // do not let more texts depend on it
		return nil, nil
	}
	if err != nil || len(from) == 0 || len(from) > maxDelta {
		return nil, err
	}
	return s.differ.pack(raw, from)
}

// differ compresses texts as deltas. Creating an encoder takes longer than using it, so
// those with small windows are kept, by window size.
type differ struct {
	mu   sync.Mutex
	kept map[int]*zstd.Encoder
}

// maxKept is the largest window of an encoder that is kept, in bytes.
const maxKept = 512 << 10

// pack compresses a text as a delta to another.
func (d *differ) pack(raw, base []byte) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var out bytes.Buffer
	enc, err := d.encoder(window(len(raw)+len(base)), &out, base)
	if err == nil {
		_, err = enc.Write(raw)
	}
	if err == nil {
		err = enc.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("compress text: %w", err)
	}
	return out.Bytes(), nil
}

func (d *differ) encoder(window int, out io.Writer, base []byte) (*zstd.Encoder, error) {
	if enc := d.kept[window]; enc != nil {
		return enc, enc.ResetWithOptions(out, zstd.WithEncoderDictRaw(deltaID, base))
	}
	level := zstd.SpeedFastest
	if window > maxKept { // too large for the match table of the fastest level
		level = zstd.SpeedDefault
	}
	enc, err := zstd.NewWriter(out, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window),
		zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true), zstd.WithEncoderDictRaw(deltaID, base))
	if err == nil && window <= maxKept {
		if d.kept == nil {
			d.kept = make(map[int]*zstd.Encoder)
		}
		d.kept[window] = enc
	}
	return enc, err
}

// forget drops the encoders, which hold the base texts of deltas.
func (d *differ) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.kept = nil
}

// window returns the zstd window for a text of the given size. A window that is larger than necessary
// costs more than the compression.
func window(bytes int) int {
	w := 1 << 16
	for w < bytes && w < 8<<20 {
		w *= 2
	}
	return w
}

func unpackDelta(data, base, dst []byte) ([]byte, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxContent), zstd.WithDecoderDictRaw(deltaID, base))
	if err != nil {
		return nil, fmt.Errorf("read text: %w", err)
	}
	defer dec.Close()
	out, err := dec.DecodeAll(data, dst[:0])
	if err != nil {
		return nil, fmt.Errorf("read text: %w: %w", sqlite.ErrDamaged, err)
	}
	return out, nil
}

// link is a stored text of a chain of deltas.
type link struct {
	Hash  []byte
	Codec int
	Base  *int64
	Size  int
	Data  []byte
}

// fromDelta restores a text that is stored as a delta. It follows the bases back to a whole
// text. If the result does not have the stored hash, the text is damaged.
func (s *Store) fromDelta(ctx context.Context, q Queryer, id int64) ([]byte, error) {
	var chain []link
	for next := &id; next != nil; {
		if len(chain) > maxChain {
			return nil, fmt.Errorf("read text %d: %w: it is a difference of more than %d", id, sqlite.ErrDamaged, maxChain)
		}
		var l link
		err := q.QueryRowxContext(ctx, `SELECT hash, codec, base, size, data FROM content WHERE id = ?`, *next).Scan(&l.Hash, &l.Codec, &l.Base, &l.Size, &l.Data)
		if sqlite.NoRows(err) && len(chain) > 0 {
			return nil, fmt.Errorf("read text %d: %w: text %d is missing, to which it is a difference", id, sqlite.ErrDamaged, *next)
		}
		if err != nil {
			return nil, sqlite.Explain(err)
		}
		chain = append(chain, l)
		if next = l.Base; l.Codec != Delta || s.last.has(l.Hash) {
			break
		}
	}
	last := len(chain) - 1
	raw, known := s.last.of(chain[last].Hash)
	if !known && chain[last].Codec == Delta {
		return nil, fmt.Errorf("read text %d: %w: it is a difference to nothing", id, sqlite.ErrDamaged)
	}
	var err error
	if !known {
		raw, err = s.Unpack(chain[last].Codec, chain[last].Data, nil)
	}
	for i := last - 1; i >= 0 && err == nil; i-- {
		raw, err = unpackDelta(chain[i].Data, raw, nil)
	}
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(raw); !bytes.Equal(sum[:], chain[0].Hash) {
		return nil, fmt.Errorf("read text %d: %w: its hash differs from the one stored with it", id, sqlite.ErrDamaged)
	}
	s.last.keep(chain[0].Hash, raw)
	return raw, nil
}

// lastTexts caches texts that were recently written or read, by hash: the next version of
// one is a delta to it, and reading it again takes a whole chain. Cached texts must not be
// modified.
type lastTexts struct {
	mu    sync.Mutex
	list  []lastText // most recent last
	bytes int
}

type lastText struct {
	hash [sha256.Size]byte
	raw  []byte
}

// maxLast bounds the cached texts, in bytes.
const maxLast = 4 << 20

// of returns a text if it is cached.
func (l *lastTexts) of(hash []byte) ([]byte, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.list {
		if bytes.Equal(l.list[i].hash[:], hash) {
			return l.list[i].raw, true
		}
	}
	return nil, false
}

func (l *lastTexts) has(hash []byte) bool {
	_, ok := l.of(hash)
	return ok
}

// forget drops all texts, because some were deleted.
func (l *lastTexts) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list, l.bytes = nil, 0
}

// keep adds a text, and evicts the oldest ones to make room.
func (l *lastTexts) keep(hash, raw []byte) {
	if len(raw) > maxLast || l.has(hash) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list, l.bytes = append(l.list, lastText{[sha256.Size]byte(hash), raw}), l.bytes+len(raw)
	for l.bytes > maxLast {
		l.bytes -= len(l.list[0].raw)
		l.list = l.list[1:]
	}
}
