package blob

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
)

// maxNames bounds the list of the sessions that name a blob, in bytes. Sessions that are
// not listed are found by reading them.
const maxNames = 16 << 10

// namesFile returns the file with the list of a blob.
func namesFile(id string) string { return id[:2] + "/" + id + namedEnd }

// addName records that a session file names a blob. It may fail: without the record, GC has
// to read the sessions themselves.
func addName(root *os.Root, id, session string) {
	if session == "" || strings.ContainsAny(session, "\r\n") {
		return
	}
	if slices.Contains(names(root, id), session) {
		return
	}
	name := namesFile(id)
	if st, err := root.Lstat(name); err == nil && (!st.Mode().IsRegular() || st.Size() > maxNames) {
		return
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	_, err = f.WriteString(session + "\n")
	_ = errors.Join(err, f.Close())
}

// names reads the list of a blob.
func names(root *os.Root, id string) []string {
	text, err := readRegular(root, namesFile(id), 2*maxNames)
	if err != nil {
		return nil
	}
	var out []string
	for line := range strings.Lines(string(text)) {
		if name, whole := strings.CutSuffix(line, "\n"); whole && name != "" {
			out = append(out, name)
		}
	}
	return out
}

// copyPrefix begins a line with the file that a text was copied from, instead of a session.
const copyPrefix = "file:"

// Sessions lists the session files that are known to name a blob, whether or not they still
// exist. There may be others, such as copies of a session.
func (s *Store) Sessions(id string) []string {
	return slices.DeleteFunc(s.namesOf(id), func(line string) bool { return strings.HasPrefix(line, copyPrefix) })
}

// namesOf reads the list of a blob, nil when it cannot be read.
func (s *Store) namesOf(id string) []string {
	root, err := s.open()
	if root == nil || err != nil || !ValidID(id) {
		return nil
	}
	defer root.Close()
	return names(root, id)
}

// Name records that a session file names a blob, or that the blob is a copy of a file.
func (s *Store) Name(id, session string) {
	root, err := s.open()
	if root == nil || err != nil || len(id) != idLength || !ValidID(id) {
		return
	}
	defer root.Close()
	addName(root, id, session)
}

// Sources lists the files of which a blob is known to be a copy.
func (s *Store) Sources(id string) []string {
	var out []string
	for _, line := range s.namesOf(id) {
		if path, ok := strings.CutPrefix(line, copyPrefix); ok {
			out = append(out, path)
		}
	}
	return out
}

// CopyOf returns the id of the blob that is a copy of a file, "" without one.
func (s *Store) CopyOf(path string) string {
	all, err := s.List()
	if err != nil {
		return ""
	}
	root, err := s.open()
	if root == nil || err != nil {
		return ""
	}
	defer root.Close()
	for _, i := range all {
		if slices.Contains(names(root, i.ID), copyPrefix+path) {
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
	const before, digits = `"blobId":"`, 64
	for at := 0; ; {
		i := bytes.Index(text[at:], []byte(before))
		if i < 0 {
			return
		}
		at += i + len(before)
		if at+digits > len(text) {
			return
		}
		if id := string(text[at : at+digits]); ValidID(id) {
			fn(id)
		}
	}
}
