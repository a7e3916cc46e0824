package commands

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/internal/must"
)

// walk calls fn with every command that a user can run.
func walk(cmd *cobra.Command, fn func(*cobra.Command)) {
	fn(cmd)
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			walk(c, fn)
		}
	}
}

func TestEveryCommandExplainsItself(t *testing.T) {
	t.Parallel()
	walk(Root(&cli.Env{}), func(cmd *cobra.Command) {
		name := cmd.CommandPath()
		if n := utf8.RuneCountInString(cmd.Short); n == 0 || n > 60 || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: short help of %d characters, want 1 to 60 and no full stop: %q", name, n, cmd.Short)
		}
		must.Not(t, strings.TrimSpace(cmd.Long) == "", "%s: no long help", name)
		must.Not(t, !strings.Contains(cmd.Example, "pictx"), "%s: no example", name)
		for _, line := range strings.Split(cmd.Example, "\n") {
			must.Not(t, !strings.HasPrefix(line, "  "), "%s: example is not indented: %q", name, line)
		}
		for _, line := range strings.Split(cmd.Long+"\n"+cmd.UsageString(), "\n") {
			n := utf8.RuneCountInString(line)
			must.Not(t, n > 80 && !underCompletion(cmd), "%s: line of %d characters: %q", name, n, line)
		}
		must.Not(t, cmd.Args == nil && cmd.Name() != "help" && cmd.Name() != "import", "%s: takes any arguments", name)
	})
}

func underCompletion(cmd *cobra.Command) bool {
	return cmd.Name() == "completion" || cmd.Parent() != nil && cmd.Parent().Name() == "completion"
}

// enumerated recognises the help of a flag that takes one of a few words.
const enumerated = `: [a-z]+, [a-z]+(,|$| or)`

func TestEveryFlagOfFewWordsCompletes(t *testing.T) {
	t.Parallel()
	found := 0
	walk(Root(&cli.Env{}), func(cmd *cobra.Command) {
		cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			_, usage := pflag.UnquoteUsage(f)
			if f.Value.Type() == "bool" || !regexp.MustCompile(enumerated).MatchString(usage) {
				return
			}
			found++
			_, ok := cmd.GetFlagCompletionFunc(f.Name)
			must.Not(t, !ok, "%s --%s: no completion, but its help lists words: %s", cmd.CommandPath(), f.Name, usage)
		})
	})
	must.Not(t, found < 2, "found %d flags of few words: the test does not see them", found)
}

func TestEveryFlagIsExplained(t *testing.T) {
	t.Parallel()
	walk(Root(&cli.Env{}), func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			must.Not(t, f.Usage == "" || strings.HasSuffix(f.Usage, "."), "%s --%s: help %q, want some, without a full stop", cmd.CommandPath(), f.Name, f.Usage)
		})
	})
}

func TestHelpShowsTheExitStatusOfItsCommand(t *testing.T) {
	t.Parallel()
	help := runIn(t.Context(), t.TempDir(), "sessions", "--help").out
	must.Contain(t, help, "\nExit status 0, 1, 2, 3, 4, 10, 11, 12: pictx help exit-codes\n", "help")
}

// What a person reads first of the longest helps fits a terminal of 24 lines.
func TestTheLongestHelpsBeginOnOneScreen(t *testing.T) {
	t.Parallel()
	const screen = 24
	for _, name := range []string{"replay", "grep", "compact"} {
		before, _, found := strings.Cut(runIn(t.Context(), t.TempDir(), name, "--help").out, "\nExamples:\n")
		n := strings.Count(before, "\n")
		must.Not(t, n > screen || !found, "%s: %d lines before the examples, want at most %d:\n%s", name, n, screen, before)
	}
}

func TestEveryTopicHasAText(t *testing.T) {
	t.Parallel()
	listed := make(map[string]bool)
	for _, n := range Topics() {
		listed[n[0]+".txt"] = true
		text, ok := Topic(n[0])
		must.Not(t, !ok || len(text) < 100 || !strings.HasSuffix(text, "\n"), "topic %s: %d characters, want a text", n[0], len(text))
		for line := range strings.Lines(text) {
			n := utf8.RuneCountInString(line) - 1
			must.Not(t, n > 80, "line of %d characters: %q", n, line)
		}
	}
	for _, f := range must.Get(topics.ReadDir("topics"))(t) {
		must.Not(t, !listed[f.Name()], "topics/%s is not listed", f.Name())
	}
}
