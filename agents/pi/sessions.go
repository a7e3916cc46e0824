package pi

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
)

// Sessions implements history.Source for the session files of pi.
type Sessions struct {
	// Getenv reads the environment, which determines where pi's files are.
	Getenv func(string) string
}

var _ history.Source = Sessions{}

// Find lists pi's session files in a directory and its subdirectories, one level deep as pi
// lays them out. Without a directory it looks where pi keeps them: in
// PI_CODING_AGENT_SESSION_DIR, where pi's settings say, or in "sessions" below pi's
// directory.
func (s Sessions) Find(dir string) ([]string, error) {
	if dir == "" {
		var err error
		if dir, err = s.Dir(); err != nil {
			return nil, err
		}
	}
	files, err := sessionsIn(dir, true)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	sort.Strings(files)
	return files, nil
}

// sessionsIn returns the session files in a directory and, if deep, in those in it.
func sessionsIn(dir string, deep bool) (files []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir() && deep:
			more, failed := sessionsIn(path, false)
			files, err = append(files, more...), errors.Join(err, failed)
		case !e.IsDir() && filepath.Ext(path) == ".jsonl":
			files = append(files, path)
		}
	}
	return files, err
}

// Dir returns the directory in which pi keeps its sessions.
func (s Sessions) Dir() (string, error) {
	agentDir, err := AgentDir(s.Getenv)
	if err != nil {
		return "", err
	}
	dir := cmp.Or(s.Getenv("PI_CODING_AGENT_SESSION_DIR"), readSettings(agentDir).SessionDir, filepath.Join(agentDir, "sessions"))
	return expandHome(dir, homeDir(s.Getenv)), nil
}

// DirName returns the name that pi gives the directory of the sessions of a working directory.
func DirName(cwd string) string {
	return "--" + strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(strings.TrimPrefix(cwd, "/")) + "--"
}

// Head implements history.Source.
func (Sessions) Head(path string) (message.Header, error) { return ReadHeader(path) }

// Read implements history.Source.
func (Sessions) Read(path string) history.File { return File{Path: path} }

// Open implements history.Source.
func (Sessions) Open(path string) (history.Session, error) {
	s, err := Open(path)
	if err != nil {
		return nil, err // not a nil *Session in an interface
	}
	return s, nil
}

// Bytes implements history.Source.
func (Sessions) Bytes(path string) (io.ReadCloser, error) { return openRegular(path) }
