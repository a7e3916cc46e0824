package texts

import (
	_ "embed"
	"fmt"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/coctostan/pictx/sqlite"
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

// codec compresses texts. Its parts are created on first use, to save a hook that stores
// nothing the cost.
type codec struct {
	once sync.Once
	enc  *zstd.Encoder
	dec  *zstd.Decoder
	err  error
}

func (c *codec) open() error {
	c.once.Do(func() {
		c.enc, c.err = zstd.NewWriter(nil,
			zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2),
			zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true), zstd.WithEncoderDictRaw(dictionaryID, dictionary))
		if c.err != nil {
			return
		}
		c.dec, c.err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(Readers()),
			zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxContent), zstd.WithDecoderDictRaw(dictionaryID, dictionary))
	})
	return c.err
}

func (c *codec) close() {
	if c.dec != nil {
		c.dec.Close()
	}
}

// pack returns the stored form of raw.
func (c *codec) pack(raw []byte) (int, []byte, error) {
	return c.packInto(raw, make([]byte, 0, len(raw)/2))
}

// packInto is pack with a buffer for the result, used if it is large enough.
func (c *codec) packInto(raw, room []byte) (int, []byte, error) {
	if len(raw) < minCompressed {
		return Plain, raw, nil
	}
	if err := c.open(); err != nil {
		return 0, nil, fmt.Errorf("compress text: %w", err)
	}
	if packed := c.enc.EncodeAll(raw, room); len(packed) < len(raw) {
		return codecDict, packed, nil
	}
	return Plain, raw, nil
}

// unpack restores a text into the buffer dst.
func (c *codec) unpack(kind int, data, dst []byte) ([]byte, error) {
	switch kind {
	case Plain:
		return append(dst[:0], data...), nil
	case codecDict:
		if err := c.open(); err != nil {
			return nil, fmt.Errorf("read text: %w", err)
		}
		out, err := c.dec.DecodeAll(data, dst[:0])
		if err != nil {
			return nil, fmt.Errorf("read text: %w: %w", sqlite.ErrDamaged, err)
		}
		return out, nil
	}
	return nil, fmt.Errorf("read text: codec %d is unknown, a newer pictx wrote it: %w", kind, sqlite.ErrNewer)
}

// maxReaders bounds how many goroutines decompress texts concurrently.
const maxReaders = 8

// Readers returns how many goroutines may decompress texts concurrently.
func Readers() int { return min(runtime.GOMAXPROCS(0), maxReaders) }
