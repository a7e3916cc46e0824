//go:build unix

package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	hooks "github.com/coctostan/pictx/hooks/pi"
	"github.com/coctostan/pictx/internal/must"
)

// installed wants a pi that was told nothing to find the extension and pictx.
func (h *home) installed(t *testing.T) {
	t.Helper()
	bin := h.bin
	h.bin = "" // no -e and no PICTX_BIN
	defer func() { h.bin = bin }()
	p := h.once(t, "Look for anything.", use("lcm_grep", object{"query": "anything"}), say("ok"))
	if n := p.notices(); len(n) > 0 {
		t.Errorf("told: %q", n)
	}
	if !slices.Contains(h.model.last(t).Tools, "lcm_grep") {
		t.Errorf("tools: %v", h.model.last(t).Tools)
	}
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
		if slices.Contains(h.model.last(t).Tools, "lcm_grep") {
			t.Error("the extension is still there")
		}
	})
}

// registry is a registry of npm on this machine.
type registry struct {
	dir, url string
	scripts  string // of this repository
}

func newRegistry(t *testing.T) *registry {
	t.Helper()
	r := &registry{dir: t.TempDir(), scripts: must.Get(filepath.Abs(filepath.Join(root, "packaging", "npm")))(t)}
	must.Do(t, os.MkdirAll(filepath.Join(r.dir, "npm"), 0o755))
	cmd := exec.Command("node", filepath.Join(r.scripts, "registry.mjs"), filepath.Join(r.dir, "npm"))
	stdin, stdout := must.Get(cmd.StdinPipe())(t), must.Get(cmd.StdoutPipe())(t)
	must.Do(t, cmd.Start())
	t.Cleanup(func() { stdin.Close(); cmd.Wait() })
	r.url = strings.TrimSpace(must.Get(bufio.NewReader(stdout).ReadString('\n'))(t))
	return r
}

// publish packs the program of this platform as a release does.
func (r *registry) publish(t *testing.T, version string) {
	t.Helper()
	for name, text := range map[string][]byte{
		"dist/metadata.json":    asJSON(object{"version": version}),
		"dist/artifacts.json":   asJSON([]object{{"type": "Binary", "goos": runtime.GOOS, "goarch": runtime.GOARCH, "path": pictx(t)}}),
		"bin/release/copyright": []byte("The licences.\n"),
	} {
		must.Do(t, os.MkdirAll(filepath.Dir(filepath.Join(r.dir, name)), 0o755))
		must.Do(t, os.WriteFile(filepath.Join(r.dir, name), text, 0o644))
	}
	pack := exec.Command("node", filepath.Join(r.scripts, "pack.mjs"), filepath.Join(r.dir, "dist"), filepath.Join(r.dir, "npm"), "--here")
	if out, err := pack.CombinedOutput(); err != nil {
		t.Fatalf("pack: %v\n%s", err, out)
	}
}

// pi runs a command of pi that changes its packages.
func (h *home) pi(t *testing.T, args ...string) {
	t.Helper()
	node, cli := piCommand(t, h.version)
	cmd := h.command(t)
	cmd.Path, cmd.Args = node, append([]string{node, cli}, args...)
	cmd.Env = append(cmd.Env, "PI_OFFLINE=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pi %v: %v\n%s", args, err, out)
	}
	h.packages = must.Get(os.ReadFile(filepath.Join(h.agent, "settings.json")))(t)
}

func TestPiInstallsUpdatesAndRemovesThePackageWithTheProgram(t *testing.T) {
	t.Parallel()
	r := newRegistry(t)
	r.publish(t, "1.0.0")
	h := newHome(t, newest).always()
	h.tools, h.extensions = "", []string{helper(t)}
	h.env = append(h.env, "PICTX_HOOK_MS=60000", "npm_config_registry="+r.url, "npm_config_cache="+filepath.Join(r.dir, "cache"))
	p := h.start(t)
	h.pi(t, "install", "npm:"+hooks.PackageName)
	p.slash("/e2e-reload")
	p.ask("Look for anything.", use("lcm_grep", object{"query": "anything"}), say("ok"))
	contains(t, "what lcm_grep says", latest(t, h.model), "anything")
	p.finish()
	h.stored(t)
	if out, code := h.cli(t, "setup", "--check"); code != 0 {
		t.Errorf("setup --check: exit %d: %s", code, out)
	}
	r.publish(t, "1.0.1")
	h.pi(t, "update", "npm:"+hooks.PackageName)
	for _, name := range []string{hooks.PackageName + "/package.json", "@*/*-" + runtime.GOOS + "-*/package.json"} {
		found := must.Get(filepath.Glob(filepath.Join(h.agent, "npm", "node_modules", name)))(t)
		contains(t, name, string(must.Get(os.ReadFile(strings.Join(found, " ")))(t)), `"1.0.1"`)
	}
	h.pi(t, "remove", "npm:"+hooks.PackageName)
	if left := must.Get(filepath.Glob(filepath.Join(h.agent, "npm", "node_modules", "*", "*")))(t); len(left) > 0 {
		t.Errorf("pi remove leaves %q", left)
	}
}
