//go:build linux

package commands_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// plainForms has questions asked line by line.
var plainForms = []string{"ACCESSIBLE=1"}

func decisionsIn(t *testing.T, home string) string {
	t.Helper()
	b := must.Get(os.ReadFile(filepath.Join(home, ".pi/decision-memory/decisions.jsonl")))(t)
	return string(b)
}

func TestAPersonIsAskedWhatToDoAboutTheClosestDecisions(t *testing.T) {
	t.Parallel()
	const second = "Use MySQL for the primary database"
	for name, c := range map[string]struct {
		asked []string
		want  string
		code  int
	}{
		"accept":    {[]string{"contradict one of these", "2\r", "Which one", "1\r", "Reason for superseding", "it is here\r"}, `"s":"superseded","r":"it is here"`, 0},
		"import":    {[]string{"Does one of them contradict", "1\r"}, `"s":"active"`, 0},
		"draft":     {[]string{"Does one of them contradict", "2\r"}, `"s":"draft"`, 0},
		"add":       {[]string{"contradict one of these", "1\r"}, second, 0},
		"supersede": {[]string{"contradict one of these", "2\r", "Which one", "1\r", "Reason for superseding", "it is here\r"}, `"s":"superseded","r":"it is here"`, 0},
		"mark":      {[]string{"contradict one of these", "3\r", "Which one", "1\r"}, `"e":"ed"`, 0},
		"update":    {[]string{"contradict one of these", "4\r", "Which one", "1\r"}, `"e":"ed"`, 0},
		"cancel":    {[]string{"contradict one of these", "5\r"}, "", 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			if out, code := underTerminal(t, home, "decision", "add", "Use PostgreSQL for the primary database"); code != 0 {
				t.Fatalf("code %d: %s", code, out)
			}
			args := []string{"decision", "add", second}
			switch name {
			case "accept":
				args = []string{"decision", "accept", added(t, home, "draft", "--force", second)}
			case "import", "draft":
				args = []string{"decision", "import", "record.md"}
				must.Do(t, os.WriteFile(filepath.Join(home, "record.md"), []byte("# MySQL\n\n## Status\n\nAccepted\n\n## Decision\n\n"+second+"\n"), 0o600))
			}
			before := decisionsIn(t, home)
			out, code := openConsole(t, home, plainForms, args...).answer(t, c.asked...)
			must.Stop(t, code != c.code, "code %d, want %d: %s", code, c.code, out)
			added := strings.TrimPrefix(decisionsIn(t, home), before)
			must.Not(t, c.want == "" && added != "" || !strings.Contains(added, c.want), "it wrote %s\n%s", added, out)
		})
	}
}

// added adds decisions without a form and returns their ids.
func added(t *testing.T, home string, args ...string) string {
	t.Helper()
	out, code := underTerminal(t, home, append([]string{"decision"}, args...)...)
	f := strings.Fields(out)
	must.Stop(t, code != 0 || len(f) < 2, "code %d: %s", code, out)
	return f[1]
}

// Holds decisions 46.
func TestAPersonSeesWhatAPurgeWouldRemoveAndIsAsked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		want   string
		flags  []string
		gone   bool // the text
	}{
		"keep":   {"n\r", "not confirmed", nil, false},
		"remove": {"y\r", "purged 1 decision", nil, false},
		"redact": {"y\r", "redacted", []string{"--redact"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			set := "[decisions.retention_days]\ndraft = 0\nrejected = 0\nsuperseded = 0\n"
			must.Do(t, os.MkdirAll(filepath.Join(home, ".pi/agent"), 0o700))
			must.Do(t, os.WriteFile(filepath.Join(home, ".pi/agent/pictx.toml"), []byte(set), 0o600))
			id := added(t, home, "draft", "Use tabs of four")
			out, code := openConsole(t, home, plainForms, append([]string{"decision", "purge"}, c.flags...)...).answer(t, id+", draft for 0 days", "", "Remove 1 decision?", c.answer)
			must.Not(t, (code == 0) == (name == "keep") || !strings.Contains(out, c.want), "code %d: %s", code, out)
			log := decisionsIn(t, home)
			must.Not(t, strings.Contains(log, "Use tabs of four") == c.gone || strings.Contains(log, `"e":"rm"`) == (name == "keep"), "the log: %s", log)
		})
	}
}
