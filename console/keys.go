package console

import (
	"io"
	"os"
	"sync/atomic"
)

// Keys is the input of one form. The library that draws forms may leave a reader behind
// that still waits for the terminal when its form is over: it would take the first key of
// the next one. After the function that comes with it Keys reads nothing more.
func Keys(in io.Reader) (io.Reader, func()) {
	file, ok := in.(*os.File)
	if !ok {
		return in, func() {}
	}
	k := &keys{File: file}
	return k, func() { k.over.Store(true) }
}

// keys is a file, because a form wants its descriptor.
type keys struct {
	*os.File
	over atomic.Bool
}

// Read implements io.Reader.
func (k *keys) Read(p []byte) (int, error) {
	if k.over.Load() {
		return 0, io.EOF
	}
	return k.File.Read(p)
}
