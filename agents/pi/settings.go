package pi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
)

// AgentDir returns pi's directory: PI_CODING_AGENT_DIR, else ~/.pi/agent.
func AgentDir(getenv func(string) string) (string, error) {
	home := homeDir(getenv)
	dir := getenv("PI_CODING_AGENT_DIR")
	switch {
	case home == "" && (dir == "" || dir == "~" || strings.HasPrefix(dir, "~/")):
		return "", errors.New("find pi's directory: neither PI_CODING_AGENT_DIR nor HOME is set")
	case dir == "":
		return filepath.Join(home, ".pi", "agent"), nil
	}
	abs, err := filepath.Abs(expandHome(dir, home))
	if err != nil {
		return "", fmt.Errorf("find %s: %w", dir, err)
	}
	return abs, nil
}

func homeDir(getenv func(string) string) string { return cmp.Or(getenv("HOME"), getenv("USERPROFILE")) }

func expandHome(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		return filepath.Join(home, rest)
	}
	return path
}

// settings are the settings of pi that pictx uses.
type settings struct {
	SessionDir string
	KeepRecent int
	TrustsAll  bool
}

// readSettings reads pi's settings. Those that cannot be read are unset.
func readSettings(agentDir string) settings {
	var s struct {
		SessionDir any `json:"sessionDir"`
		Compaction any `json:"compaction"`
		Trust      any `json:"defaultProjectTrust"`
	}
	_ = readJSON(filepath.Join(agentDir, "settings.json"), &s)
	dir, _ := s.SessionDir.(string)
	compaction, _ := s.Compaction.(map[string]any)
	keep, _ := compaction["keepRecentTokens"].(float64)
	return settings{SessionDir: dir, KeepRecent: int(keep), TrustsAll: s.Trust == "always"}
}

// keepRecent is pi's default for KeepRecent, in tokens.
const keepRecent = 20_000

// KeepRecent returns how many tokens of the latest messages pi keeps in a compaction, by
// its settings in these directories, of which the first that says so counts.
func KeepRecent(dirs ...string) int {
	for _, dir := range dirs {
		if n := readSettings(dir).KeepRecent; n > 0 {
			return n
		}
	}
	return keepRecent
}

// ProjectSessions returns the directory of sessions that the project's settings of pi name, ""
// if they name none.
func ProjectSessions(root string) string {
	dir := readSettings(filepath.Join(root, ".pi")).SessionDir
	if dir == "" || filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(root, dir)
}

// Trust returns the user's answers to pi about projects, by directory, and whether pi
// trusts other projects. A null in the file is no answer. If the file holds anything that
// pi rejects, nothing is trusted.
func Trust(agentDir string) (told map[string]*bool, otherwise bool) {
	err := readJSON(filepath.Join(agentDir, "trust.json"), &told)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	return told, readSettings(agentDir).TrustsAll
}

// maxJSON is the maximum size of a JSON file of pi in bytes.
const maxJSON = 16 << 20

// readJSON reads a JSON file of pi, which may begin with a byte order mark. Every hook reads
// these files, so what is not a regular file of a sensible size is not read.
func readJSON(path string, into any) error {
	f, err := openRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxJSON+1))
	if err == nil && len(b) > maxJSON {
		err = fmt.Errorf("read %s: it has more than %d bytes", path, maxJSON)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(bytes.TrimPrefix(b, []byte("\ufeff")), into)
}
