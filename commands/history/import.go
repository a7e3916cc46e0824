package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sort"
	"time"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/console"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/door"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/lcm"
	"github.com/coctostan/pictx/sqlite/search"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

type importOptions struct {
	all    bool
	dryRun bool
	lcm    string
}

// ImportCommand returns the command pictx import.
func ImportCommand(a *cli.Run) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:         "import [FILE|DIR]...",
		GroupID:     cli.GroupHistory,
		Short:       "Import session files into the store",
		Annotations: cli.Exits("3 4 5 11 12 130"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runImport(a, cmd.Context(), o, args)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"jsonl"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	cmd.Flags().BoolVar(&o.all, "all", false, "read the sessions of every project, each into its own store")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "read and count, but store nothing")
	cmd.Flags().StringVar(&o.lcm, "lcm", "", "import this `database` of the extension pi-lcm")
	a.JSONFlag(cmd)
	return cmd
}

// importSummary is what import prints as JSON.
type importSummary struct {
	Files     int              `json:"files"`     // looked at
	Unchanged int              `json:"unchanged"` // of them not written to since the last time
	Ignored   int              `json:"ignored"`   // left out by history.ignore
	Entries   int              `json:"entries"`   // read
	Added     int              `json:"added"`     // of them new
	Bytes     int64            `json:"bytes"`     // read
	DryRun    bool             `json:"dry_run"`
	Problems  []importProblem  `json:"problems"`
	Stores    []string         `json:"stores"`
	Reports   []history.Report `json:"sessions"`
	Summaries int              `json:"summaries,omitempty"` // of --lcm

	underived int  // entries that the indexes of parts of words lack afterwards
	unmerged  bool // an index is in more segments afterwards than it need be
}

// importProblem is a line, or a whole file when Line is 0, that was not stored.
type importProblem struct {
	File string `json:"file"`
	history.Problem
}

func runImport(a *cli.Run, ctx context.Context, o importOptions, args []string) error {
	pl, err := a.Place()
	if err != nil {
		return err
	}
	set, err := a.LoadSettings(pl)
	if err != nil {
		return err
	}
	a.Warn(set)
	if !set.Config.History.Enabled {
		return exit.WithHint(exit.Refused, "pictx config set history.enabled true", errors.New("import sessions: history is switched off"))
	}
	if o.lcm != "" {
		if len(args) > 0 {
			return exit.UsageError("pictx import --lcm FILE", "--lcm takes no other files")
		}
		return importLCM(a, ctx, pl, o)
	}
	if o.all && len(args) > 0 {
		return exit.UsageError("pictx import --all", "--all reads pi's own sessions and takes no files")
	}
	sum := &importSummary{DryRun: o.dryRun, Problems: []importProblem{}, Stores: []string{}, Reports: []history.Report{}}
	found, err := importPlaces(a, pl, o, args)
	if err != nil {
		return err
	}
	jobs := importJobs(a, pl, found, set.Config.History.Ignore, sum)
	if err := importAll(a, ctx, o, jobs, sum); err != nil {
		return err
	}
	if err := a.Out.Emit(sum, sum.Text); err != nil {
		return err
	}
	return importVerdict(a, o, sum)
}

// importVerdict prints what went wrong, and returns the exit code as an error.
func importVerdict(a *cli.Run, o importOptions, sum *importSummary) error {
	if sum.underived > 0 {
		fmt.Fprintf(a.Env.Err, "pictx: %s\nhint: pictx import, or leave them to pi, in which they are indexed while it is idle\n", workspace.UnderivedText(sum.underived))
	}
	if sum.unmerged && sum.underived == 0 {
		fmt.Fprintf(a.Env.Err, "pictx: the segments of the indexes are not merged yet: searches take longer until they are\nhint: pictx doctor --fix, or leave them to pi, in which they are merged while it is idle\n")
	}
	bad, whole := false, 0
	for _, p := range sum.Problems {
		bad = bad || !p.Torn
		if p.Line == 0 {
			whole++
		}
		if p.Torn || !a.JSON { // errors are in the document
			fmt.Fprintln(a.Env.Err, p.text())
		}
	}
	switch {
	case whole > 0 && whole == sum.Files:
		return exit.Silent(exit.Failed)
	case bad:
		return exit.Silent(exit.Partly)
	case sum.Files == 0 && sum.Ignored == 0 && o.all:
		return exit.WithHint(exit.NotFound, "pictx import FILE", errors.New("no sessions of pi were found"))
	case sum.Files == 0 && sum.Ignored == 0:
		return exit.WithHint(exit.NotFound, "pictx import FILE, or pictx import --all", errors.New("no sessions of this project were found"))
	}
	return nil
}

// text is the problem for a person.
func (p *importProblem) text() string {
	kind, place := map[bool]string{true: "warning", false: "error"}[p.Torn], ""
	if p.Line > 0 {
		place = fmt.Sprintf("%s: line %d: ", p.File, p.Line)
	}
	return "pictx: " + kind + ": " + place + text.Printable(p.Cause)
}

// Text prints it for a person.
func (s *importSummary) Text(w *cli.Out) {
	if s.Files == 0 && s.Ignored == 0 {
		return // the error that follows says so
	}
	verb := map[bool]string{false: "added", true: "would add"}[s.DryRun]
	w.Printf("%s %s from %s (%s read, %s unchanged)\n", verb, text.Count(s.Added, "entry"),
		text.Count(s.Files, "session file"), text.Bytes(s.Bytes), text.Thousands(int64(s.Unchanged)))
	if s.Summaries > 0 {
		w.Printf("added %s\n", text.Count(s.Summaries, "summary"))
	}
	if s.Ignored > 0 {
		w.Printf("%s left out by history.ignore\n", text.Count(s.Ignored, "session file"))
	}
}

// importJob is a session file and the store it goes into.
type importJob struct {
	workspace.PastSession
	file  history.File
	store string
	key   string
	size  int64
}

// importJobs lists the sessions to read of those found, and counts in sum the others.
func importJobs(a *cli.Run, pl workspace.Place, found []workspace.KeptSession, ignore []string, sum *importSummary) []importJob {
	var jobs []importJob
	for _, f := range found {
		if history.Ignored(ignore, f.Place, f.Head.CWD) {
			sum.Ignored++
			continue
		}
		if err := readable(a, f); err != nil {
			sum.Files++
			sum.Problems = append(sum.Problems, importProblem{f.Place, history.Problem{Cause: err.Error()}})
			continue
		}
		job := importJob{file: a.Sources().Read(f.Place), store: f.Project.StorePath(pl.AgentDir), key: f.Project.Key}
		job.Place, job.Root = f.Place, f.Project.Root
		if info, err := job.file.Info(); err == nil {
			job.size = info.Size
		}
		jobs = append(jobs, job)
	}
	// By store; within one the files stay in the order of their names, which in
	// pi's own folders is that of time.
	sort.SliceStable(jobs, func(i, j int) bool { return jobs[i].store < jobs[j].store })
	return jobs
}

// readable returns why there is nothing to import: a session has a head or, when its
// first line is damaged, messages.
func readable(a *cli.Run, k workspace.KeptSession) error {
	if k.NoHead == nil {
		return nil
	}
	s, err := a.Sources().Open(k.Place)
	if err != nil {
		return k.NoHead
	}
	defer s.Close()
	if !history.IsSession(s) {
		return k.NoHead
	}
	return nil
}

// importPlaces lists the sessions of the arguments, or those that agents keep.
func importPlaces(a *cli.Run, pl workspace.Place, o importOptions, args []string) ([]workspace.KeptSession, error) {
	if len(args) == 0 {
		return workspace.KeptSessions(a.Sources(), pl, o.all)
	}
	var places []string
	for _, arg := range args {
		path := a.Path(arg)
		st, err := os.Stat(path)
		if err != nil && !a.Sources().Has(path) {
			return nil, exit.WithHint(exit.NotFound, "pictx import --help", fmt.Errorf("open session: %w", err))
		}
		if err != nil || !st.IsDir() {
			places = append(places, path)
			continue
		}
		in, err := workspace.SessionsIn(a.Sources(), path, arg, "pictx import FILE")
		if err != nil {
			return nil, err
		}
		places = append(places, in...)
	}
	var out []workspace.KeptSession
	seen := make(map[string]bool)
	for _, place := range places {
		if !seen[place] {
			head, err := a.Sources().Head(place)
			out = append(out, workspace.KeptSession{Place: place, Head: head, NoHead: err, Project: pl.Project})
		}
		seen[place] = true
	}
	return out, nil
}

// importGarbage is how much garbage an import leaves before it is collected, in percent
// of the memory in use.
const importGarbage = 25

// importAll runs the jobs, store by store.
func importAll(a *cli.Run, ctx context.Context, o importOptions, jobs []importJob, sum *importSummary) error {
	var total int64
	for _, j := range jobs {
		total += j.size
	}
	r := &importRun{app: a, dry: o.dryRun, sum: sum, bar: a.Progress("reading", total)}
	defer r.bar.End()
	// What an import holds is large and soon replaced: waiting until there is as much
	// garbage again would double the memory it takes, and saves nothing.
	defer debug.SetGCPercent(debug.SetGCPercent(importGarbage))
	for len(jobs) > 0 {
		n := 1
		for n < len(jobs) && jobs[n].store == jobs[0].store {
			n++
		}
		if err := r.readStore(ctx, jobs[:n]); err != nil {
			return err
		}
		jobs = jobs[n:]
	}
	return nil
}

// importRun is an import at work.
type importRun struct {
	app *cli.Run
	dry bool // nothing is stored
	sum *importSummary
	bar *console.Progress
}

// readStore reads the sessions of one store.
func (r *importRun) readStore(ctx context.Context, jobs []importJob) error {
	st, own, err := importTarget(r.app, ctx, r.dry, jobs[0])
	if err != nil {
		return err
	}
	r.sum.Stores = append(r.sum.Stores, jobs[0].store)
	err = r.eachFile(ctx, st, jobs)
	if own != nil {
		if err == nil {
			err = workspace.ImportObjects(ctx, r.app.Workspace, own, len(jobs), func(i int) workspace.PastSession { return jobs[i].PastSession })
		}
		if err == nil {
			grew := slices.ContainsFunc(jobs, func(j importJob) bool { return j.Grew })
			err = caughtUp(r.app, ctx, own, grew, r.sum)
		}
		err = errors.Join(err, own.Close())
	}
	return err
}

// indexTime bounds how long an import indexes parts of words: it suffices for about a
// million messages on two processors. The rest follows when the agent is idle, or with the
// next import.
const indexTime = 3 * time.Minute

// mergeTime bounds how long an import that has nothing to index merges what others left.
const mergeTime = 2 * time.Second

// caughtUp completes the indexes, and warns when this build has none. Words are indexed as
// they are stored, unless a build without full-text search stored them; parts of words are
// indexed now, and the import reports what is left. Where nothing grew it ends soon.
func caughtUp(a *cli.Run, ctx context.Context, s *store.Store, grew bool, sum *importSummary) error {
	if !s.Search.FullText() {
		fmt.Fprintln(a.Env.Err, "pictx: warning: this binary was built without full-text search: searching will scan\nhint: build with -tags sqlite_fts5 (make build)")
		return nil
	}
	left, err := s.Search.Underived(ctx)
	if err != nil {
		return err
	}
	limit := indexTime
	if !grew && left == 0 {
		limit = mergeTime
	}
	left, err = a.IndexAll(ctx, s, a.Until(limit))
	sum.underived += left
	sum.unmerged = sum.unmerged || search.Unmerged(s.Search)
	return err
}

// importTarget opens the store of a job: own is the store when it is written to. A dry
// run opens what exists, and does without when nothing does.
func importTarget(a *cli.Run, ctx context.Context, dry bool, j importJob) (st history.Store, own *store.Store, err error) {
	if dry {
		s, err := store.Open(ctx, j.store, sqlite.Read, a.Env.Now)
		if errors.Is(err, sqlite.ErrNoStore) {
			return emptyStore{}, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		return s.Entries, nil, nil
	}
	redactor, err := workspace.RedactorOf(a.Workspace, false)
	if err != nil {
		return nil, nil, err
	}
	s, err := a.OpenStore(ctx, j.store, sqlite.Write)
	if err != nil {
		return nil, nil, err
	}
	st = door.LoadStore(s.Entries, redactor)
	return st, s, s.SeenFrom(ctx, j.key, j.Root)
}

// eachFile ingests the files, several at once. A dry run stores nothing, and reads
// them one by one.
func (r *importRun) eachFile(ctx context.Context, st history.Store, jobs []importJob) error {
	opt := history.Options{DryRun: r.dry, Progress: r.bar.Add}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := func(i int, rep history.Report, err error) {
		jobs[i].Grew = rep.Added > 0
		if rep.Unchanged {
			r.bar.Add(jobs[i].size)
		}
		if err := r.sum.add(rep, err); err != nil {
			cancel(err)
		}
	}
	all, ok := st.(history.LoadStore)
	if ok && !r.dry {
		files := make([]history.File, len(jobs))
		for i, j := range jobs {
			files[i] = j.file
		}
		return history.IngestAll(ctx, all, files, opt, done)
	}
	for i, j := range jobs {
		rep, err := history.Ingest(ctx, st, j.file, opt)
		if done(i, rep, err); ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// add counts a report. An error of the store ends the import; an error of one
// file is a problem of that file.
func (s *importSummary) add(rep history.Report, err error) error {
	s.Files++
	if err != nil {
		var store *history.StoreError
		if errors.As(err, &store) || errors.Is(err, context.Canceled) {
			return err
		}
		s.Problems = append(s.Problems, importProblem{rep.Path, history.Problem{Cause: err.Error()}})
		return nil
	}
	if rep.Unchanged {
		s.Unchanged++
	}
	s.Entries += rep.Entries
	s.Added += rep.Added
	s.Bytes += rep.Bytes
	for _, p := range rep.Problems {
		s.Problems = append(s.Problems, importProblem{rep.Path, p})
	}
	s.Reports = append(s.Reports, rep)
	return nil
}

// emptyStore is the store of a dry run where there is none.
type emptyStore struct{}

func (emptyStore) FileState(context.Context, string) (*history.FileState, error) { return nil, nil }

func (emptyStore) Encode(*history.Batch) error { return nil }

func (emptyStore) Append(context.Context, *history.Batch) (int, error) { return 0, nil }

// importLCM takes over a database of the extension pi-lcm into this project's
// store. What pi's session files have is not stored twice.
func importLCM(a *cli.Run, ctx context.Context, pl workspace.Place, o importOptions) error {
	if o.all || o.dryRun {
		return exit.UsageError("pictx import --lcm FILE", "--lcm goes with neither --all nor --dry-run")
	}
	l, err := lcm.Open(ctx, a.Path(o.lcm))
	if err != nil {
		return err
	}
	defer l.Close()
	sessions, err := l.Sessions(ctx)
	if err != nil {
		return err
	}
	job := importJob{store: pl.StorePath(pl.AgentDir), PastSession: workspace.PastSession{Root: pl.Root}, key: pl.Key}
	keep, st, err := importTarget(a, ctx, false, job)
	if err != nil {
		return err
	}
	sum := &importSummary{Problems: []importProblem{}, Stores: []string{job.store}, Reports: []history.Report{}}
	defer debug.SetGCPercent(debug.SetGCPercent(importGarbage))
	err = lcmSessions(a, ctx, lcmTarget{st, keep}, sessions, sum)
	if err == nil {
		sum.underived, err = a.IndexAll(ctx, st, a.Until(indexTime))
	}
	if err = errors.Join(err, st.Close()); err != nil {
		return err
	}
	if err := a.Out.Emit(sum, sum.Text); err != nil {
		return err
	}
	return importVerdict(a, o, sum)
}

// lcmTarget is where sessions of pi-lcm go.
type lcmTarget struct {
	*store.Store
	keep history.Store // which masks entries
}

// lcmSessions stores the sessions one by one.
func lcmSessions(a *cli.Run, ctx context.Context, st lcmTarget, sessions []*lcm.Session, sum *importSummary) error {
	for _, s := range sessions {
		if err := s.Except(ctx, st.Entries); err != nil {
			return err
		}
		rep, err := history.Ingest(ctx, st.keep, s, history.Options{})
		if err := sum.add(rep, err); err != nil {
			return err
		}
		added, left, err := s.TakeSummaries(ctx, st.Summaries, st.Entries)
		if err != nil {
			return err
		}
		sum.Summaries += added
		if left > 0 {
			fmt.Fprintf(a.Env.Err, "pictx: warning: session %s: %s without sources left out\n", text.Printable(s.ID), text.Count(left, "summary"))
		}
	}
	return nil
}
