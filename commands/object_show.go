package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

type objectShowOptions struct {
	at, known string
	version   int
	content   bool
}

func (a *app) objectShow() *cobra.Command {
	var o objectShowOptions
	cmd := a.objectVerb("show ID", "Show an object, as it is or was",
		`Shows what is known of an object, and its content. --at asks for what was true at a
time, --known for what was known then: what the agent could know at two o'clock of
how it was at one is --at 13:00 with --known 14:00, both with the day. Bytes that are no
text are shown as \xff; --content prints the content byte for byte and nothing else.`,
		"  pictx object show o-3f9a\n  pictx object show plan --at 2026-11-20T14:00 --known 2026-11-20T15:00\n  pictx object show o-3f9a --version 2 --content > old.go",
		"3 10 11 12", func(ctx context.Context, id string) error { return a.runObjectShow(ctx, o, id) })
	f := cmd.Flags()
	f.StringVar(&o.at, "at", "", "what was true at this `time`")
	f.StringVar(&o.known, "known", "", "what was known at this `time`")
	f.IntVar(&o.version, "version", 0, "the version with this `number`")
	f.BoolVar(&o.content, "content", false, "print the content alone, byte for byte")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) runObjectShow(ctx context.Context, o objectShowOptions, id string) error {
	if o.version != 0 && (o.at != "" || o.known != "") || o.content && a.json {
		return usageError("pictx object show ID --at 2026-11-20T14:00", "--version excludes --at and --known, and --content excludes --json")
	}
	at, err := a.objectAt(o.at, o.known)
	if err != nil {
		return err
	}
	st, _, err := a.store(ctx, sqlite.Read)
	if err != nil {
		return err
	}
	defer st.Close()
	obj, v, err := a.objectVersion(ctx, st, id, o.version, at)
	if err != nil {
		return err
	}
	content, err := st.Content(ctx, v)
	gone := ""
	if errors.Is(err, object.ErrEvicted) && !o.content {
		gone, err = "its content was evicted; its hash is "+v.Hashes.Content.String(), nil
	}
	if err != nil {
		return err
	}
	if o.content {
		if content == nil {
			return withHint(exitNotFound, "pictx object show "+v.ID, fmt.Errorf("show %s: %s", v.ID, unavailable(v)))
		}
		_, err := a.out.Write(content)
		return err
	}
	return a.printObject(obj, v, content, gone)
}

// objectVersion finds an object, and a version of it by number or in time.
func (a *app) objectVersion(ctx context.Context, st *sqlite.Store, name string, number int, at object.At) (object.Object, *object.Version, error) {
	obj, err := a.object(ctx, st, name)
	if err != nil {
		return obj, nil, err
	}
	if number != 0 {
		v, err := st.ObjectVersion(ctx, obj.ID, number)
		return obj, v, err
	}
	v, err := st.Get(ctx, obj.ID, at)
	return obj, v, err
}

// shownJSON is a version with all of it.
type shownJSON struct {
	objectJSON
	Versions int    `json:"versions"`
	Document any    `json:"document"`
	Text     any    `json:"content"` // a text, or null
	Encoding string `json:"content_encoding,omitempty"`
}

// unavailable says why a version has no content.
func unavailable(v *object.Version) string {
	switch {
	case v.Doc.Deleted:
		return "it is deleted, and has no content any more"
	case v.Evicted:
		return "its content was evicted"
	case v.Doc.Kind == object.KindFile && v.Size < 0:
		return "its content is not available: it is no text, or it was only seen and never read"
	}
	return "it has no content"
}

func (a *app) printObject(obj object.Object, v *object.Version, content []byte, gone string) error {
	if a.json {
		j := shownJSON{objectJSON: objectLine(v), Versions: obj.Versions, Document: v.Doc}
		if content != nil {
			text, encoding := contentJSON(content)
			j.Text, j.Encoding = text, encoding
		}
		return a.out.line(j)
	}
	w := a.out
	w.printf("%s  %s", w.style(styleBold, v.ID), v.Doc.Kind)
	if v.Doc.Nickname != "" {
		w.printf("  %s", v.Doc.Nickname)
	}
	w.printf("\n%s\n", text.TerminalLine(v.Doc.Label(v.Key)))
	w.printf("%s, version %d of %d, %s\n", object.Condition(v), v.Number, obj.Versions, contentSize(v))
	w.printf("true from %s%s, known from %s%s\n", timeText(v.Valid.From), until(v.Valid.To), timeText(v.Known.From), until(v.Known.To))
	if part := partText(v, v.Number == obj.Versions); part != "" {
		w.printf("%s\n", part)
	}
	w.printf("content %s\nobject  %s\n", v.Hashes.Content, v.Hashes.Object)
	switch {
	case gone != "":
		w.printf("\n%s\n", gone)
	case content == nil:
		w.printf("\n%s\n", unavailable(v))
	default:
		text := escaped(content)
		w.printf("\n%s", text)
		if !strings.HasSuffix(text, "\n") {
			w.printf("\n")
		}
	}
	return nil
}

// partName says that a version has only these lines of a file, "" when it has all.
func partName(l *object.Lines) string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf(", only lines %d-%d", l.First, l.Last)
}

// partText says of a version that it has a part of a file, "" when it has all. Such a
// version does not follow the file: of the latest it is said when that was changed.
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

func until(t object.Time) string {
	if t == object.Forever {
		return ""
	}
	return " to " + timeText(t)
}

// contentJSON is a content as JSON has it, and its encoding when it is no text.
func contentJSON(content []byte) (text, encoding string) {
	if utf8.Valid(content) {
		return string(content), ""
	}
	return escaped(content), "escaped"
}

// escaped shows bytes that are no UTF-8 as \xff, and makes the rest safe for a
// terminal.
func escaped(content []byte) string {
	if utf8.Valid(content) {
		return text.Printable(string(content))
	}
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

func (a *app) objectHistory() *cobra.Command {
	corrections := false
	cmd := a.objectVerb("history ID", "List the versions of an object",
		`Lists the versions of an object in the order in which they are true, as far as is
known now. --corrections lists as well what was known before and was corrected since:
each line has the time for which it was known.`,
		"  pictx object history o-3f9a\n  pictx object history plan --corrections --json",
		"3 10 11 12", func(ctx context.Context, id string) error { return a.runObjectHistory(ctx, id, corrections) })
	cmd.Flags().BoolVar(&corrections, "corrections", false, "list also what was corrected since")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) runObjectHistory(ctx context.Context, id string, corrections bool) error {
	st, _, err := a.store(ctx, sqlite.Read)
	if err != nil {
		return err
	}
	defer st.Close()
	obj, err := a.object(ctx, st, id)
	if err != nil {
		return err
	}
	all, err := st.History(ctx, obj.ID, object.Corrections(corrections))
	if err != nil {
		return err
	}
	cells := [][]string{{"V", "TRUE FROM", "TO", "KNOWN FROM", "TO", "SIZE", "HASH", "WHAT"}}
	for i := range all {
		v := &all[i]
		if a.json {
			if err := a.out.line(objectLine(v)); err != nil {
				return err
			}
			continue
		}
		cells = append(cells, []string{
			strconv.Itoa(v.Number), timeText(v.Valid.From), timeText(v.Valid.To), timeText(v.Known.From), timeText(v.Known.To),
			contentSize(v), v.Hashes.Object.String()[:8], object.Condition(v) + " " + text.TerminalLine(v.Doc.Label(v.Key)) + partName(v.Part()),
		})
	}
	if !a.json {
		a.out.fittedTable(cells, 0, 5)
	}
	return nil
}

func (a *app) objectDiff() *cobra.Command {
	exit := false
	cmd := &cobra.Command{
		Use:   "diff ID V1 [V2]",
		Short: "Compare two versions of an object",
		Long: `Compares two versions by their numbers, which history shows, line by line; without V2
the first with the last. Fields besides the content that differ are named.`,
		Example:           "  pictx object diff o-3f9a 1 2\n  pictx object diff plan 3 --json",
		Annotations:       exits("3 10 11 12"),
		Args:              someArgs(2, 3),
		ValidArgsFunction: a.objectWords,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runObjectDiff(cmd.Context(), args, exit)
		},
	}
	cmd.Flags().BoolVar(&exit, "exit-code", false, "exit with 1 when they differ")
	a.jsonFlag(cmd)
	return cmd
}

// objectDiffJSON is how two versions differ.
type objectDiffJSON struct {
	ID     string        `json:"id"`
	Before int           `json:"before"`
	After  int           `json:"after"`
	Fields []string      `json:"fields"`
	Lines  []object.Line `json:"lines"` // of the contents, all of them
}

func (a *app) runObjectDiff(ctx context.Context, args []string, exit bool) error {
	st, _, err := a.store(ctx, sqlite.Read)
	if err != nil {
		return err
	}
	defer st.Close()
	obj, err := a.object(ctx, st, args[0])
	if err != nil {
		return err
	}
	numbers := [2]int{0, obj.Versions}
	for i, text := range args[1:] {
		if numbers[i], err = strconv.Atoi(strings.TrimPrefix(text, "v")); err != nil || numbers[i] < 1 {
			return usageError("pictx object diff "+args[0]+" 1 2", "%q is no number of a version", text)
		}
	}
	var docs [2]*object.Version
	var texts [2]string
	for i, n := range numbers {
		if docs[i], err = st.ObjectVersion(ctx, obj.ID, n); err != nil {
			return err
		}
		raw, err := st.Content(ctx, docs[i])
		if err != nil {
			return err
		}
		texts[i] = escaped(raw)
	}
	d := objectDiffJSON{ID: obj.ID, Before: numbers[0], After: numbers[1], Fields: append([]string{}, object.Differing(&docs[0].Doc, &docs[1].Doc)...)}
	if texts[0] != texts[1] {
		d.Lines = object.DiffLines(texts[0], texts[1])
	} else {
		d.Lines = []object.Line{}
	}
	if err := a.out.emit(d, func(w *out) { printObjectDiff(w, d) }); err != nil {
		return err
	}
	if exit && (len(d.Fields) > 0 || len(d.Lines) > 0) {
		return silent(exitFailed)
	}
	return nil
}

func printObjectDiff(w *out, d objectDiffJSON) {
	if len(d.Fields) > 0 {
		w.printf("differ: %s\n", strings.Join(d.Fields, ", "))
	}
	if len(d.Lines) == 0 {
		return
	}
	w.printf("--- %s version %d\n+++ %s version %d\n", d.ID, d.Before, d.ID, d.After)
	for _, h := range object.Hunks(d.Lines, 3) {
		w.printf("%s\n", w.style(styleCyan, fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.From, h.FromLines, h.To, h.ToLines)))
		for _, l := range h.Lines {
			op, style := l.Op, ""
			switch op {
			case "=":
				op = " "
			case "-":
				style = styleRed
			case "+":
				style = styleGreen
			}
			text := op + strings.TrimSuffix(l.Text, "\n")
			if style != "" {
				text = w.style(style, text)
			}
			w.printf("%s\n", text)
			if !strings.HasSuffix(l.Text, "\n") {
				w.printf("\\ no line end\n")
			}
		}
	}
}

func (a *app) objectRefs() *cobra.Command {
	cmd := a.objectVerb("refs ID", "List what an object refers to, and what refers to it",
		`Lists the references of an object, and those to it: the direction, the field, the
other object. One to a single version says which; one to an object that is not there is
marked.`,
		"  pictx object refs o-3f9a\n  pictx object refs o-3f9a --json", "3 10 11 12", a.runObjectRefs)
	a.jsonFlag(cmd)
	return cmd
}

// refJSON is a reference as JSON.
type refJSON struct {
	From     string      `json:"from"`
	Field    string      `json:"field"`
	To       string      `json:"to"`
	Ref      *object.Ref `json:"ref,omitempty"` // of one to a version
	Resolved bool        `json:"resolved"`
}

func (a *app) runObjectRefs(ctx context.Context, id string) error {
	st, _, err := a.store(ctx, sqlite.Read)
	if err != nil {
		return err
	}
	defer st.Close()
	obj, err := a.object(ctx, st, id)
	if err != nil {
		return err
	}
	from, to, err := st.References(ctx, obj.ID)
	if err != nil {
		return err
	}
	if len(from)+len(to) == 0 {
		return withHint(exitNotFound, "pictx object show "+obj.ID, fmt.Errorf("%s refers to nothing, and nothing to it", obj.ID))
	}
	var cells [][]string
	for _, r := range append(from, to...) {
		if a.json {
			if err := a.out.line(refJSON{r.From, r.Field, r.To, r.Ref, r.Resolved}); err != nil {
				return err
			}
			continue
		}
		direction, other, note := "to", r.To, ""
		if r.To == obj.ID {
			direction, other = "from", r.From
		}
		if !r.Resolved {
			note = "not there"
		} else if r.Ref != nil && r.Ref.Tx > 0 {
			note = fmt.Sprintf("transaction %d, turn %d", r.Ref.Tx, r.Ref.Position)
		}
		cells = append(cells, []string{direction, r.Field, other, note})
	}
	table(a.out, cells)
	return nil
}
