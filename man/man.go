// Package man writes the manual pages and the shell completions from the command
// tree, so that they say what --help says. What it writes is committed: packages
// are made from it, and a test compares it with the commands.
//
// It must not know what any command does, and the program does not contain it.
package man

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/coctostan/pictx/commands"
	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/workspace"
)

// Write writes a page for each command and each help topic into the directory pages,
// and a completion script for each shell into the directory completions. Both must
// exist. What is written depends on the commands alone.
func Write(pages, completions string) error {
	root := tree()
	if err := errors.Join(writePages(root, pages), writeTopics(pages)); err != nil {
		return err
	}
	for name, generate := range map[string]func(io.Writer) error{
		"pictx.bash": func(w io.Writer) error { return cli.BashCompletion(root, w, true) },
		"pictx.zsh":  root.GenZshCompletion,
		"pictx.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"pictx.ps1":  root.GenPowerShellCompletionWithDesc,
	} {
		var b bytes.Buffer
		if err := generate(&b); err != nil {
			return fmt.Errorf("complete %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(completions, name), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// tree is the command tree outside any terminal, project or environment.
func tree() *cobra.Command {
	return commands.Root(&cli.Env{
		In: strings.NewReader(""), Out: io.Discard, Err: io.Discard,
		Process: workspace.Process{Now: func() time.Time { return time.Time{} }},
	})
}

// writePages writes the page of cmd and of every command below it.
func writePages(cmd *cobra.Command, dir string) error {
	cmd.DisableAutoGenTag = true
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	// A page changes when the command does, not when it is made, so it bears no
	// day.
	header := &doc.GenManHeader{
		Title: strings.ToUpper(name), Section: "1", Source: "pictx", Manual: "pictx manual",
		Date: new(time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)),
	}
	var b bytes.Buffer
	if err := doc.GenMan(cmd, header, &b); err != nil {
		return fmt.Errorf("describe %s: %w", cmd.CommandPath(), err)
	}
	page := withExitStatus(withOptions(b.String()), cli.ExitStatus(cmd))
	if !cmd.HasParent() {
		for _, topic := range commands.Topics() {
			page = strings.TrimRight(page, "\n") + ", \\fBpictx-" + topic[0] + "(7)\\fP\n"
		}
	}
	if err := os.WriteFile(filepath.Join(dir, name+".1"), []byte(wrapped(page)), 0o644); err != nil {
		return err
	}
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() { // hidden, or help, which cobra adds everywhere
			continue
		}
		if err := writePages(c, dir); err != nil {
			return err
		}
	}
	return nil
}

// writeTopics writes a page for each help topic.
func writeTopics(dir string) error {
	for _, topic := range commands.Topics() {
		text, _ := commands.Topic(topic[0])
		page := topicPage(topic[0], topic[1], text)
		if err := os.WriteFile(filepath.Join(dir, "pictx-"+topic[0]+".7"), []byte(page), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// topicPage makes a page of a help topic: a block in capitals is a heading, and indented
// lines stay as they are.
func topicPage(name, about, text string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".nh\n.TH \"PICTX-%s\" \"7\" \"2026-11-01\" \"pictx\" \"pictx manual\"\n.SH NAME\npictx-%s - %s\n.SH DESCRIPTION\n",
		strings.ToUpper(name), name, about)
	blocks := strings.Split(strings.ReplaceAll(strings.TrimSpace(text), `\`, `\e`), "\n\n")
	for i, block := range blocks[1:] { // the first is the title
		if block == strings.ToUpper(block) && block[0] != ' ' {
			b.WriteString(".SH " + block + "\n")
			continue
		}
		if i > 0 && blocks[i] != strings.ToUpper(blocks[i]) { // not right below a heading
			b.WriteString(".PP\n")
		}
		verbatim := false
		for line := range strings.Lines(block + "\n") {
			if v := line[0] == ' '; v != verbatim {
				b.WriteString(map[bool]string{true: ".EX\n", false: ".EE\n"}[v])
				verbatim = v
			}
			b.WriteString(line)
		}
		if verbatim {
			b.WriteString(".EE\n")
		}
	}
	return b.String() + ".SH SEE ALSO\n\\fBpictx(1)\\fP\n"
}

// wrapped breaks the lines of running text, which a reader's program joins again, so
// that none of the source is over 80 bytes.
func wrapped(page string) string {
	var b strings.Builder
	verbatim := false
	for line := range strings.Lines(page) {
		verbatim = strings.HasPrefix(line, ".EX") || verbatim && !strings.HasPrefix(line, ".EE")
		if verbatim || line[0] == '.' {
			b.WriteString(line)
			continue
		}
		for len(line) > 81 {
			at := strings.LastIndexByte(line[:81], ' ')
			for at > 0 && strings.IndexByte(".' ", line[at+1]) >= 0 { // would be a request
				at = strings.LastIndexByte(line[:at], ' ')
			}
			if at <= 0 {
				break
			}
			b.WriteString(line[:at] + "\n")
			line = line[at+1:]
		}
		b.WriteString(line)
	}
	return b.String()
}

// withOptions writes the options as man pages do: each with the name of its value
// instead of its default, and what it does indented below; and the day as mandoc reads
// it.
func withOptions(page string) string {
	page = strings.Replace(page, `"Nov 2026"`, `"2026-11-01"`, 1)
	option := regexp.MustCompile(`(?m)^(?:\.PP\n)?(\\fB-.*\\fP)(\[=.*\]|=.*)\n\t(.*)$\n*`)
	value := regexp.MustCompile(`\\fB(\S+)\\fR`)
	return option.ReplaceAllStringFunc(page, func(o string) string {
		m := option.FindStringSubmatch(o)
		name, text := m[1], m[3]
		if v := value.FindStringSubmatch(text); v != nil && m[2][0] == '=' {
			name, text = name+` \fI`+v[1]+`\fP`, strings.Replace(text, v[0], `\fI`+v[1]+`\fP`, 1)
		}
		return ".TP\n" + name + "\n" + text + "\n"
	})
}

// withExitStatus adds the section of the exit codes to a page, before its last
// one.
func withExitStatus(page, codes string) string {
	var b strings.Builder
	b.WriteString(".SH EXIT STATUS\n")
	for line := range strings.Lines(codes) {
		code, meaning, _ := strings.Cut(strings.TrimSpace(line), " ")
		fmt.Fprintf(&b, ".TP\n\\fB%s\\fP\n%s\n", code, strings.TrimSpace(meaning))
	}
	const last = ".SH SEE ALSO\n"
	if i := strings.LastIndex(page, last); i >= 0 {
		return page[:i] + b.String() + "\n" + page[i:]
	}
	return strings.TrimRight(page, "\n") + "\n\n" + b.String()
}
