package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
)

// KeepOutputs copies the whole outputs of which entries of a session have excerpts, from
// dir, where the agent keeps them only for a while. Outputs that are already in the cache
// are skipped. The error names the outputs that could not be copied; the others were.
func (s *Store) KeepOutputs(ctx context.Context, entries [][]byte, dir, session string) error {
	var failed error
	for _, entry := range entries {
		for _, path := range CutOutputs(entry) {
			if filepath.Dir(path) != dir || s.CopyOf(path) != "" {
				continue
			}
			failed = errors.Join(failed, s.keepOutput(ctx, path, session))
		}
	}
	return failed
}

// keepOutput copies a file of the agent. A missing file is skipped, because the session may
// be old.
func (s *Store) keepOutput(ctx context.Context, path, session string) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil
	}
	defer root.Close()
	text, err := readRegular(root, filepath.Base(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("keep output: %w", err)
	}
	info, err := s.Put(ctx, text, session)
	if err != nil {
		return err
	}
	s.Name(info.ID, copyPrefix+path)
	return nil
}

// cutOutput matches how an entry of pi names the file with the whole of a truncated output:
// in the details of a result, in a command of the user, or in the text itself when the
// command failed.
const cutOutput = `(?:"fullOutputPath":"|Full output: )(/[^"\]\s\\]*/pi-[a-z]+-[0-9A-Za-z_-]+\.(?:log|txt|json))`

// CutOutputs lists, without duplicates, the files with the whole of outputs that an entry
// of a session has an excerpt of.
func CutOutputs(entry []byte) []string {
	var out []string
	for _, m := range regexp.MustCompile(cutOutput).FindAllSubmatch(entry, -1) {
		if path := string(m[1]); !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}

// Details describe how a text was truncated, in the format of pi-kota.
type Details struct {
	Truncated     bool   `json:"truncated"`
	BlobID        string `json:"blobId"`
	BlobPath      string `json:"blobPath"`
	OriginalBytes int    `json:"originalBytes"`
	ExcerptBytes  int    `json:"excerptBytes"`
}

// Excerpt stores a text that is longer than budget bytes, and returns its beginning and its
// end with a line between them that says how to get all of it. When storing fails or would
// save nothing, it returns the text unchanged without details. session is as in Put.
func (s *Store) Excerpt(ctx context.Context, text string, budget int, session string) (string, *Details, error) {
	if len(text) <= budget {
		return text, nil, nil
	}
	text = s.mask(text) // the excerpt names the id of the masked text
	id := idOf([]byte(text))
	short := Excerpt(text, budget, ShortID(id))
	if len(short) >= len(text) {
		return text, nil, nil
	}
	info, err := s.Put(ctx, []byte(text), session)
	if err != nil {
		return text, nil, err
	}
	return short, &Details{true, info.ID, info.Path, len(text), len(short)}, nil
}

// Excerpt replaces the middle of a text that is longer than budget bytes by a line that
// says how many bytes are missing and which id has them. It cuts at line ends if some are
// near, else between characters. The line is included however small the budget is.
func Excerpt(text string, budget int, id string) string {
	if len(text) <= budget {
		return text
	}
	// The line is longest when everything is left out.
	room := max(0, budget-len(pointer(len(text), len(text), id))-2)
	tail := tailOf(text, room/3)
	head := headOf(text[:len(text)-len(tail)], room-len(tail))
	line := pointer(len(text)-len(head)-len(tail), len(text), id)
	if head != "" && !strings.HasSuffix(head, "\n") {
		line = "\n" + line
	}
	if tail != "" {
		line += "\n"
	}
	return head + line + tail
}

// pointer returns the line that replaces what is left out.
func pointer(left, all int, id string) string {
	return fmt.Sprintf("[cut: %d of %d bytes; full text: pictx expand %s]", left, all, id)
}

// headOf returns at most n bytes of the beginning of a text.
func headOf(text string, n int) string {
	if n >= len(text) {
		return text
	}
	if line := strings.LastIndexByte(text[:n], '\n') + 1; line*2 > n {
		return text[:line]
	}
	return text[:fence.CutBefore(text, n)]
}

// tailOf returns at most n bytes of the end of a text.
func tailOf(text string, n int) string {
	if n >= len(text) {
		return text
	}
	from := len(text) - n
	if text[from-1] == '\n' {
		return text[from:]
	}
	if i := strings.IndexByte(text[from:], '\n'); i >= 0 && i*2 < n && from+i+1 < len(text) {
		return text[from+i+1:]
	}
	return text[fence.CutAfter(text, from):]
}
