package commands

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/internal/must"
)

// documented returns the command lines that a page shows in blocks and between
// backticks, without the program's name.
func documented(page string) []string {
	code := regexp.MustCompile("(?s)```(?:sh|console)\n(.*?)```|`(pictx [^`\n]*)`").FindAllStringSubmatch(page, -1)
	var out []string
	for _, c := range code {
		for _, m := range regexp.MustCompile(`(?m)^\$? ?(?:bin/)?pictx ([a-z-][^\n#|]*)`).FindAllStringSubmatch(c[1]+c[2], -1) {
			out = append(out, strings.TrimSpace(m[1]))
		}
	}
	return out
}

// TestPagesShowCommandsAndFlagsThatExist parses every command line of the README and of
// docs as the program would.
func TestPagesShowCommandsAndFlagsThatExist(t *testing.T) {
	t.Parallel()
	pages := must.Get(filepath.Glob("../docs/*.md"))(t)
	checked := 0
	for _, path := range append(pages, "../README.md") {
		b := must.Get(os.ReadFile(path))(t)
		for _, line := range documented(string(b)) {
			checked++
			must.Equal(t, mistake(Root(&cli.Env{}), words(line)), "", "%s: pictx %s", filepath.Base(path), line)
		}
	}
	must.Not(t, checked < 50, "%d command lines were found: the test does not see them", checked)
}

// words splits a line as a shell does where there are no escapes.
func words(line string) []string {
	var out []string
	for _, w := range regexp.MustCompile(`"[^"]*"|'[^']*'|\S+`).FindAllString(line, -1) {
		out = append(out, strings.Trim(w, `"'`))
	}
	return out
}

// mistake says what is wrong with a command line, "" for nothing.
func mistake(root *cobra.Command, args []string) string {
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err.Error()
	}
	if cmd.HasSubCommands() && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		return "no such command: " + rest[0]
	}
	for _, flag := range rest {
		if !strings.HasPrefix(flag, "-") || flag == "-" || flag == "--" {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		known := cmd.Flag(name) != nil || cmd.InheritedFlags().Lookup(name) != nil
		if !strings.HasPrefix(flag, "--") {
			known = cmd.Flags().ShorthandLookup(name) != nil || cmd.InheritedFlags().ShorthandLookup(name) != nil
		}
		if !known {
			return "no such flag: " + flag
		}
	}
	return ""
}
