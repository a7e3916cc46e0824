package pi_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/internal/must"
)

func TestWhatPiKeepsIsInItsSettings(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]int{
		`{}`: 20_000, `{"compaction":{"keepRecentTokens":50}}`: 50, "\ufeff{\"compaction\":{\"keepRecentTokens\":7}}": 7,
		`{"compaction":{"keepRecentTokens":"x"}}`: 20_000, `nonsense`: 20_000, `{"compaction":{"keepRecentTokens":-1}}`: 20_000,
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, "settings.json"), []byte(text), 0o600))
		must.Equal(t, pi.KeepRecent(dir), want, "%s", text)
	}
	must.Equal(t, pi.KeepRecent(filepath.Join(dir, "nothere")), 20_000, "without settings")
	must.Do(t, os.WriteFile(filepath.Join(dir, "settings.json"), []byte(`{"compaction":{"keepRecentTokens":50}}`), 0o600))
	must.Equal(t, pi.KeepRecent(filepath.Join(dir, "nothere"), dir), 50, "the second directory")
}

func TestAgentDir(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"HOME": "/home/dev"}, "/home/dev/.pi/agent"},
		{map[string]string{"USERPROFILE": "/users/dev"}, "/users/dev/.pi/agent"},
		{map[string]string{"HOME": "/home/dev", "PI_CODING_AGENT_DIR": "/etc/pi/"}, "/etc/pi"},
		{map[string]string{"HOME": "/home/dev", "PI_CODING_AGENT_DIR": "~/pi"}, "/home/dev/pi"},
		{map[string]string{"HOME": "/home/dev", "PI_CODING_AGENT_DIR": "~"}, "/home/dev"},
		{map[string]string{"PI_CODING_AGENT_DIR": "/etc/pi"}, "/etc/pi"},
		{map[string]string{"PI_CODING_AGENT_DIR": "~/pi"}, ""},
		{map[string]string{}, ""},
	} {
		got, err := pi.AgentDir(func(k string) string { return c.env[k] })
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%v: %q, %v", c.env, got, err)
		}
	}
}

func TestSessionFilesAreFoundWherePiPutsThem(t *testing.T) {
	agent, home := t.TempDir(), t.TempDir()
	env := map[string]string{"HOME": home, "PI_CODING_AGENT_DIR": agent}
	files := func() []string {
		t.Helper()
		got := must.Get((pi.Sessions{Getenv: func(k string) string { return env[k] }}).Find(""))(t)
		return got
	}
	if got := files(); len(got) > 0 {
		t.Errorf("without a directory: %q", got)
	}
	want := func(what string, dir string, names ...string) {
		t.Helper()
		var paths []string
		for _, n := range names {
			paths = append(paths, filepath.Join(dir, n))
		}
		must.Match(t, files(), paths, "%s", what)
	}
	sessions := filepath.Join(agent, "sessions")
	for _, n := range []string{"--home-dev--/b.jsonl", "--home-dev--/a.jsonl", "z.jsonl", "notes.txt", "--home-dev--/deep/no.jsonl"} {
		must.Do(t, os.MkdirAll(filepath.Dir(filepath.Join(sessions, n)), 0o700))
		write(t, filepath.Join(sessions, n), "")
	}
	for _, dir := range []string{filepath.Join(sessions, "dir.jsonl"), filepath.Join(home, "mine"), filepath.Join(home, "env")} {
		must.Do(t, os.Mkdir(dir, 0o700))
	}
	want("by default", sessions, "--home-dev--/a.jsonl", "--home-dev--/b.jsonl", "z.jsonl")

	write(t, filepath.Join(home, "mine", "s.jsonl"), "")
	for _, bad := range []string{"{", `{"sessionDir":5}`, `{"sessionDir":""}`, `{}`} {
		write(t, filepath.Join(agent, "settings.json"), bad)
		want("settings "+bad, sessions, "--home-dev--/a.jsonl", "--home-dev--/b.jsonl", "z.jsonl")
	}
	for _, good := range []string{`{"sessionDir":"~/mine"}`, "\ufeff" + `{"theme":"x","sessionDir":"` + filepath.Join(home, "mine") + `"}`} {
		write(t, filepath.Join(agent, "settings.json"), good)
		want("settings", filepath.Join(home, "mine"), "s.jsonl")
	}
	write(t, filepath.Join(home, "env", "e.jsonl"), "")
	env["PI_CODING_AGENT_SESSION_DIR"] = "~/env"
	want("the environment", filepath.Join(home, "env"), "e.jsonl")
}

func TestAFileInThePlaceOfTheSessionsIsAnError(t *testing.T) {
	if _, err := (pi.Sessions{}).Find(write(t, filepath.Join(t.TempDir(), "f"), "")); err == nil {
		t.Error("no error")
	}
}
