package blob

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// KeepOutputs copies the whole outputs of which entries of a session have a part, out
// of the files in dir where the agent leaves them for a while. An output that is
// already in the cache is not read again. An error says which output could not be
// kept; the others are.
func (s *Store) KeepOutputs(entries [][]byte, dir, session string) error {
	var failed error
	for _, entry := range entries {
		for _, path := range CutOutputs(entry) {
			if filepath.Dir(path) != dir || s.CopyOf(path) != "" {
				continue
			}
			failed = errors.Join(failed, s.keepOutput(path, session))
		}
	}
	return failed
}

// keepOutput copies a file of the agent. A file that no longer exists is passed over:
// the session may be an old one.
func (s *Store) keepOutput(path, session string) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil
	}
	defer root.Close()
	st, err := root.Lstat(filepath.Base(path))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !st.Mode().IsRegular() {
		return nil
	}
	if err == nil && st.Size() > MaxText {
		return fmt.Errorf("keep output %s: it has %d bytes, at most %d", path, st.Size(), MaxText)
	}
	f, err := root.Open(filepath.Base(path))
	if err != nil {
		return fmt.Errorf("keep output: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxText+1))
	if err != nil {
		return fmt.Errorf("keep output: %w", err)
	}
	info, err := s.Put(text, session)
	if err != nil {
		return err
	}
	s.note(info.ID, copyPrefix+path)
	return nil
}

// cutOutput is how an entry of pi names the file that holds the whole of an output
// of which it has a part: in the details of a result, in a command of the user, or
// in the text itself when the command failed.
const cutOutput = `(?:"fullOutputPath":"|Full output: )(/[^"\]\s\\]*/pi-[a-z]+-[0-9A-Za-z_-]+\.(?:log|txt|json))`

// CutOutputs lists the files that hold the whole of what an entry of a session has
// a part of, each once.
func CutOutputs(entry []byte) []string {
	var out []string
	for _, m := range regexp.MustCompile(cutOutput).FindAllSubmatch(entry, -1) {
		if path := string(m[1]); !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}
