package object

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

// showObject prints a version of an object, its content alone, how it differs from another,
// or why it is active.
func showObject(ctx context.Context, c *call) error {
	switch {
	case c.why:
		return explainObject(ctx, c)
	case c.diff != 0:
		return c.printDifference(ctx, c.diff, cmp.Or(c.version, c.obj.Versions))
	}
	v, err := c.chosen(ctx)
	if err != nil {
		return err
	}
	content, err := c.st.Objects.Content(ctx, v)
	gone := ""
	if errors.Is(err, object.ErrPurged) && !c.content {
		gone, err = object.ErrPurged.Error()+"; its hash is "+v.Hashes.Content.String(), nil
	}
	switch {
	case err != nil:
		return err
	case c.restore:
		return c.restoreFile(ctx, v, content)
	case !c.content:
		return c.app.Out.Emit(shownLine(v, content), func(w *cli.Out) { printObject(w, v, content, gone) })
	case content == nil:
		return exit.WithHint(exit.NotFound, "pictx object show "+v.ID, fmt.Errorf("show %s: %s", v.ID, v.Missing()))
	}
	return c.app.Out.Foreign(content)
}

// chosen returns the version that the flags choose.
func (c *call) chosen(ctx context.Context) (*object.Version, error) {
	if c.version != 0 {
		return c.numbered(ctx, c.version)
	}
	var at object.Time
	if c.at != "" {
		var err error
		if at, err = object.ParseTime(c.at, c.app.Env.Now().Local()); err != nil {
			return nil, exit.UsageError("pictx object show ID --at 2026-11-20T14:00", "parse time: %w", err)
		}
	}
	return c.st.Objects.Get(ctx, c.obj.ID, at)
}

// shownObject is a version with its document and content.
type shownObject struct {
	objectView
	Versions int    `json:"versions"`
	Document any    `json:"document"`
	Text     any    `json:"content"` // a string, or null
	Encoding string `json:"content_encoding,omitempty"`
}

// shownLine returns the JSON of a version. content is nil if there is none.
func shownLine(v *object.Version, content []byte) shownObject {
	j := shownObject{objectView: objectLine(v), Versions: v.Versions, Document: v.Doc}
	switch {
	case content == nil:
	case utf8.Valid(content):
		j.Text = string(content)
	default:
		j.Text, j.Encoding = escaped(content), "escaped"
	}
	return j
}

// printObject prints a version. gone says why its content cannot be read, "" if it can.
func printObject(w *cli.Out, v *object.Version, content []byte, gone string) {
	w.Printf("%s  %s", w.Style(cli.StyleBold, v.ID), v.Doc.Kind)
	if v.Nickname != "" {
		w.Printf("  %s", v.Nickname)
	}
	w.Printf("\n%s\n", text.TerminalLine(v.Label()))
	w.Printf("%s, version %d of %d, %s\n", v.Condition(), v.Number, v.Versions, contentSize(v))
	w.Printf("from %s", workspace.TimeText(v.From))
	if v.To != object.Forever {
		w.Printf(" to %s", workspace.TimeText(v.To))
	}
	w.Printf("\n")
	if part := partText(v, v.Number == v.Versions); part != "" {
		w.Printf("%s\n", part)
	}
	w.Printf("content %s\nobject  %s\n", v.Hashes.Content, v.Hashes.Object)
	switch {
	case gone != "":
		w.Printf("\n%s\n", gone)
	case content == nil:
		w.Printf("\n%s\n", v.Missing())
	default:
		text := escaped(content)
		w.Printf("\n%s", text)
		if !strings.HasSuffix(text, "\n") {
			w.Printf("\n")
		}
	}
}

// partName names the lines that a version has of a file, "" if it has all.
func partName(l *object.Lines) string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf(", only lines %d-%d", l.First, l.Last)
}

// partText explains that a version has only part of a file, "" if it has all. Such a
// version does not follow the file; for the latest one it is said if the file has changed.
func partText(v *object.Version, latest bool) string {
	l := v.Part()
	if l == nil {
		return ""
	}
	text := fmt.Sprintf("only lines %d-%d, as a call read them: the rest was not read, and changes from outside are not followed", l.First, l.Last)
	if st, err := os.Stat(v.Doc.File.Path); err == nil && latest && v.OlderThan(st.ModTime().UnixNano()) {
		text += "; the file was changed since"
	}
	return text
}

// escaped makes a content safe for a terminal, with bytes that are not UTF-8 as \xff.
func escaped(content []byte) string {
	var b strings.Builder
	for len(content) > 0 {
		r, n := utf8.DecodeRune(content)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, content[0])
		} else {
			b.WriteRune(r)
		}
		content = content[n:]
	}
	return text.Printable(b.String())
}

// listVersions lists the versions of an object.
func listVersions(ctx context.Context, c *call) error {
	all, err := c.st.Objects.History(ctx, c.obj.ID)
	if err != nil {
		return err
	}
	rows, err := cli.JSONOrRows(c.app.Out, all, func(v *object.Version) any { return objectLine(v) }, func(v *object.Version) []string {
		return []string{
			strconv.Itoa(v.Number), workspace.TimeText(v.From), workspace.TimeText(v.To),
			contentSize(v), v.Hashes.Object.String()[:8], v.Condition() + " " + text.TerminalLine(v.Label()) + partName(v.Part()),
		}
	})
	if err != nil || c.app.JSON {
		return err
	}
	c.app.Out.FittedTable(append([][]string{{"V", "FROM", "TO", "SIZE", "HASH", "WHAT"}}, rows...), 0, 3)
	return nil
}

// diffView is the difference of two versions.
type diffView struct {
	ID     string        `json:"id"`
	Before int           `json:"before"`
	After  int           `json:"after"`
	Fields []string      `json:"fields"`
	Lines  []text.Change `json:"lines"` // of the contents, equal ones included

	// Compared are the lines that were compared, before and after, of versions that do not
	// both have the whole file.
	Compared []*object.Lines `json:"compared,omitempty"`
}

// numbered returns a version of the object by its number.
func (c *call) numbered(ctx context.Context, number int) (*object.Version, error) {
	all, err := c.st.Objects.History(ctx, c.obj.ID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(v object.Version) bool { return v.Number == number })
	if i < 0 {
		has := "versions 1 to " + strconv.Itoa(c.obj.Versions)
		if c.obj.Versions == 1 {
			has = "version 1 alone"
		}
		return nil, exit.WithHint(exit.NotFound, "pictx object history "+text.ShellWord(c.args[0]),
			fmt.Errorf("read version %d of %s: it has %s", number, text.LogLine(c.args[0]), has))
	}
	return &all[i], nil
}

// diffVersions reads the numbers of two versions and prints how these differ.
func diffVersions(ctx context.Context, c *call) error {
	numbers := [2]int{c.obj.Versions - 1, c.obj.Versions}
	for i, arg := range c.args[1:] {
		n, err := strconv.Atoi(strings.TrimPrefix(arg, "v"))
		if err != nil || n < 1 {
			return exit.UsageError("pictx object diff "+c.args[0]+" 1 2", "invalid version %q: want a number", arg)
		}
		numbers[i] = n
	}
	return c.printDifference(ctx, numbers[0], numbers[1])
}

// printDifference prints how two versions differ.
func (c *call) printDifference(ctx context.Context, numbers ...int) error {
	var docs [2]*object.Version
	var texts [2]string
	for i, n := range numbers {
		var err error
		if docs[i], err = c.numbered(ctx, n); err != nil {
			return err
		}
		raw, err := c.st.Objects.Content(ctx, docs[i])
		if err == nil && docs[i].Unread() {
			err = exit.WithHint(exit.NotFound, "pictx object history "+c.obj.ID, fmt.Errorf("compare version %d: %s", n, docs[i].Missing()))
		}
		if err != nil {
			return err
		}
		texts[i] = escaped(raw)
	}
	how := object.Compare(docs[0], docs[1], texts[0], texts[1])
	d := diffView{ID: c.obj.ID, Before: numbers[0], After: numbers[1], Lines: how.Lines}
	d.Fields = append([]string{}, object.Differing(&docs[0].Doc, &docs[1].Doc)...)
	if how.Before != nil {
		d.Compared = []*object.Lines{how.Before, how.After}
	}
	if err := c.app.Out.Emit(d, func(w *cli.Out) { printDiff(w, d) }); err != nil {
		return err
	}
	if c.exitCode && (len(d.Fields) > 0 || len(d.Lines) > 0) {
		return exit.Silent(exit.Failed)
	}
	return nil
}

func printDiff(w *cli.Out, d diffView) {
	if len(d.Fields) > 0 {
		w.Printf("differ: %s\n", strings.Join(d.Fields, ", "))
	}
	from, to := 0, 0
	if c := d.Compared; c != nil && c[0].Last < c[0].First {
		w.Printf("nothing is compared: versions %d and %d have different parts of the file\n", d.Before, d.After)
	} else if c != nil {
		from, to = c[0].First-1, c[1].First-1
		w.Printf("compared: lines %d-%d of version %d and %d-%d of version %d; not both versions have the others\n", c[0].First, c[0].Last, d.Before, c[1].First, c[1].Last, d.After)
	}
	if len(d.Lines) == 0 {
		return
	}
	w.Printf("--- %s version %d\n+++ %s version %d\n", d.ID, d.Before, d.ID, d.After)
	for _, h := range text.Hunks(d.Lines, 3) {
		w.Printf("%s\n", w.Style(cli.StyleCyan, fmt.Sprintf("@@ -%d,%d +%d,%d @@", from+h.From, h.FromLines, to+h.To, h.ToLines)))
		for _, l := range h.Lines {
			line := strings.TrimSuffix(l.Text, "\n")
			switch l.Op {
			case "=":
				line = " " + line
			case "-":
				line = w.Style(cli.StyleRed, "-"+line)
			case "+":
				line = w.Style(cli.StyleGreen, "+"+line)
			}
			w.Printf("%s\n", line)
			if !strings.HasSuffix(l.Text, "\n") {
				w.Printf("\\ no newline at end of file\n")
			}
		}
	}
}
