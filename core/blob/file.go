package blob

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
)

const (
	idLength     = 2 * sha256.Size
	minID        = 8 // digits that are enough to ask for a blob
	textEnd      = ".zst"
	namedEnd     = ".by"
	tempStart    = ".tmp-"
	uniqueDigits = 16 // digits that tell one writer's files from another's
	hexDigits    = "0123456789abcdef"
)

// MaxText is the maximum size of a text in bytes.
const MaxText = 256 << 20

// Short is how many digits of an id are shown.
const Short = 12

// ShortID returns the prefix of an id that is shown.
func ShortID(id string) string { return id[:min(Short, len(id))] }

// ValidID reports whether a text can be the id of a blob or a prefix of one: 8 to 64 of the
// digits 0-9 and a-f.
func ValidID(s string) bool {
	return len(s) >= minID && len(s) <= idLength && strings.Trim(s, hexDigits) == ""
}

// fullID reports whether a text can be the id of a blob.
func fullID(s string) bool { return len(s) == idLength && ValidID(s) }

// idOf returns the id of a text.
func idOf(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// fileOf returns the file of a blob that ends in textEnd or namedEnd, by its path in the cache.
func fileOf(id, end string) string { return id[:2] + "/" + id + end }

// Info describes a blob.
type Info struct {
	ID string
	// Bytes is the size of the text, -1 when only reading it would tell.
	Bytes int64
	// Stored is its size on disk.
	Stored int64
	// Used is when it was last written or read.
	Used time.Time
	// Path is its file.
	Path string
}

// stat describes a blob but for the size of its text. It returns false when its file is gone or not
// regular.
func (s *Store) stat(root *os.Root, id string) (Info, bool) {
	st, err := root.Lstat(fileOf(id, textEnd))
	if err != nil || !st.Mode().IsRegular() {
		return Info{}, false
	}
	return Info{ID: id, Bytes: -1, Stored: st.Size(), Used: st.ModTime(), Path: filepath.Join(s.dir, id[:2], id+textEnd)}, true
}

// sized returns an Info with the size of the text, which is in the first bytes of the file.
func sized(root *os.Root, i Info) Info {
	f, err := root.Open(fileOf(i.ID, textEnd))
	if err != nil {
		return i
	}
	defer f.Close()
	head := make([]byte, zstd.HeaderMaxSize)
	n, _ := f.Read(head)
	var h zstd.Header
	if h.Decode(head[:n]) == nil && h.HasFCS && h.FrameContentSize <= MaxText {
		i.Bytes = int64(h.FrameContentSize)
	}
	return i
}

// list describes the blobs whose ids begin with prefix.
func (s *Store) list(root *os.Root, prefix string) (all []Info, err error) {
	err = walk(root, prefix, func(dir, base string) {
		id, ours := strings.CutSuffix(base, textEnd)
		if !ours || !fullID(id) || !strings.HasPrefix(id, dir) || !strings.HasPrefix(id, prefix) {
			return
		}
		if i, ok := s.stat(root, id); ok {
			all = append(all, i)
		}
	})
	return all, err
}

// walk calls fn with every regular file, ours or not, in the directories of blobs whose ids begin
// with prefix.
func walk(root *os.Root, prefix string, fn func(dir, base string)) error {
	var dirs []string
	if prefix != "" {
		dirs = []string{prefix[:2]}
	} else {
		all, err := directory(root, ".")
		if err != nil {
			return err
		}
		for _, d := range all {
			dirs = append(dirs, d.Name())
		}
	}
	for _, name := range dirs {
		if len(name) != 2 || strings.Trim(name, hexDigits) != "" {
			continue
		}
		files, err := directory(root, name)
		if err != nil {
			return err
		}
		for _, f := range files {
			if f.Type().IsRegular() {
				fn(name, f.Name())
			}
		}
	}
	return nil
}

// directory lists a directory of the cache. A missing directory is empty, and so is
// anything that is not a directory, such as a symbolic link.
func directory(root *os.Root, name string) ([]fs.DirEntry, error) {
	if st, err := root.Lstat(name); err != nil || !st.IsDir() {
		return nil, nil
	}
	all, err := fs.ReadDir(root.FS(), name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list blobs: %w", err)
	}
	return all, nil
}

// errDamaged is returned for bytes that do not match the id or cannot be decompressed.
var errDamaged = errors.New("its bytes are not those it was made of")

// read returns a blob's text after checking it against its id.
func read(root *os.Root, id string) ([]byte, error) {
	data, err := readRegular(root, fileOf(id, textEnd))
	if err != nil {
		return nil, err
	}
	text, err := unpack(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if idOf(text) != id {
		return nil, errDamaged
	}
	return text, nil
}

// readRegular reads a regular file. Symbolic links, pipes and the like count as missing: they could
// lead elsewhere or block.
func readRegular(root *os.Root, name string) ([]byte, error) {
	st, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file: %w", name, fs.ErrNotExist)
	case st.Size() > MaxText:
		return nil, fmt.Errorf("%w: it is larger than %d bytes", errDamaged, MaxText)
	}
	return root.ReadFile(name)
}

// pack compresses a text.
func pack(text []byte) ([]byte, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithSingleSegment(true))
	if err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	defer enc.Close()
	return enc.EncodeAll(text, make([]byte, 0, len(text)/2)), nil
}

// unpack decompresses a text. It rejects data that claims to be larger than MaxText before
// allocating memory.
func unpack(data []byte) ([]byte, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(MaxText))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	defer dec.Close()
	return dec.DecodeAll(data, nil)
}

// write writes a blob's file atomically.
func (s *Store) write(root *os.Root, id string, data []byte) error {
	name := fileOf(id, textEnd)
	if st, err := root.Lstat(name); err == nil && !st.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file", filepath.Join(s.dir, filepath.FromSlash(name)))
	}
	unique := make([]byte, uniqueDigits/2)
	_, _ = rand.Read(unique) // never fails
	temp := fmt.Sprintf("%s/%s%x", id[:2], tempStart, unique)
	err := writeNew(root, temp, data)
	if err == nil {
		err = root.Chtimes(temp, s.now(), s.now())
	}
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		_ = root.Remove(temp)
	}
	return err
}

// writeNew writes a file that must not exist, and syncs it to disk.
func writeNew(root *os.Root, name string, data []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// maxNames bounds the list of the sessions that name a blob, in bytes. Sessions that are
// not listed are found by reading them.
const maxNames = 16 << 10

// copyPrefix begins a line of the list with the file that a text was copied from, instead of a
// session.
const copyPrefix = "file:"

// addName records that a session file names a blob. It may fail: without the record, GC has
// to read the sessions themselves.
func addName(root *os.Root, id, session string) {
	have := names(root, id)
	if session == "" || strings.ContainsAny(session, "\r\n") || slices.Contains(have, session) || len(strings.Join(have, "\n")) > maxNames {
		return
	}
	f, err := root.OpenFile(fileOf(id, namedEnd), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	_, err = f.WriteString(session + "\n")
	_ = errors.Join(err, f.Close())
}

// names reads the list of a blob.
func names(root *os.Root, id string) (out []string) {
	text, _ := readRegular(root, fileOf(id, namedEnd))
	for line := range strings.Lines(string(text)) {
		if name, whole := strings.CutSuffix(line, "\n"); whole && name != "" {
			out = append(out, name)
		}
	}
	return out
}
