package commands

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/internal/clitest"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/workspace"
)

// runnable calls f with every command that can be run.
func runnable(cmd *cobra.Command, f func(*cobra.Command)) {
	if cmd.Runnable() && !cmd.DisableFlagParsing {
		f(cmd)
	}
	for _, c := range cmd.Commands() {
		runnable(c, f)
	}
}

// placeholder is an argument in the line that says how a command is used; flags that
// have to be given are not arguments.
var placeholder = regexp.MustCompile(`\[?[A-Z][A-Z|]*\]?`)

func TestUnknownFlagsAndSurplusArgumentsAreErrorsWithAHint(t *testing.T) {
	t.Parallel()
	root := Root(&cli.Env{Process: workspace.Process{Dir: t.TempDir(), Now: clitest.Now, Environ: []string{"HOME=" + t.TempDir()}}})
	runnable(root, func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		lines := [][]string{append(path[:len(path):len(path)], "--no-such-flag")}
		if !strings.ContainsAny(cmd.Use, "….") {
			line := path[:len(path):len(path)]
			for range 1 + len(placeholder.FindAllString(cmd.Use, -1)) {
				line = append(line, "surplus")
			}
			lines = append(lines, line)
		}
		for _, line := range lines {
			want := exit.Usage
			if len(path) > 0 && path[0] == "hook" {
				want = exit.OK // an agent waits for it
			}
			s := runIn(t.Context(), t.TempDir(), line...)
			must.Not(t, s.code != want || !strings.Contains(s.errs, "hint: ") || s.out != "", "pictx %s: want %d, got %.300v", strings.Join(line, " "), want, s)
		}
	})
}

// inText is a command of pictx in a text, up to where it may end.
var inText = regexp.MustCompile(`\bpictx ((?:[a-z][a-z-]*|--?[a-z][a-z-]*|[A-Z%<'"][^ ,;.:)]*)(?: (?:[a-z][a-z-]*|--?[a-z][a-z-]*|[A-Z%<'"][^ ,;.:)]*))*)`)

// Hints, warnings and notes name commands: each is one that there is, with flags that it
// has.
func TestEveryCommandThatATextNamesExists(t *testing.T) {
	t.Parallel()
	root := Root(&cli.Env{Process: workspace.Process{Dir: t.TempDir(), Now: clitest.Now, Environ: []string{"HOME=" + t.TempDir()}}})
	seen := 0
	literals(t, func(place, text string) {
		for _, m := range inText.FindAllStringSubmatch(text, -1) {
			words := strings.Fields(m[1])
			cmd, rest, err := root.Find(words[:1])
			if err != nil || cmd == root || len(rest) > 0 {
				continue // pictx is the subject of a sentence
			}
			seen++
			for words = words[1:]; len(words) > 0 && cmd.HasSubCommands(); words = words[1:] {
				sub, rest, err := cmd.Find(words[:1])
				if err != nil || sub == cmd || len(rest) > 0 {
					break
				}
				cmd = sub
			}
			must.Not(t, cmd.HasSubCommands() && len(words) > 0 && !strings.HasPrefix(words[0], "-"), "%s: %q: there is no pictx %s %s", place, text, cmd.Name(), words)
			for _, w := range words {
				flag, long := strings.CutPrefix(w, "--")
				if long && flag != "" && flag != "help" && cmd.Flags().Lookup(flag) == nil && cmd.InheritedFlags().Lookup(flag) == nil {
					t.Errorf("%s: %q: %s has no --%s", place, text, cmd.CommandPath(), flag)
				}
			}
		}
	})
	must.Not(t, seen < 100, "only %d commands are named: the test does not see them", seen)
}

// literals calls f with each string literal of the shipped code.
func literals(t *testing.T, f func(place, text string)) {
	t.Helper()
	fset := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || strings.Contains("testdata internal bench scripts node_modules", d.Name())):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil && !strings.Contains(text, "\x00") { // not for people
					f(fset.Position(lit.Pos()).String(), text)
				}
			}
			return true
		})
		return nil
	})
	must.Do(t, err)
}
