package sqlite

import (
	_ "embed"
	"fmt"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// The codecs of the content table.
const (
	// Plain is the codec of a text that is stored as it is.
	Plain     = 0
	codecDict = 2 // zstd with dictionary
)

// dictionary is what most lines of session files are made of, what is most alike
// last. A line of a kilobyte takes a third less room with it. It must never change:
// what was packed with it could not be read any more.
//
//go:embed dictionary.txt
var dictionary []byte

// dictionaryID is the dictionary's number in zstd frames.
const dictionaryID = 1

// minCompressed is the size in bytes below which a text is stored as it is: zstd's frame
// would cost as much as it saves.
const minCompressed = 64

// maxContent bounds what one row may decompress to, so that a damaged or hostile database
// cannot exhaust memory.
const maxContent = 1 << 30

// codec is what compresses and restores the texts of a database. Its parts are created on first
// use, to save a process that does only one of the two, or neither, the cost.
type codec struct {
	once sync.Once
	enc  *zstd.Encoder
	err  error
	idle sync.Pool // of decoders, each for one goroutine with its buffers
}

func (c *codec) encoder() (*zstd.Encoder, error) {
	c.once.Do(func() {
		c.enc, c.err = zstd.NewWriter(nil,
			zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2),
			zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true), zstd.WithEncoderDictRaw(dictionaryID, dictionary))
	})
	return c.enc, c.err
}

func (c *codec) decoder() (*zstd.Decoder, error) {
	if dec, ok := c.idle.Get().(*zstd.Decoder); ok {
		return dec, nil
	}
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxContent), zstd.WithDecoderDictRaw(dictionaryID, dictionary))
}

// Pack returns the stored form of a text, and its codec.
func (d *DB) Pack(raw []byte) (codec int, data []byte, err error) {
	if len(raw) < minCompressed {
		return Plain, raw, nil
	}
	enc, err := d.codec.encoder()
	if err != nil {
		return 0, nil, fmt.Errorf("compress text: %w", err)
	}
	if packed := enc.EncodeAll(raw, make([]byte, 0, len(raw)/2)); len(packed) < len(raw) {
		return codecDict, packed, nil
	}
	return Plain, raw, nil
}

// Unpack restores a text into the buffer dst.
func (d *DB) Unpack(kind int, data, dst []byte) ([]byte, error) {
	switch kind {
	case Plain:
		return append(dst[:0], data...), nil
	case codecDict:
		dec, err := d.codec.decoder()
		if err != nil {
			return nil, fmt.Errorf("read text: %w", err)
		}
		defer d.codec.idle.Put(dec)
		out, err := dec.DecodeAll(data, grown(dst[:0], data))
		if err != nil {
			return nil, fmt.Errorf("read text: %w: %w", ErrDamaged, err)
		}
		return out, nil
	}
	return nil, fmt.Errorf("read text: codec %d is unknown, a newer pictx wrote it: %w", kind, ErrNewer)
}

// grown returns a larger buffer if a used one is too small for a text. The decoder would
// make it as large as this text, and a little larger for each that is longer than all
// before.
func grown(dst, packed []byte) []byte {
	var h zstd.Header
	if cap(dst) == 0 || h.Decode(packed) != nil || h.FrameContentSize > maxContent || int(h.FrameContentSize) <= cap(dst) {
		return dst
	}
	return make([]byte, 0, max(int(h.FrameContentSize), 2*cap(dst)))
}

// maxReaders bounds how many goroutines decompress texts concurrently.
const maxReaders = 8

// Readers returns how many goroutines may decompress texts concurrently.
func Readers() int { return min(runtime.GOMAXPROCS(0), maxReaders) }
