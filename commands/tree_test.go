package commands

import (
	"bytes"
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
		if strings.TrimSpace(cmd.Long) == "" {
			t.Errorf("%s: no long help", name)
		}
		if !strings.Contains(cmd.Example, "pictx") {
			t.Errorf("%s: no example", name)
		}
		for _, line := range strings.Split(cmd.Example, "\n") {
			if !strings.HasPrefix(line, "  ") {
				t.Errorf("%s: example is not indented: %q", name, line)
			}
		}
		for _, line := range strings.Split(cmd.Long+"\n"+cmd.UsageString(), "\n") {
			if n := utf8.RuneCountInString(line); n > 80 && !underCompletion(cmd) {
				t.Errorf("%s: line of %d characters: %q", name, n, line)
			}
		}
		if cmd.Args == nil && cmd.Name() != "help" && cmd.Name() != "import" {
			t.Errorf("%s: takes any arguments", name)
		}
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
			if _, ok := cmd.GetFlagCompletionFunc(f.Name); !ok {
				t.Errorf("%s --%s: no completion, but its help lists words: %s", cmd.CommandPath(), f.Name, usage)
			}
		})
	})
	if found < 2 {
		t.Errorf("found %d flags of few words: the test does not see them", found)
	}
}

func TestEveryFlagIsExplained(t *testing.T) {
	t.Parallel()
	walk(Root(&cli.Env{}), func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" || strings.HasSuffix(f.Usage, ".") {
				t.Errorf("%s --%s: help %q, want some, without a full stop", cmd.CommandPath(), f.Name, f.Usage)
			}
		})
	})
}

// TestExitCodesOfEveryCommandArePinned holds the codes that help lists, besides
// 0, 1 and 2. A new command needs a line here.
//
// Holds history 75.
func TestExitCodesOfEveryCommandArePinned(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"pictx":                       "",
		"pictx import":                "3 4 5 11 12 130",
		"pictx sessions":              "3 4 10 11 12",
		"pictx grep":                  "3 4 10 11 12 130",
		"pictx expand":                "3 10 11 12",
		"pictx tree":                  "3 10 11 12",
		"pictx export":                "3 5 10 11 12",
		"pictx compact":               "3 4 5 10 11 12 130",
		"pictx prune":                 "3 5",
		"pictx replay":                "3 4 130",
		"pictx report":                "3 4 10 11 12",
		"pictx blobs":                 "",
		"pictx blobs list":            "3",
		"pictx blobs gc":              "130",
		"pictx blobs purge":           "3 4 5 130",
		"pictx blobs verify":          "130",
		"pictx object":                "",
		"pictx object list":           "3 10 11 12",
		"pictx object show":           "3 10 11 12",
		"pictx object history":        "3 10 11 12",
		"pictx object activate":       "3 5 10 11 12",
		"pictx object deactivate":     "3 5 10 11 12",
		"pictx object nickname":       "3 5 10 11 12",
		"pictx object watch":          "10 11 12 130",
		"pictx history":               "",
		"pictx history stats":         "10 11 12",
		"pictx history backup":        "5 10 11 12",
		"pictx history restore":       "5 11 12",
		"pictx history purge":         "3 4 5 10 11 12 130",
		"pictx history redact":        "3 4 5 10 11 12 130",
		"pictx history vacuum":        "10 11 12",
		"pictx kota":                  "",
		"pictx kota index":            "5 130",
		"pictx kota status":           "130",
		"pictx kota search":           "3 5 10 130",
		"pictx kota deps":             "3 5 10 130",
		"pictx kota usages":           "3 5 10 130",
		"pictx kota impact":           "3 5 10 130",
		"pictx kota context":          "3 5 10 130",
		"pictx kota map":              "3 5 10 130",
		"pictx kota graph":            "3 5 10 130",
		"pictx decision":              "",
		"pictx decision add":          "3 5 11 12 130",
		"pictx decision list":         "12",
		"pictx decision show":         "3 12 130",
		"pictx decision edit":         "3 5 11 12 130",
		"pictx decision remove":       "3 5 11 12 130",
		"pictx decision supersede":    "3 5 11 12 130",
		"pictx decision accept":       "3 5 11 12 130",
		"pictx decision reject":       "3 5 11 12 130",
		"pictx decision conflict":     "3 5 11 12 130",
		"pictx decision resolve":      "3 5 11 12 130",
		"pictx decision purge":        "4 5 11 12 130",
		"pictx decision context":      "3 12",
		"pictx decision diff":         "12 130",
		"pictx decision audit":        "5 11 12 130",
		"pictx decision export":       "4 12",
		"pictx decision import":       "3 4 5 11 12 130",
		"pictx decision init":         "5 130",
		"pictx decision merge-driver": "",
		"pictx hook":                  "",
		"pictx config":                "",
		"pictx config list":           "",
		"pictx config get":            "",
		"pictx config set":            "5",
		"pictx config unset":          "3 5",
		"pictx config edit":           "5",
		"pictx setup":                 "4 5 11",
		"pictx uninstall":             "4 5",
		"pictx log":                   "3 130",
		"pictx pin":                   "3 10 11 12",
		"pictx pins":                  "3 10 11 12",
		"pictx unpin":                 "3 10 11 12",
		"pictx usage":                 "3 4 10 11 12",
		"pictx browse":                "4 5 10 11 12",
		"pictx doctor":                "11 12",
		"pictx store":                 "",
		"pictx store path":            "",
		"pictx store migrate":         "10 11 12",
		"pictx store adopt":           "5 10 11 12",
		"pictx help":                  "",
		"pictx completion":            "",
		"pictx completion bash":       "",
		"pictx completion zsh":        "",
		"pictx completion fish":       "",
		"pictx completion powershell": "",
	}
	got := make(map[string]string)
	walk(Root(&cli.Env{}), func(cmd *cobra.Command) {
		var codes []string
		for _, m := range regexp.MustCompile(`(?m)^  (\d+) +\w`).FindAllStringSubmatch(cmd.Annotations[cli.ExitStatus], -1) {
			codes = append(codes, m[1])
		}
		if len(codes) < 3 || strings.Join(codes[:3], " ") != "0 1 2" {
			t.Errorf("%s: exit status %q does not begin with 0, 1 and 2", cmd.CommandPath(), codes)
			return
		}
		got[cmd.CommandPath()] = strings.Join(codes[3:], " ")
	})
	must.Match(t, got, want, "exit codes in help")
}

func TestHelpShowsTheExitStatusOfItsCommand(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	must.Equal(t, Main(t.Context(), &cli.Env{Args: []string{"sessions", "--help"}, Out: &out, Err: &out}), 0, "exit code")
	if !strings.Contains(out.String(), "\nExit status 0, 1, 2, 3, 4, 10, 11, 12: pictx help exit-codes\n") {
		t.Errorf("help without its exit status:\n%s", &out)
	}
}

// What a person reads first of the longest helps fits a terminal of 24 lines.
func TestTheLongestHelpsBeginOnOneScreen(t *testing.T) {
	t.Parallel()
	const screen = 24
	for _, name := range []string{"replay", "grep", "compact"} {
		var out bytes.Buffer
		must.Equal(t, Main(t.Context(), &cli.Env{Args: []string{name, "--help"}, Out: &out, Err: &out}), 0, "exit code")
		before, _, found := strings.Cut(out.String(), "\nExamples:\n")
		if n := strings.Count(before, "\n"); n > screen || !found {
			t.Errorf("%s: %d lines before the examples, want at most %d:\n%s", name, n, screen, before)
		}
	}
}

func TestEveryTopicHasAText(t *testing.T) {
	t.Parallel()
	listed := make(map[string]bool)
	for _, n := range Topics() {
		listed[n[0]+".txt"] = true
		if text, ok := Topic(n[0]); !ok || len(text) < 100 || !strings.HasSuffix(text, "\n") {
			t.Errorf("topic %s: %d characters, want a text", n[0], len(text))
		}
	}
	files := must.Get(topics.ReadDir("topics"))(t)
	for _, f := range files {
		if !listed[f.Name()] {
			t.Errorf("topics/%s is not listed", f.Name())
		}
	}
}
