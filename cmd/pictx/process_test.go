//go:build unix

package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/coctostan/pictx/commands" // what is built: a change of it must run these tests again
	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/internal/must"
)

func TestMain(m *testing.M) {
	code := m.Run()
	for _, b := range builds {
		os.RemoveAll(b.dir)
	}
	os.Exit(code)
}

// builds are the programs that tests run, by their tags: linking one takes seconds.
var builds = make(map[string]*program)

type program struct{ dir, bin string }

// build compiles pictx as it is released, without debugging tables, with these tags, once.
func build(t *testing.T, tags string) string {
	t.Helper()
	if b := builds[tags]; b != nil {
		return b.bin
	}
	dir := must.Get(sharedDir())(t)
	b := &program{dir, filepath.Join(dir, "pictx")}
	cmd := exec.Command("go", "build", "-tags", tags, "-ldflags=-s -w", "-o", b.bin, ".")
	out, err := cmd.CombinedOutput()
	must.Stop(t, err != nil, "%v\n%s", err, out)
	builds[tags] = b
	return b.bin
}

// shared is a temporary directory that other users may read.
func shared(t *testing.T) string {
	t.Helper()
	dir := must.Get(sharedDir())(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func sharedDir() (string, error) {
	dir, err := os.MkdirTemp("", "pictx-test-*")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}

// run is a command in a project of its own.
func run(agentDir, bin string, args ...string) *exec.Cmd {
	cmd := exec.Command(bin, args...)
	cmd.Dir = agentDir
	cmd.Env = []string{"HOME=" + agentDir, "PI_CODING_AGENT_DIR=" + agentDir, "PATH=" + os.Getenv("PATH")}
	return cmd
}

// output runs a command that must end with the given code.
func output(t *testing.T, code int, cmd *exec.Cmd) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	b, err := cmd.Output()
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("%s: exit %d, want %d (%v)\n%s%s", strings.Join(cmd.Args[1:], " "), got, code, err, b, &stderr)
	}
	return string(b)
}

func added(t *testing.T, importJSON string) int {
	t.Helper()
	var v struct{ Added int }
	if err := json.Unmarshal([]byte(importJSON), &v); err != nil {
		t.Fatalf("%v: %s", err, importJSON)
	}
	return v.Added
}

// rows counts the entries of the store, and fails when the store is not sound.
func rows(t *testing.T, agentDir, bin string) int {
	t.Helper()
	var v struct {
		Checks []struct{ Name, Result, Message string }
		Tables []struct {
			Name string
			Rows int
		}
	}
	out := output(t, 0, run(agentDir, bin, "doctor", "--json"))
	must.Do(t, json.Unmarshal([]byte(out), &v))
	for _, c := range v.Checks {
		if c.Result == "error" {
			t.Fatalf("%s: %s", c.Name, c.Message)
		}
	}
	for _, table := range v.Tables {
		if table.Name == "messages" {
			return table.Rows
		}
	}
	return 0
}

func generated(t *testing.T, dir string, messages int) string {
	t.Helper()
	file := filepath.Join(dir, fmt.Sprintf("generated-%d.jsonl", messages))
	f := must.Get(os.Create(file))(t)
	defer f.Close()
	must.Do(t, corpus.Write(f, corpus.Session{ID: fmt.Sprint("generated-", messages), CWD: dir, Messages: messages, Size: 800, Seed: 7}))
	return file
}

// Killed at any moment, an import leaves a sound store, and the next one
// finishes it: nothing is lost and nothing is there twice.
func TestKilledImportIsFinishedByTheNext(t *testing.T) {
	bin, dir := build(t, "sqlite_fts5"), shared(t)
	const messages = 6000
	file := generated(t, dir, messages)
	rng := rand.New(rand.NewSource(time.Now().UnixNano()))
	killed := 0
	for range 5 {
		cmd := run(dir, bin, "import", file)
		must.Do(t, cmd.Start())
		time.Sleep(time.Duration(20+rng.Intn(300)) * time.Millisecond)
		if cmd.Process.Kill() == nil {
			killed++
		}
		cmd.Wait()
		rows(t, dir, bin)
	}
	must.Stop(t, killed == 0, "no import was killed")
	output(t, 0, run(dir, bin, "import", "--json", file))
	must.Equal(t, rows(t, dir, bin), messages+1, "entries")
	must.Equal(t, added(t, output(t, 0, run(dir, bin, "import", "--json", file))), 0, "importing again added")
}

func TestSeveralImportsAtOnceWaitForEachOther(t *testing.T) {
	bin, dir := build(t, "sqlite_fts5"), shared(t)
	a, b := generated(t, dir, 800), generated(t, dir, 500)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			out, err := run(dir, bin, "import", a, b).CombinedOutput()
			must.Not(t, err != nil, "%v: %s", err, out)
		})
	}
	wg.Wait()
	n := rows(t, dir, bin)
	must.Not(t, n != 1302, "%d entries, want 1302", n)
}

func TestStoreThatCannotBeWrittenIsRead(t *testing.T) {
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("not run: needs root, to become a user who may not write")
	}
	bin, dir := build(t, "sqlite_fts5"), shared(t)
	output(t, 0, run(dir, bin, "import", mustAbs(t, "../../testdata/sessions")))
	for path, mode := range map[string]os.FileMode{dir: 0o555, filepath.Join(dir, "pictx"): 0o555} {
		must.Do(t, os.Chmod(path, mode))
	}
	stores := must.Get(filepath.Glob(filepath.Join(dir, "pictx", "*.db*")))(t)
	for _, f := range stores {
		must.Do(t, os.Chmod(f, 0o444))
	}
	nobody := func(args ...string) *exec.Cmd {
		cmd := run(dir, bin, args...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		return cmd
	}
	must.Contain(t, output(t, 0, nobody("grep", "idempotency")), "idempotency", "grep")
	cmd := nobody("import", mustAbs(t, "../../testdata/sessions"))
	out, err := cmd.CombinedOutput()
	must.Not(t, err == nil || strings.Contains(string(out), "panic") || !strings.Contains(string(out), "pictx: "), "import: %v: %s", err, out)
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	abs := must.Get(filepath.Abs(path))(t)
	return abs
}

// A file size limit stands in for a full disk: writing fails in the middle.
func TestFullDiskLosesNothing(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("not run: needs a shell for ulimit")
	}
	bin, dir := build(t, "sqlite_fts5"), shared(t)
	first, second := generated(t, dir, 300), generated(t, dir, 3000)
	output(t, 0, run(dir, bin, "import", first))
	cmd := run(dir, "sh", "-c", `ulimit -f 1500; trap '' XFSZ; exec "$0" import "$1"`, bin, second)
	out, err := cmd.CombinedOutput()
	must.Not(t, err == nil || !strings.Contains(string(out), "pictx: "), "import on a full disk: %v: %s", err, out)
	n := rows(t, dir, bin)
	must.Not(t, n < 301, "%d entries left of 301", n)
	output(t, 0, run(dir, bin, "import", second))
	must.Equal(t, rows(t, dir, bin), 301+3001, "entries")
}

// Killed at any moment, a command that writes a file leaves the old one or the
// new one, and nothing beside it that the next run trips over.
func TestKilledWriterLeavesTheOldFileOrTheNew(t *testing.T) {
	bin, dir := build(t, "sqlite_fts5"), shared(t)
	settings, pruned := filepath.Join(dir, "pictx.toml"), filepath.Join(dir, "pruned.jsonl")
	old := "# mine\n[prune]\nmode = \"manual\" # why\n"
	fresh := strings.Replace(old, "manual", "off", 1)
	session := mustAbs(t, "../../testdata/sessions/shop-main.jsonl")
	whole := output(t, 0, run(dir, bin, "prune", "--apply", session))
	rng := rand.New(rand.NewSource(time.Now().UnixNano()))
	seen := make(map[string]int)
	for range 40 {
		must.Do(t, os.WriteFile(settings, []byte(old), 0o600))
		for _, cmd := range []*exec.Cmd{
			run(dir, bin, "config", "set", "prune.mode", "off"),
			run(dir, bin, "prune", "--apply", "--yes", "-o", pruned, "-c", "prune.mode=auto", session),
		} {
			must.Do(t, cmd.Start())
			time.Sleep(time.Duration(rng.Intn(12000)) * time.Microsecond)
			cmd.Process.Kill()
			cmd.Wait()
		}
		got, err := os.ReadFile(settings)
		must.Stop(t, err != nil || string(got) != old && string(got) != fresh, "%v: %q", err, got)
		seen[string(got)]++
		if got, err := os.ReadFile(pruned); err == nil && string(got) != whole {
			t.Fatalf("half a file of %d bytes, want %d", len(got), len(whole))
		}
	}
	if len(seen) < 2 {
		t.Logf("every run was killed at the same side of its write: %d", len(seen))
	}
	output(t, 0, run(dir, bin, "config", "set", "prune.mode", "off"))
	if got, err := os.ReadFile(settings); err != nil || string(got) != fresh {
		t.Errorf("%v: %q", err, got)
	}
}
