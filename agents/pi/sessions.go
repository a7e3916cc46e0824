package pi

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
)

// Sessions are the sessions that pi keeps, each in a file.
type Sessions struct {
	// Getenv returns the variables of the environment by which pi finds its files.
	Getenv func(string) string
}

var _ history.Source = Sessions{}

// Find lists pi's session files: without a directory those under the agent directory's
// sessions, or where PI_CODING_AGENT_SESSION_DIR or pi's settings put them. Subdirectories
// are looked at one level deep, as pi lays them out.
func (s Sessions) Find(dir string) ([]string, error) {
	if dir == "" {
		var err error
		if dir, err = s.dir(); err != nil {
			return nil, err
		}
	}
	subs, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	files := sessionsIn(dir, subs)
	for _, sub := range subs {
		if !sub.IsDir() {
			continue
		}
		path := filepath.Join(dir, sub.Name())
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, fmt.Errorf("list sessions: %w", err)
		}
		files = append(files, sessionsIn(path, entries)...)
	}
	sort.Strings(files)
	return files, nil
}

// sessionsIn picks the session files of a directory.
func sessionsIn(dir string, entries []os.DirEntry) []string {
	var files []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".jsonl" && !e.IsDir() {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	return files
}

// dir is where pi keeps its sessions.
func (s Sessions) dir() (string, error) {
	agentDir, err := AgentDir(s.Getenv)
	if err != nil {
		return "", err
	}
	dir := s.Getenv("PI_CODING_AGENT_SESSION_DIR")
	if dir == "" {
		dir = readSettings(agentDir).SessionDir
	}
	if dir == "" {
		dir = filepath.Join(agentDir, "sessions")
	}
	return expandHome(dir, homeDir(s.Getenv)), nil
}

// Head returns the header of the session file at path: its first entry.
func (Sessions) Head(path string) (message.Header, error) {
	f, err := openRegular(path)
	if err != nil {
		return message.Header{}, err
	}
	defer f.Close()
	// pi itself looks for the header in the first megabyte.
	r := NewReader(io.LimitReader(f, 1<<20), message.Position{})
	for {
		l, err := r.Next()
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return message.Header{}, fmt.Errorf("read session %s: %w", path, err)
		case err != nil, l.Err == nil && l.Entry.Header == nil:
			return message.Header{}, fmt.Errorf("read session %s: it has no header", path)
		case l.Err == nil:
			return *l.Entry.Header, nil
		}
	}
}

// Read implements history.Source.
func (Sessions) Read(path string) history.File { return File{Path: path} }

// Open implements history.Source.
func (Sessions) Open(path string) (history.Session, error) {
	s, err := Open(path)
	if err != nil {
		return nil, err // and no nil *Session in an interface
	}
	return s, nil
}

// Bytes implements history.Source.
func (Sessions) Bytes(path string) (io.ReadCloser, error) { return openRegular(path) }
