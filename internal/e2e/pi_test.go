//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// The versions of pi that testdata/record/setup.sh installs. The newest has
// most of what the others have.
const (
	pi073  = "0.73.1"
	pi087  = "0.87.1"
	newest = "1.6.0"
)

// allTools are pi's built-in tools.
const allTools = "read,bash,edit,write,grep,find,ls"

// cache is where setup.sh installs pi.
func cache() string {
	if dir := os.Getenv("PICTX_PI_CACHE"); dir != "" {
		return dir
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".cache", "pictx-pi")
}

// piCommand is node and pi's script. A pi that is not there skips the test.
func piCommand(t *testing.T, version string) (node, cli string) {
	t.Helper()
	node = filepath.Join(cache(), "node22/node_modules/.bin/node")
	scripts := map[string]string{
		pi073:  "pi073/node_modules/@mariozechner/pi-coding-agent/dist/cli.js",
		pi087:  "pi087/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js",
		newest: "pi160/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js",
	}
	cli = filepath.Join(cache(), scripts[version])
	for _, p := range []string{node, cli} {
		if _, err := os.Stat(p); errors.Is(err, fs.ErrNotExist) {
			must.Stop(t, os.Getenv("PICTX_REQUIRE_PI") == "1", "find pi %s: %v; install it with testdata/record/setup.sh", version, err)
			t.Skipf("not run: pi %s is not installed; install it with testdata/record/setup.sh", version)
		}
	}
	return node, cli
}

// home is a user's home directory with pi's settings and one project.
type home struct {
	model              *model
	version            string
	dir, agent, cwd    string
	bin                string // of pictx; "" is plain pi, without the extension
	transport          string
	env                []string
	flags              []string // more arguments of pi
	extensions         []string // beside ours
	provider           string
	window, keepRecent int
	compaction         bool
	noSession          bool
	packages           []byte  // settings.json as pi install left it
	tools              string  // "" is pi's own choice, and those of extensions
	keeps              float64 // for how many seconds pi believes that the provider keeps a prompt; 0 is unknown
	cost               object  // of the model, instead of that of pi's catalogue
	catalogue          string  // a provider and a model of pi's own catalogue, "provider/model", served by this server
}

// newHome makes a home for a version of pi, with a model of its own.
func newHome(t *testing.T, version string) *home {
	t.Helper()
	piCommand(t, version)
	dir := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	h := &home{model: newModel(t), version: version, dir: dir, agent: filepath.Join(dir, "agent"), cwd: filepath.Join(dir, "shop"), provider: "openai", window: 200_000, keepRecent: 20_000, tools: allTools}
	for _, d := range []string{h.agent, h.cwd, temporary()} {
		must.Do(t, os.MkdirAll(d, 0o755))
	}
	return h
}

// write puts a file into the project.
func (h *home) write(t *testing.T, name, text string) {
	t.Helper()
	p := filepath.Join(h.cwd, name)
	must.Do(t, os.MkdirAll(filepath.Dir(p), 0o755))
	must.Do(t, os.WriteFile(p, []byte(text), 0o644))
}

// empty removes everything from the project.
func (h *home) empty(t *testing.T) {
	t.Helper()
	must.Do(t, os.RemoveAll(h.cwd))
	must.Do(t, os.MkdirAll(h.cwd, 0o755))
}

// configure writes pictx.toml.
func (h *home) configure(t *testing.T, toml string) {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(h.agent, "pictx.toml"), []byte(toml), 0o600))
}

// sessions lists the session files, oldest first: their names begin with a time.
func (h *home) sessions(t *testing.T) []string {
	t.Helper()
	files := must.Get(filepath.Glob(filepath.Join(h.agent, "sessions", "*", "*.jsonl")))(t)
	slices.Sort(files)
	return files
}

// session is the one session file.
func (h *home) session(t *testing.T) string {
	t.Helper()
	files := h.sessions(t)
	must.Stop(t, len(files) != 1, "%d session files, want 1: %v", len(files), files)
	return files[0]
}

// settings writes pi's models.json and settings.json.
func (h *home) settings(t *testing.T) {
	t.Helper()
	spec := object{"contextWindow": h.window, "maxTokens": 4096, "reasoning": true, "input": []string{"text", "image"}, "cost": object{"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75}}
	if h.keeps > 0 {
		spec["promptCache"] = object{"short": h.keeps, "long": 2 * h.keeps}
	}
	named := func(ids ...string) []object {
		var all []object
		for _, id := range ids {
			m := object{"id": id, "name": id}
			maps.Copy(m, spec)
			all = append(all, m)
		}
		return all
	}
	providers := object{
		"openai-local":    object{"baseUrl": h.model.URL + "/v1", "api": "openai-completions", "apiKey": "none", "models": named("scripted")},
		"responses-local": object{"baseUrl": h.model.URL + "/v1", "api": "openai-responses", "apiKey": "none", "models": named("scripted")},
		"anthropic-local": object{"baseUrl": h.model.URL, "api": "anthropic-messages", "apiKey": "none", "models": named("scripted", "second")},
	}
	if h.catalogue != "" {
		h.retarget(providers)
	}
	files := map[string]object{
		"models.json": {"providers": providers},
		"settings.json": {
			"transport":              "sse",
			"compaction":             object{"enabled": h.compaction, "reserveTokens": 4096, "keepRecentTokens": h.keepRecent},
			"retry":                  object{"enabled": false},
			"enableInstallTelemetry": false,
		},
	}
	for name, v := range files {
		text := asJSON(v)
		if name == "settings.json" && h.packages != nil {
			text = h.packages
		}
		must.Do(t, os.WriteFile(filepath.Join(h.agent, name), text, 0o600))
	}
}

// environ is the environment of pi.
func (h *home) environ() []string {
	env := []string{
		"HOME=" + h.dir, "USER=dev", "LOGNAME=dev", "LANG=C.UTF-8", "TMPDIR=" + temporary(), "TERM=dumb", "SHELL=/bin/bash",
		"PATH=" + filepath.Join(cache(), "bin") + ":/usr/local/bin:/usr/bin:/bin",
		"PI_CODING_AGENT_DIR=" + h.agent, "PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0",
		"NODE_COMPILE_CACHE=" + filepath.Join(temporary(), "node"), // a third of what starting one costs
	}
	if h.bin != "" {
		env = append(env, "PICTX_BIN="+h.bin, "PICTX_TRANSPORT="+h.transport)
	}
	return append(env, h.env...)
}

// command is pi with these arguments after the usual ones.
func (h *home) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	h.settings(t)
	node, cli := piCommand(t, h.version)
	all := []string{cli, "--provider", h.provider + "-local", "--model", "scripted"}
	if provider, model, ok := strings.Cut(h.catalogue, "/"); ok {
		all = []string{cli, "--provider", provider, "--model", model}
	}
	if h.tools != "" {
		all = append(all, "--tools", h.tools)
	}
	for _, e := range h.extensions {
		all = append(all, "-e", e)
	}
	if h.bin != "" {
		all = append(all, "-e", extension(t))
	}
	if h.noSession {
		all = append(all, "--no-session")
	}
	cmd := exec.Command(node, append(append(all, h.flags...), args...)...)
	cmd.Dir, cmd.Env = h.cwd, h.environ()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// finished is what a run of pi that has ended left behind.
type finished struct {
	stdout, stderr string
	code           int
}

// run runs pi to its end, without anything to read.
func (h *home) run(t *testing.T, args ...string) finished {
	t.Helper()
	slots <- struct{}{}
	defer func() { <-slots }()
	cmd := h.command(t, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	must.Do(t, cmd.Start())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer stop()
	cmd.Wait()
	must.Stop(t, ctx.Err() != nil, "pi %v did not end\nstdout: %s\nstderr: %s", args, &stdout, &stderr)
	return finished{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// entry is an entry of a session file.
type entry struct {
	Type, ID, TargetID, CustomType string
	ParentID                       *string
	Message                        struct {
		Role       string
		Content    json.RawMessage
		ToolCallID string
	}
	Content     json.RawMessage
	Data        json.RawMessage
	Replacement *struct{ Content json.RawMessage }
	Summary     string
	FromHook    bool
	Label       string
	Raw         json.RawMessage `json:"-"`
}

// entries reads a session file, without its header.
func entries(t *testing.T, file string) []entry {
	t.Helper()
	raw := must.Get(os.ReadFile(file))(t)
	var all []entry
	for line := range bytes.Lines(raw) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		e.Raw = bytes.TrimSpace(line)
		if e.Type != "session" {
			all = append(all, e)
		}
	}
	return all
}

// ofType are the entries of a type.
func ofType(all []entry, kind string) []entry {
	return slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return e.Type != kind })
}

// everything reports whether the tests are run in every version of pi and in both ways to reach
// pictx, which takes four times as long as the choice that is made otherwise.
func everything() bool { return os.Getenv("PICTX_E2E") == "all" }

// alsoOldest runs f with the newest pi and the one that differs most from it: what f holds is what
// older versions are tried with. PICTX_E2E=all adds the version between.
func alsoOldest(t *testing.T, f func(t *testing.T, version string)) {
	versions := []string{newest, pi073}
	if everything() {
		versions = append(versions, pi087)
	}
	onPi(t, f, versions...)
}

// everyPi runs f with the newest pi. PICTX_E2E=all is every pi: what f holds is not done in the same
// way in all of them.
func everyPi(t *testing.T, f func(t *testing.T, version string)) {
	if everything() {
		alsoOldest(t, f)
		return
	}
	onPi(t, f, newest)
}

// byName is a number that a test has for good, so that tests that take one way of several
// do not all take the same.
func byName(t *testing.T) uint32 { return crc32.ChecksumIEEE([]byte(t.Name())) / 2 }

// kindsIn are the kinds of a test that are run in a version of pi: all of them in the newest, and
// the first in others. PICTX_E2E=all is all of them.
func kindsIn(version string, kinds ...string) []string {
	if everything() || version == newest {
		return kinds
	}
	return kinds[:1]
}

// everyWay runs f with the newest pi in both ways to reach pictx, and with older ones.
func everyWay(t *testing.T, f func(t *testing.T, version, transport string)) {
	alsoOldest(t, func(t *testing.T, version string) {
		for _, transport := range transports(version) {
			t.Run(transport, func(t *testing.T) {
				t.Parallel()
				f(t, version, transport)
			})
		}
	})
}

// transports are the ways to reach pictx that tests of both take in a version of pi.
func transports(version string) []string {
	if version == newest || everything() {
		return []string{"serve", "oneshot"}
	}
	return []string{transportOf(version)}
}

// onPi runs f with these versions of pi.
func onPi(t *testing.T, f func(t *testing.T, version string), versions ...string) {
	for _, v := range versions {
		t.Run("pi "+v, func(t *testing.T) {
			piCommand(t, v)
			t.Parallel()
			f(t, v)
		})
	}
}

// eachWay runs f with the newest pi in one of the ways to reach pictx, by name.
// PICTX_E2E=all is every way.
func eachWay(t *testing.T, f func(t *testing.T, version, transport string)) {
	if everything() {
		everyWay(t, f)
		return
	}
	f(t, newest, [...]string{"serve", "oneshot"}[byName(t)%2])
}

// transportOf is the way to reach pictx in tests that run with every pi, but not with
// both ways: 0.87 starts a process for each event.
func transportOf(version string) string {
	if version == pi087 {
		return "oneshot"
	}
	return "serve"
}

// eachTransport runs f with both ways to reach pictx.
func eachTransport(t *testing.T, f func(t *testing.T, transport string)) {
	for _, transport := range []string{"serve", "oneshot"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			f(t, transport)
		})
	}
}
