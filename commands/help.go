package commands

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
)

//go:embed topics/*.txt
var topics embed.FS

//go:embed help/*.txt
var helpTexts embed.FS

// helpText returns the help and the examples of a command from the file with its name. A
// command without a file has its help in the code.
func helpText(cmd *cobra.Command) (long, examples string, ok bool) {
	name := strings.TrimPrefix(strings.ReplaceAll(cmd.CommandPath(), " ", "-"), "pictx-")
	b, err := helpTexts.ReadFile("help/" + name + ".txt")
	if err != nil {
		return "", "", false
	}
	long, examples, ok = strings.Cut(string(b), "\n\nEXAMPLES\n")
	return long, strings.TrimRight(examples, "\n"), ok
}

// Topics lists the help topics with their subjects.
func Topics() [][2]string {
	return [][2]string{
		{"config", "where settings come from, and every setting"},
		{"environment", "the environment variables pictx reads"},
		{"exit-codes", "what the exit codes mean"},
		{"hooks", "filtering events of the agent"},
		{"json", "the JSON that commands print"},
		{"storage", "what is kept where, and what can be made again"},
	}
}

// topicList formats Topics for the help.
func topicList() string {
	var list strings.Builder
	for _, t := range Topics() {
		fmt.Fprintf(&list, "  %-12s %s\n", t[0], t[1])
	}
	return list.String()
}

// printUsage prints how a command is called, for a terminal of this width: first what a person
// reads before running it, at the end what many commands have in common.
func printUsage(cmd *cobra.Command, width int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s", cmd.UseLine())
	if cmd.HasAvailableSubCommands() {
		b.WriteString(" [COMMAND]")
	}
	b.WriteString("\n")
	listCommands(&b, cmd)
	if own := ownFlags(cmd); own.HasAvailableFlags() {
		const usual = 80 // the width for which help is written
		if width <= 0 || width > usual {
			width = usual
		}
		fmt.Fprintf(&b, "\nFlags:\n%s", own.FlagUsagesWrapped(width))
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	b.WriteString("\n")
	if !cmd.HasParent() {
		fmt.Fprintf(&b, "Topics, for pictx help TOPIC:\n%s\n", topicList())
	} else {
		b.WriteString("Flags of every command: pictx --help\n")
	}
	if cmd.Flags().Lookup("json") != nil {
		b.WriteString("--json, --jq and --template: pictx help json\n")
	}
	fmt.Fprintf(&b, "Exit status %s: pictx help exit-codes\n", strings.Join(cli.ExitCodes(cmd), ", "))
	_, err := io.WriteString(cmd.OutOrStderr(), b.String())
	return err
}

// listCommands lists the commands below a command, by their groups.
func listCommands(b *strings.Builder, cmd *cobra.Command) {
	groups := cmd.Groups()
	if len(groups) == 0 && cmd.HasAvailableSubCommands() {
		groups = []*cobra.Group{{Title: "Commands:"}}
	}
	for _, g := range groups {
		fmt.Fprintf(b, "\n%s\n", g.Title)
		for _, c := range cmd.Commands() {
			if c.GroupID == g.ID && c.IsAvailableCommand() {
				fmt.Fprintf(b, "  %-*s %s\n", c.NamePadding(), c.Name(), c.Short)
			}
		}
	}
}

// ownFlags returns the flags of a command without those that the end of its help explains.
func ownFlags(cmd *cobra.Command) *pflag.FlagSet {
	own, common := pflag.NewFlagSet("", pflag.ContinueOnError), cmd.Root().PersistentFlags()
	cmd.InitDefaultHelpFlag()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		switch f.Name {
		case "help", "json", "jq", "template":
			return
		}
		if !cmd.HasParent() || common.Lookup(f.Name) == nil {
			own.AddFlag(f)
		}
	})
	return own
}

// unknownTopic rejects words that are neither a command nor a topic, and suggests one that
// is spelled alike.
func unknownTopic(root *cobra.Command, args []string) error {
	err := fmt.Sprintf("there is no command or topic %q", strings.Join(args, " "))
	root.SuggestionsMinimumDistance = 2
	if s := root.SuggestionsFor(args[0]); len(args) == 1 && len(s) > 0 {
		return exit.UsageError("pictx help "+s[0], "%s: did you mean %s?", err, s[0])
	}
	return exit.UsageError("pictx help", "%s", err)
}

func helpCommand(a *cli.Run) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND|TOPIC]",
		GroupID: cli.GroupCare,
		Short:   "Explain a command or a topic",
		Long:    "Explains a command, or one of these topics:\n\n" + topicList(),
		Example: "  pictx help grep\n  pictx help storage",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if text, ok := Topic(args[0]); ok {
					a.Out.WriteString(text)
					return nil
				}
			}
			target, rest, err := cmd.Root().Find(args)
			if err != nil || target == nil || len(rest) > 0 {
				return unknownTopic(cmd.Root(), args)
			}
			target.InitDefaultHelpFlag()
			return target.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var words []string
			if len(args) == 0 {
				for _, t := range Topics() {
					words = append(words, t[0]+"\t"+t[1])
				}
			}
			if target, _, err := cmd.Root().Find(args); err == nil {
				for _, c := range target.Commands() {
					if c.IsAvailableCommand() {
						words = append(words, c.Name()+"\t"+c.Short)
					}
				}
			}
			return words, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// Topic returns the text of a help topic. Two of them are generated from tables of the
// program.
func Topic(name string) (string, bool) {
	switch name {
	case "exit-codes":
		return exitTopic(), true
	case "config":
		b, _ := fs.ReadFile(topics, "topics/config.txt")
		return string(b) + "\n" + settingsTable(), true
	}
	b, err := fs.ReadFile(topics, "topics/"+name+".txt")
	return string(b), err == nil
}

func exitTopic() string {
	var b strings.Builder
	b.WriteString("EXIT CODES\n\nEvery command ends with one of these. Any other code is a failure.\n\n")
	for _, m := range exit.Meanings() {
		fmt.Fprintf(&b, "  %-4d %s\n", m.Code, m.Text)
	}
	b.WriteString("\npictx hook always ends with 0, so that it never stops an agent; with --strict it\nends with 1 on an error.\n")
	return b.String()
}

// wrapped wraps a text at 80 columns, with an indent.
func wrapped(indent, text string) string {
	return indent + strings.ReplaceAll(ansi.Wordwrap(text, 80-len(indent), ""), "\n", "\n"+indent)
}

// settingsTable lists the settings in lines of at most 80 columns.
func settingsTable() string {
	const indent = "      "
	var b strings.Builder
	b.WriteString("SETTINGS\n")
	for _, k := range config.Keys() {
		kind := k.Type.String()
		if len(k.Enum) > 0 {
			kind = strings.Join(k.Enum, ", ")
		}
		user := ""
		if k.UserOnly {
			user = "; only in the user's own file"
		}
		names := strings.Join(append([]string{k.Env}, k.Seeds...), ", ")
		fmt.Fprintf(&b, "\n%s\n%s\n%s\n", wrapped("  ", k.Name+" = "+k.Default), wrapped(indent, k.Doc), wrapped(indent, fmt.Sprintf("(%s%s; %s)", kind, user, names)))
	}
	b.WriteString("\nSETTINGS OF THE ORIGINAL EXTENSIONS, READ WHERE THEY ARE\n")
	for _, k := range config.Inherited() {
		fmt.Fprintf(&b, "\n%s\n%s\n", wrapped("  ", strings.Join(k.Seeds, ", ")+" = "+k.Default), wrapped(indent, k.Doc))
	}
	return b.String()
}
