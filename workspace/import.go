package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// ImportSummary is what an import read and stored.
type ImportSummary struct {
	Files     int              `json:"files"`     // looked at
	Unchanged int              `json:"unchanged"` // of them not written to since the last time
	Ignored   int              `json:"ignored"`   // left out by history.ignore
	Entries   int              `json:"entries"`   // read
	Added     int              `json:"added"`     // of them new
	Bytes     int64            `json:"bytes"`     // read
	DryRun    bool             `json:"dry_run"`
	Problems  []ImportProblem  `json:"problems"`
	Stores    []string         `json:"stores"`
	Reports   []history.Report `json:"sessions"`
}

// ImportProblem is a line, or a whole file when Line is 0, that was not stored.
type ImportProblem struct {
	File string `json:"file"`
	history.Problem
}

// add counts a report. An error of the store ends the import; an error of one file is a
// problem of that file.
func (s *ImportSummary) add(rep history.Report, err error) error {
	s.Files++
	if err != nil {
		if as[*history.StoreError](err) || errors.Is(err, context.Canceled) {
			return err
		}
		s.Problems = append(s.Problems, ImportProblem{rep.Path, history.Problem{Cause: err.Error()}})
		return nil
	}
	if rep.Unchanged {
		s.Unchanged++
	}
	s.Entries += rep.Entries
	s.Added += rep.Added
	s.Bytes += rep.Bytes
	for _, p := range rep.Problems {
		s.Problems = append(s.Problems, ImportProblem{rep.Path, p})
	}
	s.Reports = append(s.Reports, rep)
	return nil
}

// Import is an import of sessions into their stores.
type Import struct {
	*Workspace
	Project  Project
	DryRun   bool              // store nothing
	Ignore   []string          // patterns of sessions to leave out
	Progress func(bytes int64) // called with every part that was read
	Sum      ImportSummary
}

// NewImport returns an import that has read nothing yet.
func NewImport(a *Workspace, pl Project, dryRun bool) *Import {
	return &Import{
		Workspace: a, Project: pl, DryRun: dryRun, Progress: func(int64) {},
		Sum: ImportSummary{DryRun: dryRun, Problems: []ImportProblem{}, Stores: []string{}, Reports: []history.Report{}},
	}
}

// ImportJob is a session to import into the store of its project.
type ImportJob struct {
	KeptSession
	Size int64 // of the file in bytes
	file history.File
	grew bool // the import has added entries
}

// Find lists the sessions of the arguments, which are files and directories. Without
// arguments it lists the sessions that agents keep of the project or, with all, of every
// project.
func (m *Import) Find(all bool, args []string) ([]KeptSession, error) {
	if len(args) == 0 {
		kept, err := KeptSessions(m.Sources(), m.Project, all)
		return append(kept, m.headless(kept)...), err
	}
	var places []string
	for _, arg := range args {
		path := m.Path(arg)
		st, err := os.Stat(path)
		if err != nil && !m.Sources().Has(path) {
			return nil, exit.WithHint(exit.NotFound, "pictx import --help", fmt.Errorf("open session: %w", err))
		}
		if err != nil || !st.IsDir() {
			places = append(places, path)
			continue
		}
		in, err := SessionsIn(m.Sources(), path, arg, "pictx import FILE")
		if err != nil {
			return nil, err
		}
		places = append(places, in...)
	}
	var out []KeptSession
	seen := make(map[string]bool)
	for _, place := range places {
		if !seen[place] {
			head, err := m.Sources().Head(place)
			out = append(out, KeptSession{Place: place, Head: head, NoHead: err, Project: m.Project})
		}
		seen[place] = true
	}
	return out, nil
}

// headless lists the sessions without a header beside those of a project, or where pi keeps
// those of this one, which they are taken to belong to. An agent does not open them.
func (m *Import) headless(kept []KeptSession) (out []KeptSession) {
	beside := map[string]Project{pi.DirName(m.Project.Root): m.Project} // by the directory's name
	for _, k := range kept {
		beside[filepath.Base(filepath.Dir(k.Place))] = k.Project
	}
	places, _ := m.Sources().Find("") // KeptSessions has reported the error
	for _, place := range places {
		if p, ok := beside[filepath.Base(filepath.Dir(place))]; ok {
			_, err := m.Sources().Head(place)
			if k := (KeptSession{Place: place, NoHead: err, Project: p}); err != nil && m.readable(k) == nil {
				out = append(out, k)
			}
		}
	}
	return out
}

// Jobs returns the jobs for sessions, sorted by store. It counts the ignored ones, and
// records those that cannot be read as problems.
func (m *Import) Jobs(found []KeptSession) []ImportJob {
	var jobs []ImportJob
	for _, f := range found {
		if history.Ignored(m.Ignore, f.Place, f.Head.CWD) {
			m.Sum.Ignored++
			continue
		}
		if err := m.readable(f); err != nil {
			m.Sum.Files++
			m.Sum.Problems = append(m.Sum.Problems, ImportProblem{f.Place, history.Problem{Cause: err.Error()}})
			continue
		}
		job := ImportJob{KeptSession: f, file: m.Sources().Read(f.Place)}
		if info, err := job.file.Info(); err == nil {
			job.Size = info.Size
		}
		jobs = append(jobs, job)
	}
	// Within a store the files stay in the order of their names, which in pi's own
	// directories is the order of time.
	slices.SortStableFunc(jobs, func(a, b ImportJob) int { return cmp.Compare(a.Project.Key, b.Project.Key) })
	return jobs
}

// readable returns why there is nothing to import: a session has a head or, when its
// first line is damaged, messages.
func (m *Import) readable(k KeptSession) error {
	if k.NoHead == nil {
		return nil
	}
	s, err := m.Sources().Open(k.Place)
	if err != nil {
		return k.NoHead
	}
	defer s.Close()
	if !history.IsSession(s) {
		return k.NoHead
	}
	return nil
}

// importGarbage is how much garbage an import leaves before it is collected, in percent
// of the memory in use. An import holds large buffers and soon replaces them: waiting for
// as much garbage again would double its memory and save nothing.
const importGarbage = 25

// While objects are captured one session is in memory at a time. When none is large, as much
// garbage again takes little more memory than the buffers that reading the files took.
// Collecting it as early as there would take a seventh of an import.
const (
	objectsGarbage = 100
	largeSession   = 8 << 20 // bytes
)

// Run imports the sessions of jobs, store by store.
func (m *Import) Run(ctx context.Context, jobs []ImportJob) error {
	defer debug.SetGCPercent(debug.SetGCPercent(importGarbage))
	for len(jobs) > 0 {
		n := slices.IndexFunc(jobs, func(j ImportJob) bool { return j.Project.Key != jobs[0].Project.Key })
		if n < 0 {
			n = len(jobs)
		}
		if err := m.importStore(ctx, jobs[:n]); err != nil {
			return err
		}
		jobs = jobs[n:]
	}
	return nil
}

// importStore imports the sessions of one store.
func (m *Import) importStore(ctx context.Context, jobs []ImportJob) error {
	st, own, err := m.target(ctx, jobs[0])
	if err != nil {
		return err
	}
	m.Sum.Stores = append(m.Sum.Stores, jobs[0].Project.StorePath())
	err = m.eachFile(ctx, st, jobs)
	if own == nil {
		return err
	}
	if err == nil && !m.DryRun {
		if !slices.ContainsFunc(jobs, func(j ImportJob) bool { return j.Size > largeSession }) {
			defer debug.SetGCPercent(debug.SetGCPercent(objectsGarbage))
		}
		err = m.importObjects(ctx, own, jobs)
	}
	return errors.Join(err, own.Close())
}

// target opens the store of a job, which is own. A dry run opens a store that exists to read it, and
// does without one otherwise.
func (m *Import) target(ctx context.Context, j ImportJob) (st history.Store, own *store.Store, err error) {
	if m.DryRun {
		s, err := store.Open(ctx, j.Project.StorePath(), sqlite.Read, m.Env.Now)
		if errors.Is(err, sqlite.ErrNoStore) {
			return emptyStore{}, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		return s.Entries, s, nil
	}
	redactor, err := RedactorOf(m.Workspace, false)
	if err != nil {
		return nil, nil, err
	}
	s, err := m.OpenStore(ctx, j.Project.StorePath(), sqlite.Write)
	if err != nil {
		return nil, nil, err
	}
	st = history.RedactedStore(s.Entries, redactor)
	return st, s, s.SeenFrom(ctx, j.Project.Key, j.Project.Root)
}

// eachFile ingests the files, several at once.
func (m *Import) eachFile(ctx context.Context, st history.Store, jobs []ImportJob) error {
	opt := history.Options{DryRun: m.DryRun, Progress: m.Progress}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := func(i int, rep history.Report, err error) {
		jobs[i].grew = rep.Added > 0
		if rep.Unchanged {
			m.Progress(jobs[i].Size)
		}
		if err := m.Sum.add(rep, err); err != nil {
			cancel(err)
		}
	}
	files := make([]history.File, len(jobs))
	for i, j := range jobs {
		files[i] = j.file
	}
	return history.IngestAll(ctx, st, files, opt, done)
}

// emptyStore is the store of a dry run that has none.
type emptyStore struct{}

func (emptyStore) FileState(context.Context, string) (*history.FileState, error) { return nil, nil }

func (emptyStore) Encode(*history.Batch) error { return nil }

func (emptyStore) Append(context.Context, *history.Batch) (int, error) { return 0, nil }
