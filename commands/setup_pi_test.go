//go:build linux

package commands_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// TestAPersonIsAskedBeforePackagesAreRemovedFromPi answers the question both ways:
// no is an answer, and the extension is installed all the same.
func TestAPersonIsAskedBeforePackagesAreRemovedFromPi(t *testing.T) {
	t.Parallel()
	const before, after = `{"packages": ["npm:pi-lcm", "npm:other"]}`, `{"packages": [ "npm:other"]}`
	for answer, want := range map[string]string{"y": after, "n": before} {
		agent := filepath.Join(t.TempDir(), "agent")
		settings := filepath.Join(agent, "settings.json")
		must.Do(t, os.MkdirAll(agent, 0o700))
		must.Do(t, os.WriteFile(settings, []byte(before), 0o600))
		env := append(plainForms[:1:1], "PI_CODING_AGENT_DIR="+agent, "TERM=dumb")
		said, code := openConsole(t, filepath.Dir(agent), env, "setup", "pi").answer(t, "Remove pi-lcm from pi's settings?", answer+"\n")
		must.Equal(t, code, 0, "after %s: exit code", answer)
		if got, err := os.ReadFile(settings); err != nil || string(got) != want {
			t.Errorf("after %s the settings are %s, %v; want %s", answer, got, err, want)
		}
		warned := strings.Contains(said, "hint: pi remove npm:pi-lcm")
		must.Not(t, warned == (answer == "y"), "after %s it said how to take it out: %v: %q", answer, warned, said)
		if _, err := os.Stat(filepath.Join(agent, "extensions", "pictx", "index.ts")); err != nil {
			t.Errorf("after %s: %v", answer, err)
		}
	}
}
