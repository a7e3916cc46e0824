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
	"github.com/coctostan/pictx/kota/mcp"
	"github.com/coctostan/pictx/workspace"
)

func TestTheBuiltInEngineAnswersWhileKotaDBIsBusy(t *testing.T) {
	t.Parallel()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(home, "shop")
	for name, text := range map[string]string{".pi/pictx.toml": "", "a.ts": "import './b'\n", "b.ts": "export {}\n"} {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pictx := func(args ...string) (code int, out, errs string) {
		var o, e bytes.Buffer
		code = commands.Main(t.Context(), &cli.Env{
			Process: workspace.Process{Dir: root, Now: time.Now, Environ: []string{"HOME=" + home, "PI_CODING_AGENT_DIR=" + filepath.Join(home, "agent"), "PATH=" + os.Getenv("PATH")}},
			Args:    args,
			In:      strings.NewReader(""),
			Out:     &o,
			Err:     &e,
		})
		return code, o.String(), e.String()
	}
	if code, _, errs := pictx("kota", "index", "--yes"); code != 0 {
		t.Fatal(errs)
	}
	indexes, _ := filepath.Glob(filepath.Join(home, "agent", "pictx", "*.kota"))
	if len(indexes) != 1 {
		t.Fatalf("the indexes are %q", indexes)
	}
	holder, err := mcp.Open(mcp.Options{Root: root, Dir: indexes[0] + "db"})
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs := pictx("kota", "deps", "b.ts", "--engine", "kotadb")
	if code != 0 || !strings.HasPrefix(out, "b.ts: 1 dependent ") || !strings.HasSuffix(out, "index fresh\n") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
	if want := "pictx: KotaDB is busy with another process: the built-in engine answers\n"; errs != want {
		t.Errorf("it says %q", errs)
	}
	if code, _, _ = pictx("kota", "index", "--yes", "--engine", "kotadb"); code != 11 {
		t.Errorf("indexing ends with %d, want 11", code)
	}
	holder.Close()
	if code, _, _ = pictx("kota", "deps", "b.ts", "--engine", "kotadb"); code != 10 {
		t.Errorf("when it is free it ends with %d, want 10: KotaDB has no index", code)
	}
}
