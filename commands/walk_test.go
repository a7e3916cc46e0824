package commands_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands"
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/workspace"
)

// instead are the examples that cannot run as they stand, with what runs in the place of
// each, and why.
var instead = map[string][2]string{
	"pictx browse":                       {"pictx sessions", "it needs a terminal: TestBrowse… run it in one"},
	"pictx browse rounding of discounts": {"pictx grep rounding of discounts", "it needs a terminal"},
	"pictx browse --all":                 {"pictx sessions --all", "it needs a terminal"},
	"pictx log -f":                       {"pictx log", "it runs until it is interrupted"},
	"pictx object watch":                 {"pictx object watch --once", "it runs until it is interrupted"},
	"pictx object list 'tool:bash status:fail size:>10k'":             {"pictx object list 'tool:bash status:fail size:>10'", "the call that is stored here is small"},
	"pictx compact 01a1fe4b --model anthropic/claude-haiku-4-5 --yes": {"pictx compact 01a1fe4b --model anthropic/claude-haiku-4-5 --dry-run", "it asks a model"},
	"source <(pictx completion zsh)":                                  {"pictx completion zsh", "it needs zsh"},
	"pictx completion powershell | Out-String | Invoke-Expression":    {"pictx completion powershell", "it needs PowerShell"},
	"pictx blobs purge 3f9a2c1b77ab":                                  {"pictx blobs purge 3f9a2c1b77ab --yes", "it asks a person"},
	"pictx blobs purge --match 'api[_-]key'":                          {"pictx blobs purge --match 'api[_-]key' --yes", "it asks a person"},
	"pictx decision init":                                             {"pictx decision init --yes", "it asks a person"},
	"pictx decision purge":                                            {"pictx decision purge --yes", "it asks a person"},
	"pictx history purge --match 'BEGIN [A-Z ]*PRIVATE KEY'":          {"pictx history purge --match 'BEGIN [A-Z ]*PRIVATE KEY' --yes", "it asks a person"},
	"pictx history restore ~/shop-history.db && pictx import":         {"pictx history restore ~/backup.db --yes && pictx import", "it asks a person"},
	"pictx store adopt ~/old/place/of/shop":                           {"pictx store adopt ~/old/place/of/shop --yes", "it asks a person"},
	"pictx setup":                                                     {"pictx setup --print --yes", "it asks a person"},
	"pictx uninstall --purge":                                         {"pictx uninstall --purge --yes", "it asks a person"},
}

// verdicts are the examples whose exit code is a verdict about the prepared project.
var verdicts = map[string]int{
	"pictx decision diff v1.2..HEAD --exit-code":                       1, // there are differences
	"pictx history purge --before 26w --yes":                           3, // everything is younger
	"pictx history redact --known-keys --dry-run":                      3, // no key is in the session
	"pictx log --failed -n 5":                                          3, // nothing failed
	`pictx object list -- '-type:file "rounding error" at:2026-11-20'`: 3, // the call was later that day
}

// schemas are the commands that print what another prints, or several things.
var schemas = map[string]string{
	"config get": "config", "config list": "config",
	"pins": "pin", "object history": "object list",
	"object deactivate": "object activate", "object nickname": "object activate",
	"decision show": "decision list",
	"decision edit": "decision add", "decision remove": "decision add", "decision supersede": "decision add",
	"decision accept": "decision add", "decision reject": "decision add",
	"decision conflict": "decision add", "decision resolve": "decision add",
}

// prepared are the ids in examples that stand for others in the prepared project, by the
// name of the variable in the script; those that begin with a command are for its
// examples alone.
var prepared = [][2]string{
	{"3f9a2c1b77ab", "BLOB"},
	{"s-3f9a2c1b", "SUMMARY"},
	{"decision accept K3F9", "DRAFT"},
	{"decision reject K3F9", "DRAFT"},
	{"decision resolve K3F9", "TORN"},
	{"o-3f9a", "OBJECT"},
	{"K3F9", "DECISION"},
	{"7QXA", "OTHER"},
}

// example is a line of a command's examples.
type example struct {
	cmd  *cobra.Command
	line string
}

// examples returns every example of every command, each once.
func examples() []example {
	var out []example
	seen := make(map[string]bool)
	root := commands.Root(&cli.Env{})
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Example) {
			line = strings.TrimSpace(line)
			if line != "" && !strings.HasPrefix(line, "#") && !seen[line] {
				seen[line] = true
				of := cmd
				if words, ok := strings.CutPrefix(line, "pictx "); ok {
					if named, _, err := root.Find(strings.Fields(words)); err == nil {
						of = named
					}
				}
				out = append(out, example{of, line})
			}
		}
		for _, c := range cmd.Commands() {
			look(c)
		}
	}
	look(root)
	return out
}

// runExamples HOME PROJECT: runs every example of the help, each in the home and the
// project as they are now. It ends with 0 or its verdict. The first of each command with
// --json that prints something runs with that too, and what it prints fits its schema.
func runExamples(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 2, "examples HOME PROJECT")
	var dirs []string
	for _, d := range args {
		dirs = append(dirs, ts.MkAbs(d))
		ts.Check(exec.Command("cp", "-a", ts.MkAbs(d), ts.MkAbs(d)+".saved").Run())
	}
	saved := contents(ts, dirs)
	run := func(line string) (code int, out []byte, said string) {
		restore(ts, dirs, saved)
		for _, p := range prepared {
			tail := p[0][strings.LastIndexByte(p[0], ' ')+1:]
			if strings.Contains(line, p[0]) {
				line = strings.ReplaceAll(line, tail, ts.Getenv(p[1]))
			}
		}
		if words, ok := plainly(line); ok && !wantsProcess(words) {
			return runHere(ts, dirs[1], words)
		}
		cmd := exec.Command("bash", "-c", line)
		cmd.Dir, cmd.Env = dirs[1], environ(ts)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if exitErr := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exitErr) {
			ts.Check(err)
		}
		return cmd.ProcessState.ExitCode(), out, errs.String()
	}
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	printed := make(map[string]bool)
	left := make(map[string]bool)
	for line := range instead {
		left[line] = true
	}
	for _, e := range examples() {
		line := e.line
		if other, ok := instead[line]; ok {
			delete(left, line)
			line = other[0]
		}
		code, out, said := run(line)
		if code != verdicts[e.line] {
			fault("%s: %s: exit code %d: %s%s", e.cmd.CommandPath(), line, code, said, out)
			continue
		}
		key := schemaOf(e.cmd, line)
		if printed[e.cmd.CommandPath()+key] || key == "" {
			continue
		}
		if alone := jsonOf(line); alone != line {
			line = alone
			_, out, said = run(line)
		}
		docs, err := documents(out)
		for _, doc := range docs {
			err = cmp.Or(err, closedSchema(ts, key).Validate(doc))
		}
		if err != nil {
			fault("%s: %v: %s", line, err, said)
		}
		printed[e.cmd.CommandPath()+key] = len(docs) > 0
	}
	for _, e := range examples() {
		if key := schemaOf(e.cmd, e.line); key != "" && !printed[e.cmd.CommandPath()+key] {
			fault("no example of %s prints JSON, as in %s", e.cmd.CommandPath(), e.line)
		}
	}
	for line := range left {
		fault("%s is no example", line)
	}
	slices.Sort(faults)
	if len(faults) > 0 {
		ts.Fatalf("%d faults:\n%s", len(faults), strings.Join(faults, "\n"))
	}
}

// plainly returns the arguments of a line that is a command of pictx and asks nothing of a shell.
func plainly(line string) (words []string, ok bool) {
	const word = ` (?:'([^']*)'|"([^"$\\` + "`" + `]*)"|([\w@%+=:,./-]+))`
	if !regexp.MustCompile(`^pictx(?:` + word + `)*$`).MatchString(line) {
		return nil, false
	}
	for _, m := range regexp.MustCompile(word).FindAllStringSubmatch(line, -1) {
		words = append(words, m[1]+m[2]+m[3])
	}
	return words, true
}

// runHere runs pictx in this process, as bash would in one of its own.
func runHere(ts *testscript.TestScript, dir string, args []string) (code int, out []byte, said string) {
	var stdout, stderr bytes.Buffer
	env := &cli.Env{
		Process: workspace.Process{Dir: dir, Now: time.Now, Version: ts.Getenv("TEST_VERSION"), Environ: environ(ts)},
		Args:    args, In: strings.NewReader(""), Out: &stdout, Err: &stderr,
	}
	env.Self, _ = exec.LookPath("pictx")
	configure(env, ts.Getenv)
	code = commands.Main(context.Background(), env)
	if left := openStores(ts.Getenv("WORK")); len(left) > 0 {
		ts.Fatalf("pictx %v left open: %v", args, left)
	}
	return code, stdout.Bytes(), stderr.String()
}

// contents is what is in directories: each path with its mode, and a file's size and time.
func contents(ts *testscript.TestScript, dirs []string) map[string]string {
	out := make(map[string]string)
	for _, d := range dirs {
		ts.Check(filepath.WalkDir(d, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			out[path] = info.Mode().String()
			if !e.IsDir() {
				out[path] += fmt.Sprint(" ", info.Size(), " ", info.ModTime().UnixNano())
			}
			return nil
		}))
	}
	return out
}

// restore makes directories again what they were when they were copied to .saved: only
// what has changed is copied back. SQLite makes the memory it shares anew.
func restore(ts *testscript.TestScript, dirs []string, saved map[string]string) {
	now := contents(ts, dirs)
	for path, is := range now {
		if is != saved[path] || strings.HasSuffix(path, "-shm") {
			ts.Check(os.RemoveAll(path))
		}
	}
	for _, d := range dirs {
		for _, path := range slices.Sorted(maps.Keys(saved)) {
			name, inside := strings.CutPrefix(path, d)
			if !inside || strings.HasSuffix(path, "-shm") {
				continue
			}
			if _, err := os.Lstat(path); err != nil {
				ts.Check(copyBack(d+".saved"+name, path))
			}
		}
	}
}

// copyBack copies a file, or makes a directory, with its mode and time.
func copyBack(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.Mkdir(to, info.Mode().Perm())
	}
	if info.Mode().Type() == fs.ModeSymlink {
		target, err := os.Readlink(from)
		return errors.Join(err, os.Symlink(target, to))
	}
	text, err := os.ReadFile(from)
	return errors.Join(err, os.WriteFile(to, text, info.Mode().Perm()), os.Chmod(to, info.Mode().Perm()), os.Chtimes(to, info.ModTime(), info.ModTime()))
}

// environ is the environment of a script.
func environ(ts *testscript.TestScript) []string {
	var out []string
	for _, name := range []string{"HOME", "PATH", "PI_CODING_AGENT_DIR", "TZ", "TEST_NOW", "PICTX_NOW", "GIT_CONFIG_GLOBAL", "USER", "PI_SESSION_ID"} {
		out = append(out, name+"="+ts.Getenv(name))
	}
	return out
}

// jqMain is what the examples need of jq: an expression over documents of JSON in a file
// or standard input.
func jqMain() {
	expression, file := "", "-"
	for i, arg := range slices.DeleteFunc(os.Args[1:], func(a string) bool { return strings.HasPrefix(a, "-") }) {
		if i == 0 {
			expression = arg
		} else {
			file = arg
		}
	}
	in := os.Stdin
	var err error
	if file != "-" {
		in, err = os.Open(filepath.Clean(file))
	}
	view, verr := cli.NewQuery(context.Background(), expression, nil, false)
	err = errors.Join(err, verr)
	for dec := jsontext.NewDecoder(in); err == nil; {
		var doc jsontext.Value
		if doc, err = dec.ReadValue(); err == nil {
			err = view.Show(os.Stdout, doc)
		}
	}
	if !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, "jq:", err)
		os.Exit(1)
	}
}

// schemaOf is the name of the schema for what a command line prints as JSON, "" for a
// command that prints none.
func schemaOf(cmd *cobra.Command, line string) string {
	// An export to standard output is what was asked for, and watch prints what changed.
	if cmd.Flags().Lookup("json") == nil || strings.Contains(line, "export --format md") || cmd.CommandPath() == "pictx object watch" {
		return ""
	}
	key := strings.TrimPrefix(cmd.CommandPath(), "pictx ")
	for _, part := range []string{"replay --check", "replay --plans", "kota context --query"} {
		if before, flag, _ := strings.Cut(part, " --"); key == before && strings.Contains(line, " --"+flag) {
			return part
		}
	}
	return cmp.Or(schemas[key], key)
}

// afterCommand is what a shell makes of the output of a command, or does after it.
var afterCommand = regexp.MustCompile(` (\||&&|\|\||>).*`)

// jsonOf is the command of a line with --json, before the arguments that are not flags.
func jsonOf(line string) string {
	line = afterCommand.ReplaceAllString(line, "")
	if strings.Contains(line, " --json") {
		return line
	}
	if before, after, ok := strings.Cut(line, " -- "); ok {
		return before + " --json -- " + after
	}
	return line + " --json"
}
