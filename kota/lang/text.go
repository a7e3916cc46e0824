package lang

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// byteOrder is how UTF-16 stores its units.
type byteOrder uint8

const (
	notUTF16 byteOrder = iota
	littleEndian
	bigEndian
)

// orderOf reads a byte order mark.
func orderOf(data []byte) byteOrder {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		return littleEndian
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return bigEndian
	}
	return notUTF16
}

// IsBinary reports whether data is not text: whether a NUL byte is among the
// first 8 KB, except in UTF-16.
func IsBinary(data []byte) bool {
	return orderOf(data) == notUTF16 && bytes.IndexByte(data[:min(len(data), 8<<10)], 0) >= 0
}

// Decode returns text as UTF-8, without a byte order mark.
func Decode(data []byte) []byte {
	order := orderOf(data)
	if order == notUTF16 {
		return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i+1 < len(data); i += 2 {
		low, high := data[i], data[i+1]
		if order == bigEndian {
			low, high = high, low
		}
		units = append(units, uint16(low)|uint16(high)<<8)
	}
	out := make([]byte, 0, len(units))
	for _, r := range utf16.Decode(units) {
		out = utf8.AppendRune(out, r)
	}
	return out
}
