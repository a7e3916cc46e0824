package console

import (
	"bytes"
	"io"
)

// Hush leaves out remarks and warnings on the way to w: lines that begin with the
// program's name, and their hints. Errors and questions stay. It takes whole lines.
func Hush(w io.Writer) io.Writer { return &hushed{to: w} }

type hushed struct {
	to   io.Writer
	left bool // the last line was left out
}

// Write takes whole lines.
func (h *hushed) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		switch {
		case bytes.HasPrefix(line, []byte("pictx: ")):
			h.left = !bytes.HasPrefix(line, []byte("pictx: error: "))
		case !bytes.HasPrefix(line, []byte("hint: ")):
			h.left = false
		}
		if h.left {
			continue
		}
		if _, err := h.to.Write(line); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Unhushed is what Hush writes to, for forms, or w itself.
func Unhushed(w io.Writer) io.Writer {
	if h, ok := w.(*hushed); ok {
		return h.to
	}
	return w
}
