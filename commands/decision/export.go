package decision

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/record"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/repo"
)

type exportOptions struct {
	format, output string
	force          bool
}

func exportVerb() verb {
	o := exportOptions{format: "json"}
	return verb{
		use:   "export",
		short: "Export decisions as records (ADR, MADR) or JSON",
		exits: "4 12",
		args:  cli.NoArgs,
		flags: func(cmd *cobra.Command) {
			f := cmd.Flags()
			cli.WordFlag(cmd, &o.format, "format", "the `form`", record.FormADR, record.FormMADR, "json")
			f.StringVarP(&o.output, "output", "o", "", "write to this `path`")
			f.BoolVar(&o.force, "force", false, "overwrite records that differ")
		},
		run: o.run,
	}
}

// run writes the decisions.
func (o *exportOptions) run(_ context.Context, w *decisions, _ []string) error {
	_, s, err := w.load()
	if err != nil {
		return err
	}
	list, toFile := s.Present(), o.output != "" && o.output != "-"
	switch {
	case o.format != "json":
		return exportRecords(w, s, list, *o)
	case w.app.JSON && !toFile:
		return emitAll(w, list, printSummary) // as decision list prints them
	}
	body, err := json.Marshal(list, jsontext.WithIndent("  "))
	body = append(body, '\n')
	switch {
	case err != nil:
		return err
	case toFile:
		return repo.Replace(w.app.Path(o.output), body, 0o644)
	}
	return w.app.Out.Foreign(body)
}

// exportedRecord is the JSON output for a written record.
type exportedRecord struct {
	V     int    `json:"v"`
	Path  string `json:"path"`
	State string `json:"state"` // written, unchanged or kept
}

// exportRecords writes decision records.
func exportRecords(w *decisions, s *decision.State, list []*decision.Decision, o exportOptions) error {
	if o.output == "" {
		return exit.UsageError("pictx decision export --format "+o.format+" --output docs/decisions", "missing --output: want a directory for the records")
	}
	dir, kept := w.app.Path(o.output), 0
	for _, r := range record.Files(s, list, o.format, recordNames(w, s, o.output)) {
		v := exportedRecord{1, filepath.Join(dir, r.Name), "written"}
		old, err := os.ReadFile(v.Path)
		switch {
		case err == nil && string(old) == r.Text:
			v.State = "unchanged"
		case err == nil && !o.force:
			v.State, kept = "kept", kept+1
			w.say("warning: %s differs and stays as it is\nhint: --force writes over it", text.Printable(v.Path))
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("export decisions: %w", err)
		default:
			if err := repo.Replace(v.Path, []byte(r.Text), 0o644); err != nil {
				return err
			}
		}
		if err := w.emit(v, func(o *cli.Out) { o.Printf("%s %s\n", v.State, text.Printable(v.Path)) }); err != nil {
			return err
		}
	}
	if kept > 0 {
		return exit.Silent(exit.Partly)
	}
	return nil
}

// recordNames returns the names of the records in a directory, by the id in the record or
// of the decision that was imported from it.
func recordNames(w *decisions, s *decision.State, dir string) map[string]string {
	out := make(map[string]string)
	files, _ := decisionFiles(w, dir) // a missing directory has none
	for _, f := range files {
		if found, err := readRecord(w.Project.Root, f); err == nil {
			out[found.Of(s)] = filepath.Base(f)
		}
	}
	return out
}

// importedRecord is the JSON output for an imported decision.
type importedRecord struct {
	V     int    `json:"v"`
	File  string `json:"file"`
	Text  string `json:"text"`
	ID    string `json:"id"`
	State string `json:"state"` // added or known

	// Closest are the active decisions to compare an added one with.
	Closest []*decision.Decision `json:"closest"`
}

func importVerb() verb {
	var dry, accept bool
	return verb{
		use:   "import PATH…",
		short: "Import decision records as drafts",
		exits: "3 4 5 11 12 130",
		args:  cli.SomeArgs(1, -1),
		flags: func(cmd *cobra.Command) {
			cmd.Flags().BoolVar(&dry, "dry-run", false, "write nothing; show what would be added")
			cmd.Flags().BoolVar(&accept, "accept", false, "make records that are accepted there active at once, not drafts")
		},
		writes: true,
		run: func(ctx context.Context, w *decisions, args []string) error {
			if accept {
				if err := w.app.ForPeople("accept decisions"); err != nil {
					return err
				}
			}
			return (&importing{decisions: w, dry: dry, accept: accept}).from(ctx, args)
		},
	}
}

// importing is an import of records.
type importing struct {
	*decisions
	dry, accept bool

	all []record.Item
	did []record.Imported
	// closest are the active decisions closest to each, from before the import.
	closest [][]*decision.Decision
}

// from adds decisions from files. At a terminal it asks once what becomes of those that are
// accepted there.
func (im *importing) from(ctx context.Context, args []string) error {
	skipped, err := im.find(args)
	if err == nil && len(im.all) == 0 {
		err = exit.WithHint(exit.NotFound, "", errors.New("import decisions: there are none in it"))
	}
	if err == nil {
		err = im.try(ctx)
	}
	if err == nil && !im.accept && !im.dry && im.asks() {
		err = im.ask(ctx)
	}
	if err == nil && !im.dry {
		_, err = im.change(ctx, im.add)
	}
	if err != nil {
		return err
	}
	left, err := im.show()
	if err == nil && skipped+left > 0 {
		err = exit.Silent(exit.Partly)
	}
	return err
}

// find reads the records in files and counts the files that it skips.
func (im *importing) find(args []string) (skipped int, err error) {
	for _, arg := range args {
		files, err := decisionFiles(im.decisions, arg)
		if err != nil {
			return 0, err
		}
		for _, f := range files {
			found, err := readRecord(im.Project.Root, f)
			if err != nil {
				im.say("warning: %s is left out: %s", text.Printable(f), text.Printable(err.Error()))
				skipped++
				continue
			}
			im.all = append(im.all, found)
			if left := found.Left(); left != "" {
				im.say("%s: %s", text.Printable(found.File), text.Printable(left))
			}
		}
	}
	return skipped, nil
}

// add adds the records that are not known yet.
func (im *importing) add(e *decision.Editor) (err error) {
	im.did, err = record.Import(e, im.all, im.accept)
	return err
}

// try computes the import, and what is closest to each record.
func (im *importing) try(ctx context.Context) error {
	log, s, err := im.load()
	if err != nil {
		return err
	}
	for _, f := range im.all {
		im.closest = append(im.closest, append([]*decision.Decision{}, s.Closest(f.Text, nil)...))
	}
	e, err := im.Editor(ctx, log, s)
	if err != nil {
		return err
	}
	return im.add(e)
}

// ask asks whether the records that are accepted there become active at once.
func (im *importing) ask(ctx context.Context) error {
	var accepted []decision.Entrant
	for i, f := range im.all {
		if im.did[i].Added && f.Was == decision.Active {
			accepted = append(accepted, decision.Entrant{Text: f.Text, Closest: im.closest[i]})
		}
	}
	if len(accepted) == 0 {
		return nil
	}
	do, err := decision.AskAdopted(ctx, im, accepted)
	if im.accept = do == decision.DoAdd; do == decision.DoCancel {
		err = errCancelled
	}
	return err
}

// show prints the results of an import and counts the items that were left out.
func (im *importing) show() (left int, err error) {
	var lines []importedRecord
	for i, f := range im.all {
		l := importedRecord{V: 1, File: f.File, Text: f.Text, ID: im.did[i].ID, State: "known", Closest: []*decision.Decision{}}
		switch did := im.did[i]; {
		case did.Err != nil:
			im.say("warning: %s is left out: %s", text.Printable(f.File), text.Printable(did.Err.Error()))
			left++
			continue
		case did.Added && im.dry:
			l.ID, l.State, l.Closest = "", "would add", im.closest[i]
		case did.Added:
			l.State, l.Closest = "added", im.closest[i]
		}
		lines = append(lines, l)
	}
	return left, emitAll(im.decisions, lines, func(o *cli.Out, l importedRecord) {
		o.Printf("%s %s %s: %s\n", l.State, l.ID, text.Printable(l.File), decision.CutWord(text.TerminalLine(l.Text), 80))
		if len(l.Closest) > 0 && (im.dry || im.accept) {
			o.Printf("  closest: %s\n", l.Closest[0].Summary())
		}
	})
}

// readRecord reads the record in a file. Its path becomes relative to root if it is inside of that.
func readRecord(root, path string) (record.Item, error) {
	const limit = 1 << 20
	b, err := repo.ReadRegular(path, limit)
	if err != nil {
		return record.Item{}, err
	}
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		path = filepath.ToSlash(rel)
	}
	return record.Read(path, string(b))
}

// decisionFiles lists the Markdown files that an argument names.
func decisionFiles(w *decisions, arg string) ([]string, error) {
	path := w.app.Path(arg)
	st, err := os.Stat(path)
	if err != nil {
		return nil, exit.WithHint(exit.NotFound, "", fmt.Errorf("import decisions: %w", err))
	}
	if !st.IsDir() {
		return []string{path}, nil
	}
	files, err := filepath.Glob(filepath.Join(path, "*.md"))
	if err != nil {
		return nil, fmt.Errorf("import decisions: %w", err)
	}
	index := func(f string) bool {
		name := strings.ToLower(filepath.Base(f))
		return name == "readme.md" || name == "index.md" || strings.Contains(name, "template")
	}
	return slices.DeleteFunc(files, index), nil
}
