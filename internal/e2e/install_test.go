//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// installed wants a pi that was told nothing to find the extension and pictx.
func (h *home) installed(t *testing.T) {
	t.Helper()
	bin := h.bin
	h.bin = "" // no -e and no PICTX_BIN
	defer func() { h.bin = bin }()
	p := h.once(t, "Look for anything.", use("lcm_grep", object{"query": "anything"}), say("ok"))
	n := p.notices()
	must.Not(t, len(n) > 0, "told: %q", n)
	must.Not(t, !slices.Contains(h.model.last(t).Tools, "lcm_grep"), "tools: %v", h.model.last(t).Tools)
	contains(t, "what lcm_grep says", latest(t, h.model), "anything")
	h.stored(t)
}

func TestSetupPiInstallsEverythingPiNeeds(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := realHome(t, version, transport).always()
		if out, code := h.cli(t, "setup", "pi"); code != 0 {
			t.Fatalf("setup pi: exit %d: %s", code, out)
		}
		h.installed(t)
		if out, code := h.cli(t, "setup", "pi", "--check"); code != 0 {
			t.Errorf("setup pi --check: exit %d: %s", code, out)
		}
		if out, code := h.cli(t, "uninstall", "--yes"); code != 0 {
			t.Fatalf("uninstall: exit %d: %s", code, out)
		}
		h.model.play(say("ok"))
		h.bin = ""
		p := h.start(t)
		p.prompt("And now?")
		p.close()
		must.Not(t, slices.Contains(h.model.last(t).Tools, "lcm_grep"), "the extension is still there")
	})
}

func TestThePackageWorksWithPictxOnThePath(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := realHome(t, version, transport).always()
		repository := must.Get(filepath.Abs(root))(t)
		h.env = append(h.env, "PATH="+filepath.Join(cache(), "bin")+":"+filepath.Dir(pictx(t))+":/usr/local/bin:/usr/bin:/bin")
		h.settings(t)
		node, cli := piCommand(t, version)
		install := h.command(t)
		install.Path, install.Args = node, []string{node, cli, "install", repository}
		if out, err := install.CombinedOutput(); err != nil {
			t.Fatalf("pi install: %v\n%s", err, out)
		}
		settings, err := os.ReadFile(filepath.Join(h.agent, "settings.json"))
		must.Stop(t, err != nil || !strings.Contains(string(settings), "packages"), "settings: %v %s", err, settings)
		h.packages = settings
		h.installed(t)
	})
}
