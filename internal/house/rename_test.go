//go:build unix

package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// The namespace may not be the project's own: one command gives it another.
func TestOneCommandRenamesTheModuleAndThePackages(t *testing.T) {
	dir := t.TempDir()
	run := func(at, command string) string {
		t.Helper()
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir, cmd.Env = at, append(os.Environ(), "TO="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		return string(out)
	}
	run(root, `git ls-files -z -- ':!testdata' | tar --null -T - -cf - | tar -xf - -C "$TO"`)
	run(dir, "scripts/rename.sh git.example/someone/other @someone/other")
	const old = `coctos` + `tan|npm:pictx|npx pictx|install -g pictx`
	if left := run(dir, "grep -rnIE '"+old+"' --exclude=rename.sh --exclude=rename_test.go . || true"); left != "" {
		t.Errorf("the old names are left:\n%.2000s", left)
	}
	if all := strings.Fields(run(dir, "go list -deps ./cmd/pictx | grep git.example/someone/other")); len(all) < 50 {
		t.Errorf("the module has %d packages: %q", len(all), all)
	}
	for name, part := range map[string]string{"package.json": `"@someone/other-linux-x64"`, "hooks/pi/entries.go": `= "@someone/other"`, "goreleaser.yaml": "owner: someone"} {
		if text := must.Get(os.ReadFile(filepath.Join(dir, name)))(t); !strings.Contains(string(text), part) {
			t.Errorf("%s has no %s", name, part)
		}
	}
}
