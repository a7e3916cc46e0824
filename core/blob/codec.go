package blob

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// MaxText is the size of the largest text that is stored, in bytes.
const MaxText = 256 << 20

// minPacked is the size above which a text is compressed.
const minPacked = 4 << 10

// pack compresses a text where that makes it smaller.
func pack(text []byte) (data []byte, packed bool, err error) {
	if len(text) <= minPacked {
		return text, false, nil
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, false, fmt.Errorf("compress: %w", err)
	}
	defer enc.Close()
	if data = enc.EncodeAll(text, make([]byte, 0, len(text)/2)); len(data) < len(text) {
		return data, true, nil
	}
	return text, false, nil
}

// unpack restores a text. Data that claims to be larger than MaxText is refused before
// memory is allocated for it.
func unpack(data []byte) ([]byte, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(MaxText))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	defer dec.Close()
	text, err := dec.DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return text, nil
}

// unpackedSize reads the size of a text from the beginning of its compressed form, -1
// when it is not given there.
func unpackedSize(head []byte) int64 {
	var h zstd.Header
	if h.Decode(head) != nil || !h.HasFCS || h.FrameContentSize > MaxText {
		return -1
	}
	return int64(h.FrameContentSize)
}
