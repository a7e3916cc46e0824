package commands_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/commands"
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
)

func TestANewWorkTreeAndASubdirectoryAnswerAtOnceWithoutATerminal(t *testing.T) {
	t.Parallel()
	home := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	environ := []string{"HOME=" + home, "PI_CODING_AGENT_DIR=" + filepath.Join(home, "agent"), "PATH=" + os.Getenv("PATH")}
	for name, text := range map[string]string{"shop/src/a.ts": "import './b'\n", "shop/src/b.ts": "export {}\n", "plain/src/a.ts": "import './b'\n", "plain/src/b.ts": "export {}\n"} {
		p := filepath.Join(home, name)
		must.Do(t, os.MkdirAll(filepath.Dir(p), 0o700))
		must.Do(t, os.WriteFile(p, []byte(text), 0o600))
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "first"},
		{"worktree", "add", "-q", "-b", "other", filepath.Join(home, "tree")},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = filepath.Join(home, "shop"), environ
		out, err := cmd.CombinedOutput()
		must.Stop(t, err != nil, "git %s: %v: %s", args, err, out)
	}
	pictx := func(dir string, args ...string) (code int, out, errs string) {
		var o, e bytes.Buffer
		code = commands.Main(t.Context(), &cli.Env{
			Process: workspace.Process{Dir: filepath.Join(home, dir), Now: time.Now, Environ: environ},
			Args:    args, In: strings.NewReader(""), Out: &o, Err: &e,
		})
		return code, o.String(), e.String()
	}
	for _, dir := range []string{"shop", "plain"} {
		if code, _, errs := pictx(dir, "kota", "index"); code != 0 {
			t.Fatal(errs)
		}
	}
	for _, dir := range []string{"tree", "tree/src", "shop/src"} {
		file := map[bool]string{true: "b.ts", false: "src/b.ts"}[strings.HasSuffix(dir, "src")]
		code, out, errs := pictx(dir, "kota", "deps", file)
		must.Not(t, code != 0 || errs != "" || !strings.HasPrefix(out, "src/b.ts: 1 dependent "), "in %s: %d: %s%s", dir, code, out, errs)
	}
	if code, out, errs := pictx("plain/src", "kota", "deps", "b.ts"); code != 0 || errs != "" || !strings.Contains(out, "b.ts: 1 dependent ") {
		t.Errorf("without git: %d: %s%s", code, out, errs)
	}
}
