package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/entries"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// eraseOptions are the flags of history purge and history redact.
type eraseOptions struct {
	filterFlags
	sessions []string
	entries  []string
	match    string
	known    bool // keys of known formats instead of match
	all      bool // in every project
	yes, dry bool
}

// flags declares the flags that both commands have.
func (o *eraseOptions) flags(f *pflag.FlagSet) {
	f.StringSliceVar(&o.sessions, "session", nil, "only of these sessions: `id` or its beginning")
	f.StringSliceVar(&o.entries, "entry", nil, "only these entries: `id`")
	f.BoolVar(&o.yes, "yes", false, "do not ask")
	f.BoolVar(&o.dry, "dry-run", false, "change nothing; show what would be deleted or masked")
}

// some reports whether the flags choose only some entries.
func (o *eraseOptions) some() bool {
	return len(o.sessions)+len(o.entries)+len(o.roles) > 0 || o.tool != "" || o.after != "" || o.before != ""
}

func purgeCommand(a *cli.Run) *cobra.Command {
	var o eraseOptions
	cmd := cli.Command("purge", "Delete entries from the store for good", "3 4 5 10 11 12 130", cli.NoArgs, func(ctx context.Context, _ []string) error {
		return runPurge(a, ctx, o)
	})
	o.flags(cmd.Flags())
	o.filterFlags.flags(cmd)
	cmd.Flags().StringVar(&o.match, "match", "", "only entries whose text matches this `regex`, ignoring case")
	a.JSONFlag(cmd)
	a.CompleteSession(cmd)
	return cmd
}

func redactCommand(a *cli.Run) *cobra.Command {
	var o eraseOptions
	cmd := cli.Command("redact [REGEX]", "Mask text in the store for good", "3 4 5 10 11 12 130", cli.SomeArgs(0, 1), func(ctx context.Context, args []string) error {
		if len(args) > 0 {
			o.match = args[0]
		}
		return runRedact(a, ctx, o)
	})
	o.flags(cmd.Flags())
	cmd.Flags().BoolVar(&o.all, "all", false, "in every project")
	cmd.MarkFlagsMutuallyExclusive("all", "session")
	cmd.MarkFlagsMutuallyExclusive("all", "entry")
	cmd.Flags().BoolVar(&o.known, "known-keys", false, "mask keys of known formats, and what redact.patterns match")
	a.JSONFlag(cmd)
	a.CompleteSession(cmd)
	return cmd
}

// eraseResult is what history purge and history redact print as JSON.
type eraseResult struct {
	Project  string          `json:"project,omitempty"` // with --all
	DryRun   bool            `json:"dry_run"`
	Entries  int             `json:"entries"`
	Texts    int             `json:"texts"`   // their texts that no other entry has
	Objects  int             `json:"objects"` // contents with text of them, which are deleted
	Bytes    int64           `json:"bytes"`
	Sessions []erasedSession `json:"sessions"`
	Verified bool            `json:"verified"` // the bytes are gone from the store's files
	Remains  []string        `json:"remains"`  // files of the store that still hold some
	Copies   []string        `json:"copies"`   // earlier copies of the store
	Kept     []string        `json:"kept"`     // names in the store that match, by kind: they connect entries
	// Elsewhere lists the sessions that still have some of the texts, in other entries.
	Elsewhere []erasedSession `json:"elsewhere"`
	Blobs     int             `json:"blobs"` // that hold text of them, and are deleted
}

// erasedSession is how much of a session is erased.
type erasedSession struct {
	Session string `json:"session"`
	Entries int    `json:"entries"`
	File    string `json:"file"` // pi's session file, which is not changed
}

// eraser is a purge, or with a finder a redaction.
type eraser struct {
	verb, done, question string
	project              string         // with --all
	find                 history.Finder // what is masked, nil to purge
}

func runPurge(a *cli.Run, ctx context.Context, o eraseOptions) error {
	if !o.some() && o.match == "" {
		set, _, err := a.Resolved()
		if err != nil {
			return err
		}
		if days := set.Config.History.KeepDays; days > 0 {
			o.before = fmt.Sprintf("%dd", days)
		}
	}
	if !o.some() && o.match == "" {
		return exit.UsageError("pictx history purge --before 26w", "purge history: want --session, --entry, --role, --tool, --after, --before or --match")
	}
	return chooseAndErase(a, ctx, o, eraser{verb: "purge", done: "purged", question: "Purge"})
}

func runRedact(a *cli.Run, ctx context.Context, o eraseOptions) error {
	if o.known == (o.match != "") {
		return exit.UsageError("pictx history redact --known-keys", "redact history: want a regular expression, or --known-keys")
	}
	find, err := o.finder(a)
	if err != nil {
		return err
	}
	if history.Finds(find, "") {
		return exit.UsageError("pictx history redact 'sk-[a-z0-9]+'", "the expression matches the empty text, and so everything")
	}
	return chooseAndErase(a, ctx, o, eraser{verb: "mask", done: "masked text in", question: "Mask text in", find: find})
}

// chooseAndErase chooses entries, asks for confirmation, erases them and verifies that.
func chooseAndErase(a *cli.Run, ctx context.Context, o eraseOptions, e eraser) error {
	if o.all {
		return eraseEverywhere(a, ctx, o, e)
	}
	var st *store.Store
	var err error
	if o.dry {
		st, _, err = a.Store(ctx, sqlite.Read)
	} else {
		st, err = a.ExistingStore(ctx)
	}
	if err != nil {
		return err
	}
	return errors.Join(eraseShown(a, ctx, st, o, e), st.Close())
}

// eraseEverywhere erases in every project that has what matches, and asks for each.
func eraseEverywhere(a *cli.Run, ctx context.Context, o eraseOptions, e eraser) error {
	mode, found := sqlite.Write, false
	if o.dry {
		mode = sqlite.Read
	}
	var nothing error
	err := a.EachStore(ctx, mode, func(st *store.Store, _, root string) error {
		e.project = cmp.Or(root, "unknown")
		err := eraseShown(a, ctx, st, o, e)
		if code, _ := workspace.Verdict(err); err != nil && code == exit.NotFound {
			nothing = err
			return nil
		}
		found = true
		return err
	})
	if err == nil && !found {
		return nothing
	}
	return err
}

// eraseShown erases in a store and says what was done there.
func eraseShown(a *cli.Run, ctx context.Context, st *store.Store, o eraseOptions, e eraser) error {
	v, err := eraseIn(a, ctx, st, o, e)
	if err != nil {
		return err
	}
	if err := a.Out.Emit(v, func(w *cli.Out) { v.Text(w, e) }); err != nil {
		return err
	}
	if !v.DryRun {
		eraseNotes(a, v)
	}
	if !v.DryRun && (!v.Verified || len(v.Copies)+len(v.Elsewhere) > 0) {
		return exit.Silent(exit.Partly)
	}
	return nil
}

func eraseIn(a *cli.Run, ctx context.Context, st *store.Store, o eraseOptions, e eraser) (*eraseResult, error) {
	rows, err := st.Entries.Names(ctx)
	if err != nil {
		return nil, err
	}
	sel, err := selection(a, o, rows)
	if err != nil {
		return nil, err
	}
	c, err := st.Eraser.Choose(ctx, sel)
	if err != nil {
		return nil, err
	}
	everywhere := sel.Match
	if o.some() {
		everywhere = nil
	}
	objects, err := st.Objects.Of(ctx, c, everywhere)
	if err != nil {
		return nil, err
	}
	if c.Entries+len(objects) == 0 {
		return nil, exit.WithHint(exit.NotFound, "pictx grep --regex PATTERN", fmt.Errorf("%s history: no matching entries", e.verb))
	}
	cache, _, err := a.OpenBlobs()
	if err != nil {
		return nil, err
	}
	blobs, err := workspace.BlobsOf(ctx, cache, st, c, sel.Match)
	if err != nil {
		return nil, err
	}
	v := &eraseResult{
		Project: e.project, DryRun: o.dry, Entries: c.Entries, Texts: c.Texts, Objects: len(objects), Bytes: c.Bytes, Blobs: len(blobs),
		Remains: []string{}, Copies: []string{}, Kept: []string{}, Elsewhere: []erasedSession{},
	}
	files := make(map[string]string)
	for _, r := range rows {
		files[r.ID] = r.File
	}
	for _, s := range c.Sessions {
		v.Sessions = append(v.Sessions, erasedSession{s.ID, s.Entries, files[s.ID]})
	}
	for _, s := range c.Elsewhere {
		if e.find == nil { // a purge keeps texts that other entries have too
			v.Elsewhere = append(v.Elsewhere, erasedSession{s.ID, s.Entries, files[s.ID]})
		}
	}
	if o.dry {
		return v, nil
	}
	if err := a.Confirm(ctx, o.yes, e.question+" "+text.Count(c.Entries, "entry")+v.where()+"?", v.detail()); err != nil {
		return nil, err
	}
	// Objects are erased first. If the process is killed, the next run chooses the same entries.
	if err := st.Objects.Purge(ctx, objects); err != nil {
		return nil, err
	}
	if everywhere != nil {
		if err := st.Objects.MaskNames(ctx, everywhere); err != nil {
			return nil, err
		}
	}
	if e.find != nil {
		err = st.Eraser.Redact(ctx, c, e.find)
	} else {
		err = st.Eraser.Purge(ctx, c)
	}
	if err != nil {
		return nil, err
	}
	if _, err := cache.Purge(ctx, blobs); err != nil {
		return nil, err
	}
	left, err := st.Eraser.Scrub(ctx)
	if err != nil {
		return nil, err
	}
	if everywhere != nil {
		if v.Kept, err = st.Eraser.Kept(ctx, everywhere); err != nil {
			return nil, err
		}
		v.Copies = append(v.Copies, workspace.LogsWith(a.Workspace, func(text string) bool { return history.Finds(everywhere, text) })...)
	}
	v.Verified = len(left.Files)+len(v.Kept) == 0
	v.Remains, v.Copies = append(v.Remains, left.Files...), append(v.Copies, left.Copies...)
	return v, nil
}

// selection parses the flags into a selection of entries.
func selection(a *cli.Run, o eraseOptions, known []entries.Session) (erase.Selection, error) {
	sel := erase.Selection{Entries: o.entries}
	err := readFilter(a, &sel.Filter, o.filterFlags)
	if err != nil {
		return sel, err
	}
	for _, id := range o.sessions {
		row, err := workspace.PickSession(known, id)
		if err != nil {
			return sel, err
		}
		sel.Filter.Sessions = append(sel.Filter.Sessions, row.ID)
	}
	if o.match != "" || o.known {
		sel.Match, err = o.finder(a)
	}
	return sel, err
}

// finder returns what finds the text to erase.
func (o eraseOptions) finder(a *cli.Run) (history.Finder, error) {
	if o.known {
		return workspace.RedactorOf(a.Workspace, true)
	}
	re, err := history.CompileRegex(o.match, false)
	if err != nil {
		return nil, exit.UsageError("pictx history redact 'sk-[a-z0-9]+'", "%w", err)
	}
	return re, nil
}

// detail lists the entries for the confirmation.
func (v *eraseResult) detail() string {
	lines := make([]string, len(v.Sessions))
	for i, s := range v.Sessions {
		lines[i] = fmt.Sprintf("%s of session %s", text.Count(s.Entries, "entry"), text.TerminalLine(s.Session))
	}
	return cannotBeUndone(lines)
}

// where names the project, if there are several.
func (v *eraseResult) where() string {
	if v.Project == "" {
		return ""
	}
	return " of " + text.TerminalLine(v.Project)
}

// Text prints the result as text.
func (v *eraseResult) Text(w *cli.Out, e eraser) {
	verb := e.done
	if v.DryRun {
		verb = "would " + e.verb
	}
	w.Printf("%s %s%s, %s\n", verb, text.Count(v.Entries, "entry"), v.where(), text.Bytes(v.Bytes))
	for _, s := range v.Sessions {
		w.Printf("  %s of session %s\n", text.Count(s.Entries, "entry"), text.TerminalLine(s.Session))
	}
	if v.Objects > 0 {
		w.Printf("%s of objects that have text of them too\n", text.Count(v.Objects, "content"))
	}
	if v.Blobs > 0 {
		w.Printf("%s that hold text of them too\n", text.Count(v.Blobs, "blob"))
	}
	if len(v.Elsewhere) == 0 && v.Entries > v.Texts {
		w.Printf("%s of the texts are those of other entries too\n", text.Thousands(int64(v.Entries-v.Texts)))
	}
	if v.Verified && len(v.Elsewhere) == 0 {
		w.Printf("verified: the bytes are gone from the store\n")
	}
}

// eraseNotes says where the text still exists.
func eraseNotes(a *cli.Run, v *eraseResult) {
	a.Out.Flush()
	for _, f := range v.Remains {
		fmt.Fprintf(a.Env.Err, "pictx: warning: %s still holds some of it: another process has the store open\nhint: end it, then pictx history vacuum\n", f)
	}
	if len(v.Kept) > 0 {
		fmt.Fprintf(a.Env.Err, "pictx: warning: the store still has names that match, because they connect what is stored: %s\n", strings.Join(v.Kept, ", "))
	}
	for _, f := range v.Copies {
		fmt.Fprintf(a.Env.Err, "pictx: warning: %s was made before and may hold it\nhint: rm '%s'\n", f, f)
	}
	for _, s := range v.Elsewhere {
		fmt.Fprintf(a.Env.Err, "pictx: warning: session %s still has %s of these texts\nhint: pictx history purge --session %s, or --match TEXT for all sessions\n",
			text.TerminalLine(s.Session), text.Count(s.Entries, "copy"), text.ShellWord(s.Session))
	}
	for _, s := range v.Sessions {
		if a.Sources().Has(s.File) {
			fmt.Fprintf(a.Env.Err, "pictx: pi's own file still holds the text: %s\n", s.File)
		}
	}
}
