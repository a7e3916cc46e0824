package blob

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
)

// Sessions lists the session files that are known to name a blob, whether or not they still
// exist. There may be others, such as copies of a session.
func (s *Store) Sessions(id string) []string {
	return slices.DeleteFunc(s.names(id), func(line string) bool { return strings.HasPrefix(line, copyPrefix) })
}

// Sources lists the files of which a blob is known to be a copy.
func (s *Store) Sources(id string) []string {
	var out []string
	for _, line := range s.names(id) {
		if path, ok := strings.CutPrefix(line, copyPrefix); ok {
			out = append(out, path)
		}
	}
	return out
}

// names reads the list of a blob, nil when it cannot be read.
func (s *Store) names(id string) []string {
	root, err := s.open()
	if root == nil || err != nil || !fullID(id) {
		return nil
	}
	defer root.Close()
	return names(root, id)
}

// Name records that a session file names a blob, or that the blob is a copy of a file.
func (s *Store) Name(id, session string) {
	root, err := s.open()
	if root == nil || err != nil || !fullID(id) {
		return
	}
	defer root.Close()
	addName(root, id, session)
}

// CopyOf returns the id of the blob that is a copy of a file, "" without one.
func (s *Store) CopyOf(path string) string {
	all, _ := s.List()
	for _, i := range all {
		if slices.Contains(s.names(i.ID), copyPrefix+path) {
			return i.ID
		}
	}
	return ""
}

// overlap is how many bytes are searched again with the next block. It must exceed the
// length of anything that names a blob.
const overlap = 512

// EachNamed calls fn with every blob id in the details of a truncated result, and with the
// file of every output that pi truncated. It searches raw bytes, because parsing every
// session would take seconds.
func EachNamed(r io.Reader, fn func(idOrFile string)) error {
	size := 1 << 20
	if known, ok := r.(interface{ Len() int }); ok {
		size = min(size, known.Len()+1) // a line is much shorter than a session
	}
	in := bufio.NewReaderSize(r, size)
	for {
		text, err := in.Peek(in.Size())
		eachBlobID(text, fn)
		if bytes.Contains(text, []byte("fullOutputPath")) || bytes.Contains(text, []byte("Full output: ")) {
			for _, path := range CutOutputs(text) {
				fn(path)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			_, err = in.Discard(len(text) - overlap)
		}
		if err != nil {
			return err
		}
	}
}

// eachBlobID calls fn with every blob id in the details of results.
func eachBlobID(text []byte, fn func(id string)) {
	for {
		_, rest, found := bytes.Cut(text, []byte(`"blobId":"`))
		if !found || len(rest) < idLength {
			return
		}
		if id := string(rest[:idLength]); ValidID(id) {
			fn(id)
		}
		text = rest
	}
}
