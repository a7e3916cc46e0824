package blob

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// overlap is how much of what was looked at is looked at again with what follows:
// more than what names a blob takes.
const overlap = 512

// EachNamed calls fn with every id that stands in the details of a result which was
// cut, and with the file of every output that pi has cut. It looks at bytes alone:
// parsing every session would take seconds.
func EachNamed(r io.Reader, fn func(idOrFile string)) error {
	in := bufio.NewReaderSize(r, 1<<20)
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

// eachBlobID calls fn with every id in the details of results.
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
