package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

const (
	idLength     = 2 * sha256.Size
	minID        = 8 // digits that are enough to ask for a blob
	zstEnd       = ".zst"
	namedEnd     = ".by"
	tempStart    = ".tmp-"
	uniqueDigits = 16 // digits that tell one writer's files from another's
)

// file is a file that contains a blob.
type file struct {
	id, name string // name is its path in the cache
	packed   bool
	size     int64
	used     time.Time
}

// ValidID reports whether a text can be the id of a blob or a prefix of one: 8 to 64 of the
// digits 0-9 and a-f.
func ValidID(s string) bool {
	return len(s) >= minID && len(s) <= idLength && strings.Trim(s, "0123456789abcdef") == ""
}

// idOf returns the id of a text.
func idOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// parseName parses the name of a file in the directory of the blobs whose ids begin with
// dir. ok is false when the name is not one of ours.
func parseName(dir, base string) (f file, ok bool) {
	f.name = path.Join(dir, base)
	f.id, f.packed = strings.CutSuffix(base, zstEnd)
	return f, len(f.id) == idLength && ValidID(f.id) && strings.HasPrefix(f.id, dir)
}

// variants are the possible files of a blob, the uncompressed one first.
func variants(id string) [2]file {
	dir := id[:2]
	return [2]file{{id: id, name: path.Join(dir, id)}, {id: id, name: path.Join(dir, id+zstEnd), packed: true}}
}

// directory lists a directory of the cache. A missing directory is empty, and so is
// anything that is not a directory, such as a symbolic link.
func directory(root *os.Root, name string) ([]fs.DirEntry, error) {
	if st, err := root.Lstat(name); errors.Is(err, fs.ErrNotExist) || err == nil && !st.IsDir() {
		return nil, nil
	}
	d, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.ReadDir(-1)
}

// walk calls fn with every regular file in the directories of blobs, ours or not.
func walk(root *os.Root, fn func(dir, base string) error) error {
	dirs, err := directory(root, ".")
	if err != nil {
		return err
	}
	for _, d := range dirs {
		if !d.IsDir() || len(d.Name()) != 2 || strings.Trim(d.Name(), "0123456789abcdef") != "" {
			continue
		}
		entries, err := directory(root, d.Name())
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !e.Type().IsRegular() {
				continue
			}
			if err := fn(d.Name(), e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

// stat sets the size and last use. It returns false when the file is gone or not regular.
func (f *file) stat(root *os.Root) bool {
	st, err := root.Lstat(f.name)
	if err != nil || !st.Mode().IsRegular() {
		return false
	}
	f.size, f.used = st.Size(), st.ModTime()
	return true
}

// files lists the files of all blobs.
func files(root *os.Root) ([]file, error) {
	var all []file
	err := walk(root, func(dir, base string) error {
		if f, ok := parseName(dir, base); ok && f.stat(root) {
			all = append(all, f)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list blobs: %w", err)
	}
	return all, nil
}

// find lists the files of the blobs whose ids begin with prefix.
func find(root *os.Root, prefix string) ([]file, error) {
	entries, err := directory(root, prefix[:2])
	if err != nil {
		return nil, fmt.Errorf("find blob: %w", err)
	}
	var found []file
	for _, e := range entries {
		if f, ok := parseName(prefix[:2], e.Name()); ok && strings.HasPrefix(f.id, prefix) && f.stat(root) {
			found = append(found, f)
		}
	}
	return found, nil
}

// errDamaged is returned for bytes that do not match the id or cannot be decompressed.
var errDamaged = errors.New("its bytes are not those it was made of")

// read returns a blob's text after checking it against its id.
func (f file) read(root *os.Root) ([]byte, error) {
	data, err := readRegular(root, f.name, MaxText)
	if err != nil {
		return nil, err
	}
	if f.packed {
		if data, err = unpack(data); err != nil {
			return nil, fmt.Errorf("%w: %w", errDamaged, err)
		}
	}
	if idOf(data) != f.id {
		return nil, errDamaged
	}
	return data, nil
}

// readRegular reads a regular file of at most limit bytes. Symbolic links, pipes and the
// like are errors: they could lead elsewhere or block.
func readRegular(root *os.Root, name string, limit int64) ([]byte, error) {
	st, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", name)
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if now, err := f.Stat(); err != nil || !os.SameFile(st, now) {
		return nil, fmt.Errorf("%s was replaced: %w", name, fs.ErrNotExist)
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%w: it is larger than %d bytes", errDamaged, limit)
	}
	return data, err
}

// MaxText is the maximum size of a text in bytes.
const MaxText = 256 << 20

// minPacked is the size above which a text is compressed.
const minPacked = 4 << 10

// pack compresses a text if that makes it smaller.
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

// unpack decompresses a text. It rejects data that claims to be larger than MaxText before
// allocating memory.
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

// unpackedSize reads the size of a text from the beginning of its compressed form, -1 when
// it is not recorded there.
func unpackedSize(head []byte) int64 {
	var h zstd.Header
	if h.Decode(head) != nil || !h.HasFCS || h.FrameContentSize > MaxText {
		return -1
	}
	return int64(h.FrameContentSize)
}
