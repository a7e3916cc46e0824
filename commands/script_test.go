package commands_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
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
	"github.com/coctostan/pictx/workspace"
)

func TestMain(m *testing.M) {
	programs := map[string]func(){"kotadb-stub": kotastub.Main, "jq": jqMain}
	name := filepath.Base(os.Args[0])
	if name == "pictx" {
		pictxMain()
	}
	if programs[name] != nil {
		testscript.Main(m, programs)
	}
	bin, err := os.MkdirTemp("", "pictx-bin")
	there, zerr := time.LoadLocation(zone)
	if err := errors.Join(err, zerr, copySelf(filepath.Join(bin, "pictx"))); err != nil {
		panic(err)
	}
	time.Local = there
	os.Setenv("GIT_CONFIG_GLOBAL", os.DevNull) // git runs with the environment of this process
	os.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	testscript.Main(cleaning{m, bin}, programs)
}

// copySelf copies this program, which is pictx by its name.
func copySelf(to string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(self)
	return errors.Join(err, os.WriteFile(to, text, 0o755))
}

// cleaning are tests after which a directory goes.
type cleaning struct {
	*testing.M
	dir string
}

func (c cleaning) Run() int {
	defer os.RemoveAll(c.dir)
	return c.M.Run()
}

// zone is where scripts run: not in UTC.
const zone = "Asia/Kolkata"

// pictxMain is cmd/pictx, as the scripts run it.
func pictxMain() {
	env := cli.System(os.Getenv("TEST_VERSION"))
	if self, err := exec.LookPath(os.Args[0]); err == nil { // this binary is pictx by its name
		env.Self, _ = filepath.Abs(self)
	}
	configure(env, os.Getenv)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ended := commands.EndSoon(ctx, env, os.Exit)
	code := commands.Main(ctx, env)
	ended()
	stop()
	os.Exit(code)
}

// configure has an environment do what variables of a script say.
func configure(env *cli.Env, get func(name string) string) {
	if file := get("TEST_DIARY"); file != "" {
		env.Sources = []history.Source{diary{file}}
	}
	if now, err := time.Parse(time.RFC3339, get("TEST_NOW")); err == nil {
		from := time.Now()
		env.Now = func() time.Time { return now.Add(time.Since(from)) }
	}
	env.HookDeadline = time.Minute // what a loaded machine does is not what the scripts pin
}

// runPictx is the verb pictx ARGS...: it runs pictx in this process, which takes half the time of starting one. exec
// pictx starts one, as what needs standard input does, and what git, or the C library, reads of
// the environment.
func runPictx(ts *testscript.TestScript, neg bool, args []string) {
	if code := pictx(ts, args); (code != 0) != neg {
		ts.Fatalf("pictx ended with %d", code)
	}
}

// pictx runs a command and returns its exit code: in this process, or in one of its own.
func pictx(ts *testscript.TestScript, args []string) int {
	gits := slices.ContainsFunc(scriptVariables(), func(name string) bool { // what pictx asks of git needs no configuration
		return strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "GIT_CONFIG_") && ts.Getenv(name) != ""
	})
	if gits || wantsProcess(args) || ts.Getenv("PATH") != os.Getenv("PATH") || ts.Getenv("TZ") != zone {
		return endedWith(ts, ts.Exec("pictx", args...))
	}
	env := &cli.Env{
		Process: workspace.Process{Dir: ts.MkAbs("."), Now: time.Now, Version: ts.Getenv("TEST_VERSION")},
		Args:    args, In: strings.NewReader(""), Out: ts.Stdout(), Err: ts.Stderr(),
	}
	for _, name := range scriptVariables() {
		if v := ts.Getenv(name); v != "" {
			env.Environ = append(env.Environ, name+"="+v)
		}
	}
	env.Self, _ = exec.LookPath("pictx")
	configure(env, ts.Getenv)
	return commands.Main(context.Background(), env)
}

// openStores are the files of stores below a directory that this process has open, where the
// system says so.
func openStores(dir string) []string {
	var out []string
	open, _ := filepath.Glob("/proc/self/fd/*")
	for _, fd := range open {
		if file, err := os.Readlink(fd); err == nil && strings.HasPrefix(file, dir+"/") && strings.Contains(file, ".db") {
			out = append(out, file)
		}
	}
	return out
}

// wantsProcess reports whether a command wants a process of its own: for the directory in which a
// command of the user runs.
func wantsProcess(args []string) bool { return slices.Contains(args, "--command") }

// scriptVariables are the names of the variables that some script sets, and of those that all have.
var scriptVariables = sync.OnceValue(func() []string {
	names := []string{"HOME", "PATH", "PI_CODING_AGENT_DIR", "TMPDIR", "TZ"}
	files, _ := filepath.Glob("../testdata/script/*.txtar") // TestScripts fails without them
	for _, f := range files {
		text, _ := os.ReadFile(f)
		for _, line := range regexp.MustCompile(`(?m)^(?:\[[^\]]*\] )?env .*`).FindAllString(string(text), -1) {
			for _, m := range regexp.MustCompile(`(\w+)=`).FindAllStringSubmatch(line, -1) {
				names = append(names, m[1])
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
})

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
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("PI_CODING_AGENT_DIR", filepath.Join(home, ".pi", "agent"))
			env.Setenv("AGENT", filepath.Join(home, ".pi", "agent"))
			env.Setenv("DATA", data)
			env.Setenv("TZ", zone)
			env.Setenv("GORACE", os.Getenv("GORACE")) // how long the race detector waits at a process's end
			env.Defer(func() {
				if left := openStores(env.WorkDir); len(left) > 0 {
					env.T().Fatal("a command left open:", left)
				}
				if !keepsScripts() {
					removeTree(env.WorkDir)
				}
			})
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
		names = []string{"compact", "grep_regex", "import", "kota", "replay"}
	}
	var out []string
	for _, name := range names {
		files, err := filepath.Glob(filepath.Join(dir, name+".txtar"))
		must.Stop(t, err != nil || len(files) == 0, "no script is called %s (%v)", name, err)
		out = append(out, files...)
	}
	return out
}
