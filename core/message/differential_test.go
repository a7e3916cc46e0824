package message_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// piManager finds an installed pi's session manager and a node to run it.
func piManager(t *testing.T) (node, manager string) {
	t.Helper()
	cache := os.Getenv("PICTX_PI_CACHE")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Skip("not run: no pi installed (PICTX_PI_CACHE is not set and there is no home directory)")
		}
		cache = filepath.Join(home, ".cache", "pictx-pi")
	}
	manager = filepath.Join(cache, "pi087/node_modules/@earendil-works/pi-coding-agent/dist/core/session-manager.js")
	node = filepath.Join(cache, "bin", "node")
	for _, f := range []string{manager, node} {
		if _, err := os.Stat(f); err != nil {
			t.Skipf("not run: no pi installed (testdata/record/setup.sh installs one): %v", err)
		}
	}
	return node, manager
}

// projected is what pi makes of one entry as the leaf.
type projected struct {
	File     string
	Index    int
	Messages []string
}

// For every entry of many random sessions, of all versions of the format, the
// messages are byte for byte those that pi's own code builds.
func TestContextIsWhatPisOwnCodeProjects(t *testing.T) {
	node, manager := piManager(t)
	dir := t.TempDir()
	var files []string
	for seed := int64(0); seed < 120; seed++ {
		file := filepath.Join(dir, fmt.Sprintf("%d.jsonl", seed))
		must.Do(t, os.WriteFile(file, randomSession(seed, int(seed%3)+1, 150), 0o600))
		files = append(files, file)
	}
	cmd := exec.Command(node, append([]string{"testdata/project.mjs", manager}, files...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("pi: %v\n%s", err, stderr.String())
	}
	sessions := make(map[string]*loaded)
	compared := 0
	for in := bufio.NewReader(bytes.NewReader(out)); ; {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var want projected
		must.Do(t, json.Unmarshal(line, &want))
		s := sessions[want.File]
		if s == nil {
			s = loadFile(t, want.File)
			sessions[want.File] = s
		}
		compareProjection(t, s, want)
		compared += len(want.Messages)
	}
	must.Stop(t, len(sessions) != len(files) || compared < 10000, "compared %d messages of %d sessions", compared, len(sessions))
	t.Logf("compared %d messages of %d sessions", compared, len(sessions))
}

func loadFile(t *testing.T, path string) *loaded {
	t.Helper()
	data := must.Get(os.ReadFile(path))(t)
	return load(data)
}

func compareProjection(t *testing.T, s *loaded, want projected) {
	t.Helper()
	n := s.entries()[want.Index]
	texts := s.texts(t, s.Context(n.ID))
	var got []string
	for _, text := range texts {
		sum := sha256.Sum256([]byte(text))
		got = append(got, hex.EncodeToString(sum[:]))
	}
	if slices.Equal(got, want.Messages) {
		return
	}
	for i := range max(len(got), len(want.Messages)) {
		if i >= len(got) || i >= len(want.Messages) || got[i] != want.Messages[i] {
			text := "nothing"
			if i < len(texts) {
				text = texts[i]
			}
			t.Fatalf("%s, entry %d (%s %s): %d messages, pi has %d; the first that differs is %d: %s",
				filepath.Base(want.File), want.Index, n.Type, n.ID, len(got), len(want.Messages), i, text)
		}
	}
}
