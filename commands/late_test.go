package commands_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/commands"
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/workspace"
)

func TestASearchOfAllProjectsFindsWhatASessionOfAnotherEndedWith(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	run := func(dir string, args ...string) (code int, said string) {
		var out, errs bytes.Buffer
		code = commands.Main(t.Context(), &cli.Env{
			Process: workspace.Process{Dir: dir, Environ: []string{"HOME=" + home, "PI_CODING_AGENT_DIR=" + filepath.Join(home, "agent")}, Now: time.Now},
			Args:    args, In: strings.NewReader(""), Out: &out, Err: &errs,
		})
		return code, out.String() + errs.String()
	}
	var files []string
	for i, text := range []string{"the okapi", "the heron"} {
		dir := filepath.Join(home, []string{"zoo", "lake"}[i])
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		files = append(files, storetest.Session(t, []string{"ab", "cd"}[i], text))
		if code, said := run(dir, "import", files[i]); code != 0 {
			t.Fatal(said)
		}
		if i > 0 {
			continue
		}
		stores, err := filepath.Glob(filepath.Join(home, "agent", "pictx", "*.db"))
		if err != nil || len(stores) != 1 {
			t.Fatal(stores, err)
		}
		text, err := os.ReadFile(files[i])
		if err == nil {
			const last = `{"type":"message","id":"ffffffff","message":{"role":"user","content":"and the pelican"}}` + "\n"
			err = os.WriteFile(files[i], append(text, last...), 0o600)
		}
		if err == nil { // as a session does whose last entries another process kept from the store
			err = workspace.LeaveLate(stores[0], files[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	lake := filepath.Join(home, "lake")
	if code, said := run(lake, "grep", "--scope", "all", "pelican"); code != 0 || !strings.Contains(said, "and the pelican") {
		t.Errorf("exit %d\n%s", code, said)
	}
	if left, _ := filepath.Glob(filepath.Join(home, "agent", "pictx", "late", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
