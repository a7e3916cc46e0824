package codec

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"strings"
)

// castagnoli is the polynomial of checksums, which processors know.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// sumSize is the size of a checksum in bytes.
const sumSize = 4

// Begin appends the head of a file: magic, which names its format, and room for the checksum that
// Seal writes.
func Begin(b []byte, magic string) []byte {
	return append(append(b, magic...), make([]byte, sumSize)...)
}

// Seal writes the checksum of a whole file into its head.
func Seal(b []byte, magic string) {
	binary.LittleEndian.PutUint32(b[len(magic):], crc32.Checksum(b[len(magic)+sumSize:], castagnoli()))
}

// readChunk is how many bytes of a file are read at once.
const readChunk = 128 << 10

// Content reads a file of about size bytes, and returns what follows its head: ErrDamaged when it has
// another magic or checksum. It reads in parts, so that memory has one copy of it.
func Content(r io.Reader, magic string, size int64) (string, error) {
	head := make([]byte, len(magic)+sumSize)
	if _, err := io.ReadFull(r, head); err != nil || string(head[:len(magic)]) != magic {
		return "", ErrDamaged
	}
	var b strings.Builder
	b.Grow(int(max(size, 0)))
	sum := crc32.New(castagnoli())
	if _, err := io.CopyBuffer(io.MultiWriter(&b, sum), struct{ io.Reader }{r}, make([]byte, readChunk)); err != nil {
		return "", err
	}
	if binary.LittleEndian.Uint32(head[len(magic):]) != sum.Sum32() {
		return "", ErrDamaged
	}
	return b.String(), nil
}
