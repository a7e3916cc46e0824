package commands_test

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"
	_ "time/tzdata" // scripts run in a zone of their own on any machine

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/coctostan/pictx/commands"
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/kotastub"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pictx": pictxMain, "kotadb-stub": kotastub.Main, "jq": jqMain})
}

// pictxMain is cmd/pictx, as the scripts run it.
func pictxMain() {
	env := cli.System(os.Getenv("TEST_VERSION"))
	if self, err := exec.LookPath(os.Args[0]); err == nil { // this binary is pictx by its name
		env.Self, _ = filepath.Abs(self)
	}
	if file := os.Getenv("TEST_DIARY"); file != "" {
		env.Sources = []history.Source{diary{file}}
	}
	if now, err := time.Parse(time.RFC3339, os.Getenv("TEST_NOW")); err == nil {
		from := time.Now()
		env.Now = func() time.Time { return now.Add(time.Since(from)) }
	}
	env.HookDeadline = time.Minute // what a loaded machine does is not what the scripts pin
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ended := commands.EndSoon(ctx, env, os.Exit)
	code := commands.Main(ctx, env)
	ended()
	stop()
	os.Exit(code)
}

// TestScripts runs testdata/script. A script works in an empty directory that is
// its project, with an empty home and agent directory, in a time zone that is
// not UTC. $DATA is the repository's testdata.
func TestScripts(t *testing.T) {
	t.Parallel()
	data := must.Get(filepath.Abs("../testdata"))(t)
	testscript.Run(t, testscript.Params{
		WorkdirRoot:         scriptRoot(t),
		Files:               scripts(t, filepath.Join(data, "script")),
		Cmds:                verbs(),
		RequireUniqueNames:  true,
		RequireExplicitExec: false,
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Getuid() == 0, nil
			case "fts5":
				return sqlite.Library().FullText, nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("PI_CODING_AGENT_DIR", filepath.Join(home, ".pi", "agent"))
			env.Setenv("AGENT", filepath.Join(home, ".pi", "agent"))
			env.Setenv("DATA", data)
			env.Setenv("TZ", "Asia/Kolkata")
			env.Setenv("GORACE", os.Getenv("GORACE")) // how long the race detector waits at a process's end
			if !keepsScripts() {
				env.Defer(func() { removeTree(env.WorkDir) })
			}
			return os.MkdirAll(filepath.Join(home, ".pi", "agent"), 0o700)
		},
	})
}

// scriptRoot creates the directory of all scripts. The one of testscript stays where -run
// selects some of the scripts.
func scriptRoot(t *testing.T) string {
	t.Helper()
	root := must.Get(os.MkdirTemp("", "pictx-script"))(t)
	if !keepsScripts() {
		t.Cleanup(func() { removeTree(root) })
	}
	return root
}

// keepsScripts reports whether -testwork was given.
func keepsScripts() bool {
	f := flag.Lookup("testwork")
	return f != nil && f.Value.String() == "true"
}

// removeTree deletes a directory, those that cannot be written to included.
func removeTree(dir string) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}

// scripts lists the scripts, with -short those of commands that do several things at
// once: the others show nothing to the race detector, which makes each process slow.
func scripts(t *testing.T, dir string) []string {
	t.Helper()
	names := []string{"*"}
	if testing.Short() {
		names = []string{"compact", "grep_regex", "hook", "import", "kota", "replay", "sessions"}
	}
	var out []string
	for _, name := range names {
		files, err := filepath.Glob(filepath.Join(dir, name+".txtar"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no script is called %s (%v)", name, err)
		}
		out = append(out, files...)
	}
	return out
}
